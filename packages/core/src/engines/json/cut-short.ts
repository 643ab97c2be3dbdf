import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Probe } from '../engine.ts'

/** How much of what stands behind arguments is looked at. */
const LONGEST_LOOK = 256

/**
 * Whether arguments that look whole ended at a quote that belongs to a text: `{"say":"He said "}" there"}`. Then the rest
 * of that text stands behind them, with a quote in it before the end marker, or with a quote and a bracket. To take them
 * for whole would run a tool with half of what was meant.
 */
export function isCutShort(input: TextWindow, ends: MarkerSearch<unknown>): Probe {
  const isCut = input.text.length >= input.at + LONGEST_LOOK
  const text = isCut ? input.text.slice(0, input.at + LONGEST_LOOK) : input.text
  const length = ends.find(text, input.at, isCut || input.final)
  // Behind a brace another object may begin, which has quotes of its own.
  const [rest = ''] = text.slice(input.at, ends.index).split('{', 1)
  if (length === PARTIAL) return 'more'
  if (length !== NONE) return rest.includes('"') ? 'yes' : 'no'
  if (/"\s*[}\]]/.test(rest)) return 'yes'
  return isCut || input.final || rest.includes('\n') ? 'no' : 'more'
}

/**
 * Where in the source of broken arguments the call ended: at the last end marker with the beginning of something else
 * behind it. No text holds both, but a string that was never closed runs over them. -1: nowhere.
 */
export function findSwallowedEnd<T>(
  source: string,
  markers: MarkerSearch<T>,
  isEnd: (role: T) => boolean,
  begins: (role: T) => boolean,
): number {
  let found = -1
  let end = -1
  let behindEnd = -1
  for (let at = 0; at < source.length; at = markers.index + 1) {
    const length = markers.find(source, at, true)
    if (length === NONE) break
    const { index, found: role } = markers
    const isNext = behindEnd >= 0 && source.slice(behindEnd, index).trim() === ''
    if (isNext && begins(role)) found = end
    if (isEnd(role)) {
      if (!isNext) end = index
      behindEnd = index + length
    }
  }
  return found
}
