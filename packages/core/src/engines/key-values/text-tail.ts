import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Probe } from '../engine.ts'
import type { KeyValuesMarkers } from './grammar.ts'

/** What is looked at behind the end of a call that stands in a text. */
const LONGEST_LOOK = 256
/** How much of the end of a text may be held. */
const LONGEST_TAIL = 160

/**
 * Where the end of a text begins that is no part of it if its closing mark was forgotten: the key of the next value, or
 * the brackets that close the call.
 */
export function tailStart(text: string): number {
  const from = Math.max(0, text.length - LONGEST_TAIL)
  const end = text.slice(from)
  const key =
    /[}\])]*,[\s[{]*[\w.$-]*\s*[:=]?[\s[{]*(?:(?<=[[{]\s*)[\w.$-]+\s*[:=]?\s*)?$/.exec(end)?.index ??
    end.length
  const brackets = /[}\])\s]+$/.exec(end)?.index ?? end.length
  return from + Math.min(key, brackets)
}

/**
 * Whether a text ends in front of the key of the next value, which the mark behind it opens. Before the key stand the brackets
 * that close what is open inside of its object, or of the list in which that object begins. `mayFollow`: whether the call may
 * have a parameter of this name.
 */
export function endsInKey(
  tail: string,
  closers: readonly string[],
  mayFollow: (key: string) => boolean,
): boolean {
  const [, brackets = '', opener = '', key] =
    /^([}\])]*),\s*([[{]?)[\s[{]*([\w.$-]+)\s*[:=][\s[{]*(?:(?<=\{\s*)[\w.$-]+\s*[:=]\s*)?$/.exec(tail) ?? []
  const depth = closers.length - brackets.length
  if (key === undefined || depth < 1) return false
  if (brackets !== closers.slice(depth).toReversed().join('')) return false
  if (depth > 1) return (closers[depth - 1] === ']') === (opener !== '')
  return opener === '' && mayFollow(key)
}

/** How much of the tail, from its end, are brackets that close what is open. `closers`: those of the open containers, outermost first. */
export function closersAtEnd(tail: string, closers: readonly string[]): number {
  let at = tail.length
  for (const closer of closers) {
    const end = tail.slice(0, at).trimEnd()
    if (!end.endsWith(closer)) break
    at = end.length - 1
  }
  return tail.length - at
}

/**
 * Whether the end of a call, which stands in a text and ends at `behind`, is one. It is if another call begins behind it,
 * or if no mark follows that could close the text.
 */
export function endsUnclosed(markers: KeyValuesMarkers, input: TextWindow, behind: number): Probe {
  const text = input.text.slice(0, behind + LONGEST_LOOK)
  const final = input.final || input.text.length >= behind + LONGEST_LOOK
  const start = skipSpace(text, behind)
  if (start === text.length) return final ? 'yes' : 'more'
  const stop = markers.stops.match(text, start, final)
  if (stop === PARTIAL) return 'more'
  if (stop !== NONE && markers.stops.found === 'begin') return 'yes'
  const mark = markers.textMarks.find(text, behind, final)
  if (mark === PARTIAL) return 'more'
  if (mark === NONE) return final ? 'yes' : 'more'
  return /[{,]\s*[\w.$-]+\s*[:=]\s*$/.test(text.slice(behind, markers.textMarks.index)) ? 'yes' : 'no'
}
