import type { DelimitedJsonGrammar } from '../../engines/json/delimited-json.ts'
import { usualEnvelope } from '../../engines/json/envelope-shape.ts'
import { bareJson } from './bare-json.ts'
import type { Format } from '../format.ts'
import { hermesJson } from './hermes.ts'
import { qwen3Coder } from './qwen3-coder.ts'
import { think } from './reasoning-markers.ts'
import { commonTurnTokens } from './turn-tokens.ts'

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
  // A name without a generation may mean a release that writes as Qwen does.
  grammars: [nemotronToolcall, hermesJson, qwen3Coder],
  salvage: [bareJson],
  reasoning: [think],
  structure: [],
  turnTokens: ['<SPECIAL_12>', '<SPECIAL_11>', ...commonTurnTokens],
}
