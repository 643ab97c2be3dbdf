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
  const key = /[}\])]*,\s*[\w.$-]*\s*[:=]?\s*\[?$/.exec(end)?.index ?? end.length
  const brackets = /[}\])\s]+$/.exec(end)?.index ?? end.length
  return from + Math.min(key, brackets)
}

/**
 * The key that a text ends in front of, where the mark behind it opens the next value: behind the brackets that close what is
 * open inside of the object that it is a key of. `depth`: of that object; 1 is that of all the arguments.
 */
export function keyAtEnd(
  tail: string,
  closers: readonly string[],
): { readonly key: string; readonly depth: number } | undefined {
  const [, brackets = '', key] = /^([}\])]*),\s*([\w.$-]+)\s*[:=]\s*\[?$/.exec(tail) ?? []
  const depth = closers.length - brackets.length
  const isClosed = brackets === closers.slice(depth).toReversed().join('')
  return key !== undefined && depth > 0 && isClosed && closers[depth - 1] !== ']' ? { key, depth } : undefined
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
  const isCut = input.text.length >= behind + LONGEST_LOOK
  const text = isCut ? input.text.slice(0, behind + LONGEST_LOOK) : input.text
  const final = isCut || input.final
  const start = skipSpace(text, behind)
  if (start === text.length) return final ? 'yes' : 'more'
  const begin = markers.begins.match(text, start, final)
  if (begin !== NONE) return begin === PARTIAL ? 'more' : 'yes'
  const mark = markers.textMarks.find(text, behind, final)
  if (mark === PARTIAL) return 'more'
  if (mark === NONE) return final ? 'yes' : 'more'
  return /[{,]\s*[\w.$-]+\s*[:=]\s*$/.test(text.slice(behind, markers.textMarks.index)) ? 'yes' : 'no'
}
