import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens } from './common.ts'

/** 3.0 writes the call as a message of its own, 3.1 behind one token. */
const gigachatCall: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'gigachat',
  isSpecial: true,
  callBegin: [['<|message_sep|>', 'function call', '<|role_sep|>'], '<|function_call|>'],
  callEnd: [],
  envelope: usualEnvelope,
}

/** What is left of 3.0 when the server strips the tokens. */
const gigachatStripped: DelimitedJsonGrammar = {
  ...gigachatCall,
  id: 'gigachat-stripped',
  isSpecial: false,
  callBegin: ['function call'],
}

export const gigachat: Format = {
  id: 'gigachat',
  title: 'GigaChat',
  models: ['GigaChat 3', 'GigaChat 3.1'],
  sample: '<|function_call|>{"name": "get_weather", "arguments": {"city":"Paris"}}',
  grammars: [gigachatCall],
  salvage: [gigachatStripped, bareJson],
  reasoning: [],
  structure: [],
  turnTokens: [
    ...['assistant', 'user', 'function result'].map((role) => ['<|message_sep|>', role, '<|role_sep|>']),
    '<|role_sep|>',
    ...commonTurnTokens,
  ],
}
