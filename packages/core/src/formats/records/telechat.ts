import { usualEnvelope } from '../../engines/json/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'

/**
 * GLM's tags with other words in them. Engines that read them strip texts of white space. Here it stays: a line of code
 * would lose its indentation, and a file its last line break.
 */
const telechatTags: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'telechat4-xml',
  isSpecial: false,
  isSectionOptional: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [{ open: '<tool_call>', name: 'word', end: '' }],
  callEnd: ['</tool_call>'],
  parameterBegin: [
    {
      open: '<param_key>',
      name: { around: ['<param_key>', '</param_key>'] },
      end: '<param_value>',
    },
  ],
  keyEnd: ['</param_key>'],
  parameterEnd: ['</param_value>'],
  parameter: { trim: 'none' },
  envelope: usualEnvelope,
}

export const telechat: Format = {
  id: 'telechat',
  title: 'TeleChat',
  models: ['TeleChat4', 'Xing 4.0'],
  sample: '<tool_call>get_weather<param_key>city</param_key><param_value>Paris</param_value></tool_call>',
  checked: {
    on: '2026-10',
    against: 'telechat4 and xing4_0 of TensorRT-LLM; proposals for vLLM',
    proof: ['engine'],
  },
  grammars: [telechatTags],
  salvage: [bareJson],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
