import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { barTags, blankTags } from './bar-tags.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'
import { claudeInvoke } from './xml.ts'

/** 3.0 writes the call as a message of its own, 3.1 behind one token. */
const gigachatCall: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'gigachat',
  isSpecial: true,
  callBegin: [['<|message_sep|>', 'function call', '<|role_sep|>'], '<|function_call|>'],
  callEnd: [],
  envelope: usualEnvelope,
}

/** 3.5 writes DeepSeek's tags with a word of its own. */
const gigachatGcml = barTags('gigachat-gcml', 'GCML', ['tool_calls'])

/** What is left of 3.0 when the server strips the tokens, or the one in front alone. */
const gigachatStripped: DelimitedJsonGrammar = {
  ...gigachatCall,
  id: 'gigachat-stripped',
  isSpecial: false,
  callBegin: ['function call', ['function call', '<|role_sep|>']],
}

export const gigachat: Format = {
  id: 'gigachat',
  title: 'GigaChat',
  models: ['GigaChat 3', 'GigaChat 3.1', 'GigaChat 3.5'],
  sample: '<|function_call|>{"name": "get_weather", "arguments": {"city":"Paris"}}',
  checked: {
    on: '2026-10',
    against: 'the templates of GigaChat 3 and 3.1; gigachat35 of SGLang',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [gigachatCall, gigachatGcml],
  salvage: [gigachatStripped, claudeInvoke, blankTags, bareJson],
  stripped: [
    { grammar: 'gigachat', left: 'function call\n{"name": "get_weather", "arguments": {"city":"Paris"}}' },
    { grammar: 'gigachat', left: '{"name": "get_weather", "arguments": {"city":"Paris"}}' },
    {
      grammar: 'gigachat-gcml',
      left: '<tool_calls>\n<invoke name="get_weather">\n<parameter name="city" string="true">Paris</parameter>\n</invoke>\n</tool_calls>',
    },
  ],
  reasoning: [think],
  structure: [],
  turnTokens: [
    ...['assistant', 'user', 'function result'].map((role) => ['<|message_sep|>', role, '<|role_sep|>']),
    '<|role_sep|>',
    ...commonTurnTokens,
  ],
}
