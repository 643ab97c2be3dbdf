import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'
import { graniteTag } from './granite.ts'

/** A line in bold, and the call in a code fence. */
const boldLine: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'rwkv',
  isSpecial: false,
  isPlain: true,
  isLine: true,
  callBegin: [
    ['**Tool Call:**', '```json'],
    ['**Tool Call:**', '```'],
  ],
  callEnd: ['```'],
  envelope: usualEnvelope,
}

/** Or one line of JSON behind a tag that nothing closes. */
export const rwkv: Format = {
  id: 'rwkv',
  title: 'RWKV',
  models: ['RWKV'],
  sample: '**Tool Call:**\n```json\n{"name": "get_weather", "arguments": {"city":"Paris"}}\n```',
  checked: {
    on: '2026-10',
    against: 'a proposal for vLLM',
    proof: ['proposal'],
  },
  grammars: [boldLine, graniteTag],
  salvage: [bareJson],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
