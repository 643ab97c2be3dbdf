import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, think } from './common.ts'
import { glmTags } from './glm.ts'
import { hermesJson } from './hermes.ts'

/** GLM's tags between two tokens that Granite and Phi have too, in front of JSON. */
const sparkTags: TaggedParamsGrammar = {
  ...glmTags,
  id: 'spark-tokens',
  isSpecial: true,
  callBegin: [{ open: '<|tool_call|>', name: 'word', end: '' }],
  callEnd: ['<|/tool_call|>'],
}

export const spark: Format = {
  id: 'spark',
  title: 'Spark',
  models: ['Spark X2.5'],
  sample: '<|tool_call|>\nget_weather<arg_key>city</arg_key><arg_value>Paris</arg_value>\n<|/tool_call|>',
  checked: {
    on: '2026-10',
    against: 'spark25 of SGLang; a proposal for vLLM',
    proof: ['engine', 'report'],
  },
  grammars: [glmTags, sparkTags, hermesJson],
  salvage: [],
  stripped: [
    {
      grammar: 'spark-tokens',
      left: 'get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value>',
      why: 'nothing tells where the call begins',
    },
  ],
  reasoning: [think],
  structure: [],
  turnTokens: ['<|Bot|>', ...commonTurnTokens],
}
