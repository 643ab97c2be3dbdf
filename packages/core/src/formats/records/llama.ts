import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, taughtByR1, think } from './common.ts'
import { functionTag } from './functionary.ts'
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
  grammars: [llamaBuiltin, llama4Pythonic, llamaTaggedJson, llamaJson, pythonicList, functionTag],
  salvage: [bareJson, pythonicList, claudeInvoke],
  reasoning: [think],
  structure: [],
  turnTokens: [
    ['<|start_header_id|>', 'assistant', '<|end_header_id|>'],
    ['<|header_start|>', 'assistant', '<|header_end|>'],
    '<|eot|>',
    '<|eom|>',
    ...commonTurnTokens,
  ],
  thinking: [taughtByR1],
}
