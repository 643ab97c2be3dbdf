import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'

/** Up to 2024. The bracket of the token itself is sometimes lost. */
export const mistralArray: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'mistral-array',
  isSpecial: true,
  callBegin: ['[TOOL_CALLS]', '[TOOL_CALLS'],
  callEnd: ['[/TOOL_CALLS]'],
  isEndOptional: true,
  envelope: { ...usualEnvelope, isIdLast: true },
}

/** From 2025 on. Only Small 3.2 writes ids; Devstral often leaves out the separator. */
const mistralArgs: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'mistral-args',
  isSpecial: true,
  sectionBegin: [],
  sectionEnd: ['[/TOOL_CALLS]'],
  callBegin: ['[TOOL_CALLS]'],
  idBegin: ['[CALL_ID]'],
  separator: ['[ARGS]'],
  callEnd: [],
  header: {},
  isSeparatorOptional: true,
}

/** What is left of it when the server strips the tokens, at the start of an answer. */
const mistralStripped: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'mistral-stripped',
  isSpecial: false,
  isPlain: true,
  isFirst: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [],
  separator: [],
  callEnd: [],
  header: {},
}

/** The name slips in front of the token. */
const mistralNameFirst: NameThenArgsGrammar = {
  ...mistralStripped,
  id: 'mistral-name-first',
  isPlain: false,
  isFirst: false,
  namePrefixes: [''],
  nameSuffixes: ['[TOOL_CALLS]', '[TOOL_CALLS][ARGS]'],
}

export const mistral: Format = {
  id: 'mistral',
  title: 'Mistral',
  models: ['Mistral', 'Mixtral', 'Ministral', 'Magistral', 'Devstral', 'Codestral', 'Pixtral'],
  sample: '[TOOL_CALLS]get_weather[ARGS]{"city":"Paris"}',
  checked: {
    on: '2026-10',
    against: 'the templates of Nemo, Small 3.2, Devstral and Ministral 3; mistral of vLLM and SGLang',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [mistralArray, mistralArgs],
  salvage: [mistralStripped, mistralNameFirst, bareJson],
  stripped: [
    { grammar: 'mistral-array', left: '[{"name": "get_weather", "arguments": {"city":"Paris"}}]' },
    { grammar: 'mistral-args', left: 'get_weather{"city":"Paris"}' },
  ],
  reasoning: [{ begin: '[THINK]', end: '[/THINK]' }, think],
  structure: [],
  turnTokens: commonTurnTokens,
  template: { turns: 'alternate', afterTool: 'model', ids: 'mistral', callsProveFamily: true },
  thinking: [{ models: /small-?(?:4(?!\d*b)|2603)|medium-?3\.5/, default: 'off', efforts: ['none', 'high'] }],
}
