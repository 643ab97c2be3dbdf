import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, enableThinking, think } from './common.ts'

const longcatJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'longcat',
  isSpecial: true,
  callBegin: ['<longcat_tool_call>'],
  callEnd: ['</longcat_tool_call>'],
  envelope: usualEnvelope,
}

export const longcat: Format = {
  id: 'longcat',
  title: 'LongCat',
  models: ['LongCat-Flash-Chat', 'LongCat-Flash-Thinking'],
  sample: '<longcat_tool_call>\n{"name": "get_weather", "arguments": {"city":"Paris"}}\n</longcat_tool_call>',
  grammars: [longcatJson],
  salvage: [bareJson],
  reasoning: [{ begin: '<longcat_think>', end: '</longcat_think>' }, think],
  structure: [],
  turnTokens: ['<longcat_s>', '</longcat_s>', ...commonTurnTokens],
  thinking: [{ models: /longcat(?!-flash-chat)/, default: 'on', ...enableThinking }],
}
