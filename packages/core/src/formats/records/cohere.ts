import type { DelimitedJsonGrammar, EnvelopeShape } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson } from './common.ts'

const cohereEnvelope: EnvelopeShape = {
  nameKeys: ['tool_name', 'name'],
  argumentKeys: ['parameters', 'arguments'],
  idKeys: ['tool_call_id', 'id'],
  noTools: ['directly_answer', 'directly-answer'],
}

/** Command R7B, A, A Reasoning, A4 and North. */
const cohereAction: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'cohere-action',
  isSpecial: true,
  callBegin: ['<|START_ACTION|>'],
  callEnd: ['<|END_ACTION|>'],
  envelope: cohereEnvelope,
}

/** Command R and R+: a line of its own, and the calls in a code fence. */
const cohereRPlus: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'cohere-r-plus',
  isSpecial: false,
  callBegin: [
    ['Action:', '```json'],
    ['Action:', '```'],
  ],
  callEnd: ['```'],
  isLine: true,
  envelope: { ...cohereEnvelope, indent: ' '.repeat(8) },
}

/** What is left of a call when the server strips the special tokens. */
const cohereStripped: DelimitedJsonGrammar = {
  ...bareJson,
  id: 'cohere-stripped',
  envelope: { ...cohereEnvelope, isStrict: true },
}

export const cohere: Format = {
  id: 'cohere',
  title: 'Cohere Command',
  models: [
    'Command R',
    'Command R+',
    'Command R7B',
    'Command A',
    'Command A Reasoning',
    'Command A4',
    'North',
  ],
  sample:
    '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city":"Paris"}}\n]<|END_ACTION|>',
  checked: {
    on: '2026-10',
    against: 'the templates of Command R+, R7B and A4; cohere_command3 and 4 of vLLM',
    proof: ['template', 'engine'],
  },
  grammars: [cohereAction, cohereRPlus],
  salvage: [cohereStripped],
  stripped: [
    {
      grammar: 'cohere-action',
      left: '[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city":"Paris"}}\n]',
    },
  ],
  reasoning: [{ begin: '<|START_THINKING|>', end: '<|END_THINKING|>' }],
  structure: ['<|START_RESPONSE|>', '<|END_RESPONSE|>', '<|START_TEXT|>', '<|END_TEXT|>'],
  turnTokens: ['<|END_OF_TURN_TOKEN|>', '<|START_OF_TURN_TOKEN|>', '<|CHATBOT_TOKEN|>', '<EOS_TOKEN>'],
}
