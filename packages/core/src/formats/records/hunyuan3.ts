import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { TagMarker } from '../../text/marker.ts'

/** Hy3 as it is published: every token carries a suffix, `<tool_call:opensource>`, and not always the same. */
export const hunyuan3: TaggedParamsGrammar = hunyuan3Tags('hunyuan3-xml', true, suffixed)

/** Without the suffix the tags are GLM's in a section, and plain text. */
export const hunyuan3Plain: TaggedParamsGrammar = hunyuan3Tags('hunyuan3-plain', false, (name) => `<${name}>`)

/** A tag of this name, with any suffix. */
export function suffixed(name: string): TagMarker {
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
