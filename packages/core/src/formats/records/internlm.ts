import type { DelimitedJsonGrammar } from '../../engines/json/delimited-json.ts'
import { usualEnvelope } from '../../engines/json/envelope-shape.ts'
import { bareJson } from './bare-json.ts'
import type { Format } from '../format.ts'
import { hermesJson } from './hermes.ts'
import { think } from './reasoning-markers.ts'
import { commonTurnTokens } from './turn-tokens.ts'

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
  grammars: [internlmPlugin, hermesJson],
  salvage: [bareJson],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
