import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, speakers, taughtByR1, think } from './common.ts'
import { functionTag, headers } from './functionary.ts'
import { llama4Pythonic, llamaBuiltin, pythonicList } from './pythonic.ts'
import { claudeInvoke } from './xml.ts'

/** An answer that begins like a call is a call: `{"name": …, "parameters": …}`, several with `;` or nothing between them. */
export const llamaJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'llama3-json',
  isSpecial: false,
  isBare: true,
  callBegin: ['{', '['],
  callEnd: [],
  envelope: usualEnvelope,
}

const llamaTaggedJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'llama3-tagged-json',
  isSpecial: true,
  callBegin: ['<|python_tag|>'],
  callEnd: [],
  envelope: usualEnvelope,
}

export const llama: Format = {
  id: 'llama',
  title: 'Llama',
  models: ['Llama 3.1', 'Llama 3.2', 'Llama 3.3', 'Llama 4', 'InternLM3'],
  sample: '<|python_tag|>{"name": "get_weather", "parameters": {"city":"Paris"}}',
  checked: {
    on: '2026-08',
    against: 'the templates of Llama 3.1 to 3.3 and Llama 4; llama3_json of vLLM',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [llamaBuiltin, llama4Pythonic, llamaTaggedJson, llamaJson, pythonicList, functionTag],
  salvage: [bareJson, pythonicList, claudeInvoke],
  stripped: [
    {
      grammar: 'llama-builtin',
      left: 'get_weather.call(city="Paris")',
      why: 'it reads like any line of code',
    },
    { grammar: 'llama4-pythonic', left: '[get_weather(city="Paris")]' },
    { grammar: 'llama3-tagged-json', left: '{"name": "get_weather", "parameters": {"city":"Paris"}}' },
  ],
  reasoning: [think],
  structure: [],
  turnTokens: [
    ...headers,
    ...speakers.map((role) => ['<|header_start|>', role, '<|header_end|>']),
    '<|eot|>',
    '<|eom|>',
    ...commonTurnTokens,
  ],
  thinking: [taughtByR1],
}
