import { usualEnvelope } from '../../engines/json/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, speakers } from './common.ts'

/** The template can be asked for tags, for tags that tell the type of each value, and for JSON. */
const horizonTags: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'k2-horizon',
  isSpecial: true,
  isSectionOptional: true,
  sectionBegin: ['<ifm|tool_calls>'],
  sectionEnd: ['</ifm|tool_calls>'],
  callBegin: [{ open: '<ifm|tool_call>', name: 'word', end: '' }],
  callEnd: ['</ifm|tool_call>'],
  parameterBegin: [
    {
      open: '<ifm|arg_key>',
      name: {
        around: ['<ifm|arg_key>', '</ifm|arg_key>'],
        typeTags: { begin: '<ifm|arg_type>', end: '</ifm|arg_type>' },
      },
      attributes: ['type'],
      end: '<ifm|arg_value>',
    },
  ],
  keyEnd: ['</ifm|arg_key>'],
  parameterEnd: ['</ifm|arg_value>'],
  parameter: {
    trim: 'none',
    typeAttribute: {
      name: 'type',
      string: ['string', 'any'],
      json: ['number', 'integer', 'boolean', 'object', 'array', 'null'],
      isHint: true,
    },
  },
  envelope: usualEnvelope,
}

/** Of the Institute of Foundation Models; nothing of Kimi but the letters K2. How much it thinks has a tag each. */
export const k2Horizon: Format = {
  id: 'k2-horizon',
  title: 'K2 Horizon',
  models: ['K2 Horizon 375B, 36B, 32B and 7B', 'K2-V3'],
  sample:
    '<ifm|tool_calls>\n<ifm|tool_call>get_weather\n<ifm|arg_key>city</ifm|arg_key>\n<ifm|arg_value>Paris</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>',
  checked: {
    on: '2026-10',
    against: 'k2_horizon of vLLM and SGLang',
    proof: ['engine'],
  },
  grammars: [horizonTags],
  salvage: [bareJson],
  stripped: [
    {
      grammar: 'k2-horizon',
      left: 'get_weather\ncity\nParis',
      why: 'the name, the keys and the values run together',
    },
    { grammar: 'k2-horizon', left: '{"name": "get_weather", "arguments": {"city":"Paris"}}' },
  ],
  reasoning: ['think', 'think_fast', 'think_faster'].map((name) => ({
    begin: `<ifm|${name}>`,
    end: `</ifm|${name}>`,
  })),
  structure: [],
  turnTokens: ['<|ifm|im_start|>', ...speakers.map((role) => `<|ifm|im_start|>${role}`), '<|ifm|im_end|>'],
}
