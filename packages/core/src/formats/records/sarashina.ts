import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens } from './common.ts'

/** Dictionaries as Python writes them, behind a token that Solar Open has too, in front of other tokens. */
const sarashinaList: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'sarashina',
  isSpecial: true,
  callBegin: ['<|tool_calls|>'],
  callEnd: [],
  envelope: { ...usualEnvelope, isPython: true },
}

export const sarashina: Format = {
  id: 'sarashina',
  title: 'Sarashina',
  models: ['Sarashina'],
  sample: "<|tool_calls|>[{'name': 'get_weather', 'arguments': {'city': 'Paris'}}]",
  checked: {
    on: '2026-10',
    against: 'sarashina of smg',
    proof: ['engine'],
  },
  grammars: [sarashinaList],
  // Servers usually strip the token.
  salvage: [bareJson],
  stripped: [{ grammar: 'sarashina', left: "[{'name': 'get_weather', 'arguments': {'city': 'Paris'}}]" }],
  reasoning: [],
  structure: [],
  turnTokens: commonTurnTokens,
}
