import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, think } from './common.ts'
import { glmTags } from './glm.ts'

/** GLM's tags between tags of its own: one name in Q1, another in Coder V2. */
const iquestTags: TaggedParamsGrammar = {
  ...glmTags,
  id: 'iquest-xml',
  isSpecial: true,
  callBegin: ['<iquest_tool_call>', '<iquestcoder_tool_call>'].map((open) => ({
    open,
    name: 'word',
    end: '',
  })),
  callEnd: ['</iquest_tool_call>', '</iquestcoder_tool_call>'],
}

/** Coder V1 writes as Qwen does, and is known by the names of Qwen's. */
export const iquest: Format = {
  id: 'iquest',
  title: 'iQuest',
  models: ['iQuest Q1', 'iQuest-Coder V2'],
  sample:
    '<iquest_tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></iquest_tool_call>',
  checked: {
    on: '2026-10',
    against: 'iquest_q1 of SGLang; a proposal for Coder V2',
    proof: ['engine'],
  },
  grammars: [iquestTags],
  salvage: [],
  stripped: [
    {
      grammar: 'iquest-xml',
      left: 'get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value>',
      why: 'nothing tells where the call begins',
    },
  ],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
