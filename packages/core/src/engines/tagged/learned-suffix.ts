import { type Marker, matchTag, type SuffixedTag, type TagMarker } from '../../text/marker.ts'
import type { OpeningTag, TaggedParamsGrammar } from './grammar.ts'

/** The last suffix that was learnt for a grammar: an answer has one, and so have most of those that follow it. */
const learnt = new WeakMap<
  TaggedParamsGrammar,
  { readonly suffix: string; readonly grammar: TaggedParamsGrammar }
>()

/**
 * The grammar with the suffix that its opener carries on every tag. Any other suffix is somebody else's: in a value such a
 * tag is data.
 */
export function withSuffixOf(opener: string, grammar: TaggedParamsGrammar): TaggedParamsGrammar {
  const suffix = suffixOf(opener, [...grammar.sectionBegin, ...grammar.callBegin.map(({ open }) => open)])
  if (suffix === undefined) return grammar
  const known = learnt.get(grammar)
  if (known?.suffix === suffix) return known.grammar
  const suffixed = withSuffix(suffix, grammar)
  learnt.set(grammar, { suffix, grammar: suffixed })
  return suffixed
}

/** With its colon. Undefined if the opener has none. */
function suffixOf(opener: string, markers: readonly Marker[]): string | undefined {
  const tag = markers.filter(isSuffixed).find((marker) => matchTag(opener, 0, marker) === opener.length)
  return tag === undefined ? undefined : opener.slice(tag.before.length, opener.length - tag.after.length)
}

function isSuffixed(marker: Marker): marker is SuffixedTag {
  return typeof marker === 'object' && 'before' in marker
}

function withSuffix(suffix: string, grammar: TaggedParamsGrammar): TaggedParamsGrammar {
  const ofTag = (tag: TagMarker): TagMarker =>
    typeof tag === 'string' ? tag : `${tag.before}${suffix}${tag.after}`
  const of = (marker: Marker): Marker => (isSuffixed(marker) ? ofTag(marker) : marker)
  const ofOpening = (tag: OpeningTag): OpeningTag => {
    const { name, open, end } = tag
    const isAround = typeof name === 'object' && 'around' in name
    return {
      ...tag,
      open: of(open),
      end: ofTag(end),
      name: isAround ? { ...name, around: name.around.map(ofTag) } : name,
    }
  }
  return {
    ...grammar,
    sectionBegin: grammar.sectionBegin.map(of),
    sectionEnd: grammar.sectionEnd.map(of),
    callBegin: grammar.callBegin.map(ofOpening),
    callEnd: grammar.callEnd.map(of),
    parameterBegin: grammar.parameterBegin.map(ofOpening),
    parameterEnd: grammar.parameterEnd.map(of),
    ...(grammar.keyEnd === undefined ? {} : { keyEnd: grammar.keyEnd.map(of) }),
  }
}
