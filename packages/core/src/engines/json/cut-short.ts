import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE } from '../../text/marker.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Probe } from '../engine.ts'

/** How much of what stands behind arguments is looked at. */
const LONGEST_LOOK = 256

/**
 * Whether arguments that look whole ended at a quote that belongs to a text: `{"say":"He said "}" there"}`. Then the rest
 * of that text stands behind them: with a quote in it before the end marker, or with a quote and a bracket. To take them
 * for whole would run a tool with half of what was meant. `isEnd` is never true where the end marker may be left out:
 * text may follow then, and no more than its first line is looked at.
 */
export function isCutShort<T>(
  input: TextWindow,
  markers: MarkerSearch<T>,
  isEnd: ((role: T) => boolean) | undefined,
): Probe {
  const { text, isWhole } = windowOf(input, isEnd === undefined)
  const length = markers.find(text, input.at, isWhole)
  // Behind a brace another object may begin, which has quotes of its own.
  const [rest = ''] = text.slice(input.at, markers.index).split('{', 1)
  if (length > 0 && isEnd?.(markers.found) === true) return rest.includes('"') ? 'yes' : 'no'
  if (/"\s*[}\]]/.test(rest)) return 'yes'
  return length > 0 || isWhole ? 'no' : 'more'
}

function windowOf(input: TextWindow, isLine: boolean): { readonly text: string; readonly isWhole: boolean } {
  const { at, final } = input
  const isCut = input.text.length >= at + LONGEST_LOOK
  const text = input.text.slice(0, at + LONGEST_LOOK)
  const lineEnd = isLine ? text.indexOf('\n', at) : -1
  return lineEnd < 0 ? { text, isWhole: isCut || final } : { text: text.slice(0, lineEnd), isWhole: true }
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
