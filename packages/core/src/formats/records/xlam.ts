import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'
import { hermesJson } from './hermes.ts'
import { llamaJson } from './llama.ts'
import { mistralArray } from './mistral.ts'

/** A bare array, and the syntaxes of the models that xLAM is built on. */
export const xlam: Format = {
  id: 'xlam',
  title: 'xLAM',
  models: ['xLAM-2', 'xLAM 7B and 8x22B'],
  sample: '[{"name": "get_weather", "arguments": {"city":"Paris"}}]',
  checked: {
    on: '2026-08',
    against: 'the templates of xLAM-2; xlam of vLLM',
    proof: ['template', 'engine'],
  },
  grammars: [llamaJson, hermesJson, mistralArray],
  salvage: [bareJson],
  stripped: [{ grammar: 'mistral-array', left: '[{"name": "get_weather", "arguments": {"city":"Paris"}}]' }],
  reasoning: [think],
  structure: [],
  turnTokens: [['<|start_header_id|>', 'assistant', '<|end_header_id|>'], ...commonTurnTokens],
}
