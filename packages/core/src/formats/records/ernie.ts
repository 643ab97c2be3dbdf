import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'
import { hermesJson } from './hermes.ts'

export const ernie: Format = {
  id: 'ernie',
  title: 'ERNIE',
  models: ['ERNIE 4.5', 'ERNIE 4.5 Thinking'],
  sample: '<tool_call>\n{"name": "get_weather", "arguments": {"city":"Paris"}}\n</tool_call>',
  checked: {
    on: '2026-08',
    against: 'ernie45 of vLLM',
    proof: ['engine'],
  },
  grammars: [hermesJson],
  salvage: [bareJson],
  reasoning: [think],
  structure: [],
  // A line break sometimes comes as the name of its token.
  wrappers: [
    { begin: '<response>', end: '</response>' },
    { begin: '<0x0A>', end: '<0x0A>' },
  ],
  turnTokens: ['<|end_of_sentence|>', ...commonTurnTokens],
}
