import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'
import { hermesJson } from './hermes.ts'
import { qwen3Coder } from './xml.ts'

/** Whose tool it is stands before its name; several calls may stand in one element. */
const mcpTool: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'use-mcp-tool',
  isSpecial: false,
  needsSection: true,
  sectionBegin: ['<use_mcp_tool>'],
  sectionEnd: ['</use_mcp_tool>'],
  callBegin: ['<server_name>'],
  namespaceEnd: [['</server_name>', '<tool_name>']],
  separator: [['</tool_name>', '<arguments>']],
  callEnd: ['</arguments>'],
  header: {},
}

export const mirothinker: Format = {
  id: 'mirothinker',
  title: 'MiroThinker',
  models: ['MiroThinker'],
  sample:
    '<use_mcp_tool>\n<server_name>weather</server_name>\n<tool_name>get_weather</tool_name>\n<arguments>\n{"city":"Paris"}\n</arguments>\n</use_mcp_tool>',
  checked: {
    on: '2026-10',
    against: 'a proposal for llama.cpp',
    proof: ['proposal'],
  },
  // It is built on Qwen3, and may write as that does.
  grammars: [mcpTool, hermesJson],
  salvage: [qwen3Coder, bareJson],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
