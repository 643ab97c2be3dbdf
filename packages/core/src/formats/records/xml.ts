import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'
import { drift } from './drift.ts'

export const qwen3Coder: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'qwen3-coder-xml',
  isSpecial: false,
  isSectionOptional: false,
  sectionBegin: ['<tool_call>'],
  sectionEnd: ['</tool_call>'],
  callBegin: [
    { open: '<function=', name: 'inline', end: '>' },
    { open: '<function ', name: { attribute: 'name', isOptional: true }, end: '>' },
  ],
  callEnd: ['</function>', '</function_invocation>'],
  parameterBegin: [
    { open: '<parameter=', name: 'inline', end: '>' },
    { open: '<parameter ', name: { attribute: 'name' }, end: '>' },
    { open: '<param ', name: { attribute: 'name' }, end: '>' },
    // The name as the text of an element, and the value behind it.
    { open: '<parameter>', name: { around: ['<parameter>', '</parameter>'] }, end: '<value>' },
  ],
  parameterEnd: ['</parameter>', '</param>'],
  parameter: { trim: 'newline', strayTags: { begin: '<value>', end: '</value>' } },
  readsElements: true,
}

/** Models that were trained on transcripts of Claude fall into its tags. */
export const claudeInvoke: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'claude-invoke',
  isSpecial: false,
  isSectionOptional: false,
  sectionBegin: ['<function_calls>', '<tool_calls>', '<tool_call>'],
  sectionEnd: ['</function_calls>', '</tool_calls>', '</tool_call>'],
  callBegin: [{ open: '<invoke ', name: { attribute: 'name' }, end: '>' }],
  callEnd: ['</invoke>'],
  parameterBegin: [{ open: '<parameter ', name: { attribute: 'name' }, attributes: ['string'], end: '>' }],
  parameterEnd: ['</parameter>'],
  parameter: { trim: 'none', typeAttribute: { name: 'string', string: ['true'], json: ['false'] } },
}

export const xml: Format = {
  id: 'xml',
  title: 'XML',
  models: ['models prompted to write Claude-like or Qwen3-Coder tags'],
  sample:
    '<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</function_calls>',
  checked: {
    on: '2026-08',
    against: 'what models fall into that were taught another syntax',
    proof: ['report'],
  },
  grammars: [claudeInvoke, qwen3Coder],
  isNamedOnly: true,
  salvage: [claudeInvoke, qwen3Coder, bareJson, ...drift],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
