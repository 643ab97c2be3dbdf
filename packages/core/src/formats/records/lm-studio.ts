import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'

/** A prompt that puts text of its own between such markers has nothing to do with it: then it is no call. */
const toolRequest: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'tool-request',
  isSpecial: false,
  isPlain: true,
  callBegin: ['[TOOL_REQUEST]'],
  callEnd: ['[END_TOOL_REQUEST]'],
  envelope: usualEnvelope,
}

/** Some models put the name into the brackets instead, at the start of the answer. */
const namedRequest: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'named-tool-request',
  isSpecial: false,
  isPlain: true,
  isFirst: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: ['['],
  separator: [']\n'],
  callEnd: ['[END_TOOL_REQUEST]'],
  header: {},
}

/** What LM Studio asks of every model whose own syntax it does not know. */
export const lmStudio: Format = {
  id: 'lm-studio',
  title: 'LM Studio',
  models: ['any model in LM Studio whose own syntax it does not know'],
  sample: '[TOOL_REQUEST]{"name": "get_weather", "arguments": {"city":"Paris"}}[END_TOOL_REQUEST]',
  checked: {
    on: '2026-10',
    against: 'the documentation of LM Studio, and what models wrote there',
    proof: ['report'],
  },
  grammars: [toolRequest],
  salvage: [bareJson, namedRequest],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
