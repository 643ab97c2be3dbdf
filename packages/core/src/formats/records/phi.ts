import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'
import { toolCallToken } from './granite.ts'

const functools: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'functools',
  isSpecial: false,
  isPlain: true,
  callBegin: [['functools', '[']],
  opensArray: true,
  callEnd: [],
  envelope: usualEnvelope,
}

export const phi: Format = {
  id: 'phi',
  title: 'Phi',
  models: ['Phi-4', 'Phi-4 mini', 'Firefunction v2'],
  sample: 'functools[{"name": "get_weather", "arguments": {"city":"Paris"}}]',
  checked: {
    on: '2026-08',
    against: 'the template of Firefunction v2; phi4_mini_json of vLLM',
    proof: ['template', 'engine'],
  },
  grammars: [functools, toolCallToken],
  salvage: [bareJson],
  stripped: [{ grammar: 'granite-array', left: '[{"name": "get_weather", "arguments": {"city":"Paris"}}]' }],
  reasoning: [think],
  structure: [],
  turnTokens: ['<|end|>', ['<|start_header_id|>', 'assistant', '<|end_header_id|>'], ...commonTurnTokens],
}
