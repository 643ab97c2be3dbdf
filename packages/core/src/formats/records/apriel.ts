import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think, toolCallsJson } from './common.ts'
import { hermesJson } from './hermes.ts'

export const apriel: Format = {
  id: 'apriel',
  title: 'Apriel',
  models: ['Apriel 1.5', 'Apriel 1.6'],
  sample: '<tool_calls>[{"name": "get_weather", "arguments": {"city":"Paris"}}]</tool_calls>',
  checked: {
    on: '2026-08',
    against: 'the templates of Apriel 1.5 and 1.6',
    proof: ['template'],
  },
  // The prompt of 1.5 speaks of both tags.
  grammars: [toolCallsJson, hermesJson],
  salvage: [bareJson],
  reasoning: [
    { begin: 'Here are my reasoning steps:', end: '[BEGIN FINAL RESPONSE]', plain: 'begin' },
    think,
  ],
  structure: ['[END FINAL RESPONSE]'],
  turnTokens: ['<|end|>', '<|begin_assistant|>', ...commonTurnTokens],
}
