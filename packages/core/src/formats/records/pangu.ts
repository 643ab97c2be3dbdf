import type { DelimitedJsonGrammar } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens } from './common.ts'
import { lfmJson } from './lfm.ts'

/** Older checkpoints have no names for their tokens. */
const panguUnused: DelimitedJsonGrammar = {
  ...lfmJson,
  id: 'pangu-unused',
  callBegin: ['[unused11]'],
  callEnd: ['[unused12]'],
}

/** An array of calls between the tokens in which LFM writes Python. */
export const pangu: Format = {
  id: 'pangu',
  title: 'openPangu',
  models: ['openPangu'],
  sample: '[unused11][{"name": "get_weather", "arguments": {"city":"Paris"}}][unused12]',
  checked: {
    on: '2026-10',
    against: 'proposals for vLLM',
    proof: ['proposal'],
  },
  grammars: [lfmJson, panguUnused],
  salvage: [bareJson],
  stripped: [
    { grammar: 'lfm2-json', left: '[{"name": "get_weather", "arguments": {"city":"Paris"}}]' },
    { grammar: 'pangu-unused', left: '[{"name": "get_weather", "arguments": {"city":"Paris"}}]' },
  ],
  reasoning: [{ begin: '[unused16]', end: '[unused17]' }],
  structure: [],
  turnTokens: ['[unused10]', ...commonTurnTokens],
}
