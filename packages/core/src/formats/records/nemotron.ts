import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'
import { hermesJson } from './hermes.ts'
import { qwen3Coder } from './xml.ts'

const nemotronToolcall: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'nemotron-toolcall',
  isSpecial: false,
  callBegin: ['<TOOLCALL>'],
  callEnd: ['</TOOLCALL>'],
  envelope: usualEnvelope,
}

export const nemotron: Format = {
  id: 'nemotron',
  title: 'Nemotron',
  models: ['Llama Nemotron Super and Ultra', 'Nemotron Nano v2'],
  sample: '<TOOLCALL>[{"name": "get_weather", "arguments": {"city":"Paris"}}]</TOOLCALL>',
  checked: {
    on: '2026-08',
    against: 'the template of Nemotron Nano v2; nemotron_deci of dynamo',
    proof: ['template', 'engine'],
  },
  // A name without a generation may mean a release that writes as Qwen does.
  grammars: [nemotronToolcall, hermesJson, qwen3Coder],
  salvage: [bareJson],
  reasoning: [think],
  structure: [],
  turnTokens: ['<SPECIAL_12>', '<SPECIAL_11>', ...commonTurnTokens],
}
