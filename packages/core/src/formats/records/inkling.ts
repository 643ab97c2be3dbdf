import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { ChannelsGrammar } from '../../engines/messages/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson } from './common.ts'

const inklingJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'inkling',
  isSpecial: true,
  callBegin: ['<|content_invoke_tool_json|>'],
  callEnd: ['<|end_message|>'],
  envelope: usualEnvelope,
}

/** The prompt ends in the header, and the name slips in front of the token. */
const inklingNameFirst: DelimitedJsonGrammar = {
  ...inklingJson,
  id: 'inkling-name-first',
  isSpecial: false,
  callBegin: [],
  namePrefixes: [''],
  nameSuffixes: ['<|content_invoke_tool_json|>'],
}

const inklingMessages: ChannelsGrammar = {
  id: 'inkling',
  messageBegin: ['<|message_model|>'],
  speakers: [],
  channelBegin: [],
  typeBegin: [],
  types: [],
  builtins: [],
  routes: {},
  bodyBegin: [],
  reasoningBegin: ['<|content_thinking|>'],
  // A call in free text has no name and no arguments that anybody could read: it is shown.
  contentBegin: ['<|content_text|>', '<|content_invoke_tool_text|>', '<|content_tool_error|>'],
  bodyEnd: ['<|end_message|>', '<|content_model_end_sampling|>'],
  calls: [],
}

export const inkling: Format = {
  id: 'inkling',
  title: 'Inkling',
  models: ['Inkling'],
  sample: '<|content_invoke_tool_json|>{"name": "get_weather", "args": {"city":"Paris"}}<|end_message|>',
  checked: {
    on: '2026-10',
    against: 'inkling of vLLM and SGLang',
    proof: ['engine'],
  },
  grammars: [inklingJson],
  salvage: [inklingNameFirst, bareJson],
  stripped: [{ grammar: 'inkling', left: '{"name": "get_weather", "args": {"city":"Paris"}}' }],
  reasoning: [],
  channels: inklingMessages,
  structure: [],
  turnTokens: [],
}
