import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'
import { hermesJson } from './hermes.ts'

const internlmPlugin: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'internlm2',
  isSpecial: true,
  callBegin: [['<|action_start|>', '<|plugin|>']],
  callEnd: ['<|action_end|>'],
  envelope: usualEnvelope,
}

export const internlm: Format = {
  id: 'internlm',
  title: 'InternLM',
  models: ['InternLM2', 'InternLM2.5', 'Intern-S1'],
  sample: '<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city":"Paris"}}<|action_end|>',
  checked: {
    on: '2026-08',
    against: 'the template of InternLM2; internlm of vLLM and SGLang',
    proof: ['template', 'engine'],
  },
  grammars: [internlmPlugin, hermesJson],
  salvage: [bareJson],
  stripped: [{ grammar: 'internlm2', left: '{"name": "get_weather", "parameters": {"city":"Paris"}}' }],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
