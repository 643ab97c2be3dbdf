import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think, toolCallsJson } from './common.ts'

export const jamba: Format = {
  id: 'jamba',
  title: 'Jamba',
  models: ['Jamba 1.5', 'Jamba 1.6', 'Jamba 1.7', 'Jamba Reasoning'],
  sample: '<tool_calls>[\n  {"name": "get_weather", "arguments": {"city":"Paris"}}\n]</tool_calls>',
  checked: {
    on: '2026-08',
    against: 'jamba of vLLM',
    proof: ['engine'],
  },
  grammars: [toolCallsJson],
  salvage: [bareJson],
  reasoning: [think],
  structure: [],
  turnTokens: ['<|eom|>', '<|bom|>', ...commonTurnTokens],
}
