import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens } from './common.ts'

const apertusTools: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'apertus',
  isSpecial: true,
  callBegin: ['<|tools_prefix|>'],
  callEnd: ['<|tools_suffix|>'],
  envelope: { ...usualEnvelope, isNameKey: true },
}

/** What is left when the server strips the tokens. */
const apertusStripped: DelimitedJsonGrammar = {
  ...bareJson,
  id: 'apertus-stripped',
  envelope: { ...usualEnvelope, isNameKey: true, isStrict: true },
}

export const apertus: Format = {
  id: 'apertus',
  title: 'Apertus',
  models: ['Apertus 8B', 'Apertus 70B'],
  sample: '<|tools_prefix|>[{"get_weather": {"city":"Paris"}}]<|tools_suffix|>',
  checked: {
    on: '2026-10',
    against: 'the template of Apertus 8B; apertus of vLLM',
    proof: ['template', 'engine'],
  },
  grammars: [apertusTools],
  salvage: [apertusStripped],
  stripped: [{ grammar: 'apertus', left: '[{"get_weather": {"city":"Paris"}}]' }],
  reasoning: [{ begin: '<|inner_prefix|>', end: '<|inner_suffix|>' }],
  structure: [],
  turnTokens: ['<|assistant_end|>', '<|assistant_start|>', '<|user_start|>', ...commonTurnTokens],
}
