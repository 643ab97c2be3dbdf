import type { DelimitedJsonGrammar } from '../../engines/json/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, think } from './common.ts'
import { hermesJson } from './hermes.ts'
import { claudeInvoke } from './xml.ts'

const dotsTags: TaggedParamsGrammar = {
  ...claudeInvoke,
  id: 'dots-xml',
  isSpecial: true,
  sectionBegin: ['<dots_function_call>'],
  sectionEnd: ['</dots_function_call>'],
}

/** Now and then it writes the same call as JSON. */
const dotsJson: DelimitedJsonGrammar = {
  ...hermesJson,
  id: 'dots-json',
  isSpecial: true,
  callBegin: ['<dots_function_call>'],
  callEnd: ['</dots_function_call>'],
}

export const dots: Format = {
  id: 'dots',
  title: 'dots',
  models: ['dots.llm'],
  sample:
    '<dots_function_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</dots_function_call>',
  grammars: [dotsTags, dotsJson],
  salvage: [claudeInvoke],
  reasoning: [think],
  structure: [],
  turnTokens: ['<|endofuserprompt|>', '<|endofassistant|>', '<|endofresponse|>', ...commonTurnTokens],
}
