import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { TagMarker } from '../../text/marker.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, think, toolCallsJson } from './common.ts'

/**
 * Hy3 as it is published: every token carries a suffix, `<tool_call:opensource>`, and not always the same. Hy4 writes no
 * token behind the name, and the suffix of its checkpoint.
 */
const hunyuan3: TaggedParamsGrammar = hunyuan3Tags('hunyuan3-xml', true, suffixed)

/** Without the suffix the tags are GLM's in a section, and plain text. */
const hunyuan3Plain: TaggedParamsGrammar = hunyuan3Tags('hunyuan3-plain', false, (name) => `<${name}>`)

/** A tag of this name, with any suffix. */
function suffixed(name: string): TagMarker {
  return { before: `<${name}`, after: '>' }
}

function hunyuan3Tags(id: string, isSpecial: boolean, tag: (name: string) => TagMarker): TaggedParamsGrammar {
  return {
    engine: 'tagged-params',
    id,
    isSpecial,
    isSectionOptional: true,
    sectionBegin: [tag('tool_calls')],
    sectionEnd: [tag('/tool_calls')],
    callBegin: [{ open: tag('tool_call'), name: 'word', end: tag('tool_sep') }],
    callEnd: [tag('/tool_call'), tag('end_of_tool_call')],
    parameterBegin: [
      {
        open: tag('arg_key'),
        name: { around: [tag('arg_key'), tag('/arg_key')] },
        end: tag('arg_value'),
      },
    ],
    keyEnd: [tag('/arg_key')],
    parameterEnd: [tag('/arg_value')],
    parameter: { trim: 'none' },
  }
}

export const hunyuan: Format = {
  id: 'hunyuan',
  title: 'Hunyuan',
  models: ['Hunyuan A13B', 'Hy3', 'Hy4'],
  sample:
    '<tool_calls:opensource>\n<tool_call:opensource>get_weather<tool_sep:opensource>\n<arg_key:opensource>city</arg_key:opensource>\n<arg_value:opensource>Paris</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>',
  checked: {
    on: '2026-10',
    against: 'the templates of Hunyuan A13B and Hy3; hy_v3 and hy_v4 of vLLM',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [hunyuan3, hunyuan3Plain, toolCallsJson],
  salvage: [],
  stripped: [
    {
      grammar: 'hunyuan3-xml',
      left: 'get_weather\ncity\nParis',
      why: 'the name, the keys and the values run together',
    },
  ],
  reasoning: [{ begin: suffixed('think'), end: suffixed('/think') }, think],
  structure: [],
  wrappers: [{ begin: '<answer>', end: '</answer>' }],
  turnTokens: [
    '<|eos|>',
    ...['<｜hy_eos', '<｜hy_User', '<｜hy_Assistant'].map((before) => ({ before, after: '｜>' })),
    '<｜hy_eos｜>',
    '<｜hy_begin_of_sentence｜>',
    '<｜reasoning_mode｜>',
    ...commonTurnTokens,
  ],
  thinking: [
    {
      models: /\bhy-?3(?![\db])/,
      default: 'off',
      off: { reasoning_effort: 'no_think' },
      efforts: ['low', 'high'],
      effortAs: 'argument',
    },
  ],
}
