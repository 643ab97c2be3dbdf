import type { TaggedParamsGrammar } from '../engines/tagged-params-grammar.ts'

/** Hy3 as it is published: every token carries the suffix. */
export const hunyuan3: TaggedParamsGrammar = hunyuan3Tags('hunyuan3-xml', ':opensource', true)

/** Without the suffix the tags are GLM's in a section, and plain text. */
export const hunyuan3Plain: TaggedParamsGrammar = hunyuan3Tags('hunyuan3-plain', '', false)

function hunyuan3Tags(id: string, suffix: string, isSpecial: boolean): TaggedParamsGrammar {
  return {
    engine: 'tagged-params',
    id,
    isSpecial,
    isSectionOptional: true,
    sectionBegin: [`<tool_calls${suffix}>`],
    sectionEnd: [`</tool_calls${suffix}>`],
    callBegin: [{ open: `<tool_call${suffix}>`, name: 'word', end: `<tool_sep${suffix}>` }],
    callEnd: [`</tool_call${suffix}>`, `<end_of_tool_call${suffix}>`],
    parameterBegin: [
      {
        open: `<arg_key${suffix}>`,
        name: { around: [`<arg_key${suffix}>`, `</arg_key${suffix}>`] },
        end: `<arg_value${suffix}>`,
      },
    ],
    keyEnd: [`</arg_key${suffix}>`],
    parameterEnd: [`</arg_value${suffix}>`],
    parameter: { trim: 'none' },
  }
}
