import type { DelimitedJsonGrammar } from '../../engines/json/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'
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
  checked: {
    on: '2026-08',
    against: 'dots of vLLM and SGLang',
    proof: ['engine'],
  },
  grammars: [dotsTags, dotsJson],
  salvage: [claudeInvoke, bareJson],
  stripped: [
    {
      grammar: 'dots-xml',
      left: '<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>',
    },
    { grammar: 'dots-json', left: '{"name": "get_weather", "arguments": {"city":"Paris"}}' },
  ],
  reasoning: [think],
  structure: [],
  turnTokens: ['<|endofuserprompt|>', '<|endofassistant|>', '<|endofresponse|>', ...commonTurnTokens],
}
