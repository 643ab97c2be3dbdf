import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { Format } from '../format.ts'

const argumentsBegin = ['<|plamo:end_tool_name:plamo|>', '<|plamo:begin_tool_arguments:plamo|>']

/** Each tag is made of several tokens, but nobody writes such a tag in prose. */
const plamoRequests: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'plamo3',
  isSpecial: true,
  sectionBegin: ['<|plamo:begin_tool_requests:plamo|>'],
  sectionEnd: ['<|plamo:end_tool_requests:plamo|>'],
  callBegin: [['<|plamo:begin_tool_request:plamo|>', '<|plamo:begin_tool_name:plamo|>']],
  separator: [[...argumentsBegin, '<|plamo:constrain|>', 'json', '<|plamo:msg|>'], argumentsBegin],
  callEnd: [
    ['<|plamo:end_tool_arguments:plamo|>', '<|plamo:end_tool_request:plamo|>'],
    '<|plamo:end_tool_arguments:plamo|>',
  ],
  header: {},
}

export const plamo: Format = {
  id: 'plamo',
  title: 'PLaMo',
  models: ['PLaMo 3'],
  sample:
    '<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>get_weather<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{"city":"Paris"}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>',
  checked: {
    on: '2026-10',
    against: 'a proposal for vLLM',
    proof: ['proposal'],
  },
  grammars: [plamoRequests],
  salvage: [],
  reasoning: [{ begin: '<|plamo:begin_think:plamo|>', end: '<|plamo:end_think:plamo|>' }],
  structure: [],
  turnTokens: ['<|plamo:tag|>'],
}
