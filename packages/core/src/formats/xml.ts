import type { TaggedParamsGrammar } from '../engines/tagged-params-grammar.ts'
import { bareJson } from './bare-json.ts'
import { drift } from './drift.ts'
import type { Format } from './format.ts'
import { qwen3Coder } from './qwen3-coder.ts'
import { think } from './reasoning-markers.ts'
import { commonTurnTokens } from './turn-tokens.ts'

/** What models fall into that were trained on transcripts of others. */
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
  parameter: { trim: 'none', typeAttribute: { name: 'string', string: 'true', json: ['false'] } },
}

export const xml: Format = {
  id: 'xml',
  title: 'XML',
  models: ['models prompted to write Claude-like or Qwen3-Coder tags'],
  sample:
    '<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</function_calls>',
  grammars: [claudeInvoke, qwen3Coder],
  isNamedOnly: true,
  salvage: [claudeInvoke, qwen3Coder, bareJson, ...drift],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
