import type { SseEvent } from '../sse/items.ts'
import { flatCopy } from '../text/held-text.ts'

/** A place in an event at which the next may have something else. */
export interface Gap {
  readonly start: number
  readonly end: number
  /**
   * `text`: what the event says. `letters`: a string that means nothing. `digits`: a number that means nothing by itself.
   * `count`: a number that is one more in each event.
   */
  readonly holds: 'text' | 'letters' | 'digits' | 'count'
}

/**
 * The events of a stream differ in little but their text. Once one was parsed, the next that is the same around its gaps need
 * not be: its text is cut out. Anything else is left to the parser.
 */
export class KnownEvents {
  /** The text of the events that were matched last, and where in it the text of each ends. */
  content = ''
  ends: readonly number[] = []
  private state: 'unknown' | 'known' | 'paused' = 'unknown'
  /** What stands around the gaps; one more than there are gaps. */
  private around: readonly string[] = []
  private gaps: readonly Gap['holds'][] = []
  /** Where each of the events that were matched last ends. */
  private places: readonly number[] = []
  /** How many are looked at together where they have to pass: more and more, until one of them does not. */
  private atOnce = 1
  /** Where the text of the last of them stands. */
  private textStart = 0
  private textEnd = 0

  /** Nothing matches until the next event is learned: what came in between may have changed what such an event means. */
  pause(): void {
    if (this.state === 'known') this.state = 'paused'
  }

  /** Remembers what surrounds the gaps of this event, which stand in order. */
  learn(source: string, gaps: readonly Gap[]): void {
    const isSame = this.state !== 'unknown' && this.matchOne(source, 0, null) === source.length
    this.state = 'known'
    if (isSame) return
    // Cut out of the source they would keep it alive, and be slower to compare.
    this.around = [...gaps, null].map((gap, at) =>
      flatCopy(source.slice(gaps[at - 1]?.end ?? 0, gap?.start ?? source.length)),
    )
    this.gaps = gaps.map(({ holds }) => holds)
  }

  /**
   * Where the last of the events ends that begin at `at` and are known but for their gaps; else `at`. `count` is the number
   * that the first of them has to have, where they have one.
   */
  match(text: string, at: number, limit: number, most = Infinity, count: number | null = null): number {
    if (this.state !== 'known') return at
    const places: number[] = []
    const ends: number[] = []
    let content = ''
    let next = at
    while (places.length < most) {
      const end = this.matchOne(text, next, count === null ? null : count + places.length)
      if (end === NONE || end - next > limit) break
      content += text.slice(this.textStart, this.textEnd)
      next = end
      places.push(end)
      ends.push(content.length)
    }
    this.content = content
    this.ends = ends
    this.places = places
    return next
  }

  /**
   * The same as far as the events go on as they came. `countPassing` tells of their texts how many do, from the first on.
   */
  matchPassing(
    text: string,
    at: number,
    limit: number,
    countPassing: (content: string, ends: readonly number[]) => number,
    count: number | null = null,
  ): number {
    const next = this.match(text, at, limit, this.atOnce, count)
    if (next === at) return at
    const passing = countPassing(this.content, this.ends)
    if (passing === this.ends.length) {
      this.atOnce = Math.min(2 * this.atOnce, MOST_AT_ONCE)
      return next
    }
    // Something in the next may have to change: what was looked at behind it is looked at again.
    this.atOnce = 1
    this.ends = this.ends.slice(0, passing)
    this.content = this.content.slice(0, this.ends.at(-1) ?? 0)
    return passing === 0 ? at : (this.places[passing - 1] ?? at)
  }

  private matchOne(text: string, start: number, count: number | null): number {
    const { around, gaps } = this
    let at = start
    for (let place = 0; place < around.length; place++) {
      const literal = around[place] ?? ''
      const end = at + literal.length
      // Compared as slices: that is several times as fast as `startsWith`.
      if (text.slice(at, end) !== literal) return NONE
      const gap = gaps[place]
      at = gap === undefined ? end : this.gapEnd(text, end, gap, count)
      if (at === NONE) return NONE
    }
    return at
  }

  private gapEnd(text: string, start: number, holds: Gap['holds'], count: number | null): number {
    switch (holds) {
      case 'text':
        this.textStart = start
        this.textEnd = plainEnd(text, start)
        return this.textEnd
      case 'letters':
        return plainEnd(text, start)
      case 'digits':
      case 'count': {
        const end = digitsEnd(text, start)
        const isOther = holds === 'count' && count !== null && text.slice(start, end) !== String(count)
        return end === start || isOther ? NONE : end
      }
    }
  }
}

const NONE = -1
const MOST_AT_ONCE = 1024

/** Whether an event is its name and its data, each written as usual, and nothing else. */
export function isPlainlyWritten({ source, data }: SseEvent): boolean {
  const end = `data: ${data}\n\n`
  return source.endsWith(end) && /^(?:event: .*\n)?$/.test(source.slice(0, -end.length))
}

/** The gap of a field whose value is this; null where the field stands there twice, or is written otherwise. */
export function gapOf(source: string, field: string, value: string): Gap | null {
  const key = `"${field}":`
  const at = source.indexOf(key)
  if (at < 0 || source.indexOf(key, at + 1) >= 0) return null
  const start = at + key.length + (source.charAt(at + key.length) === ' ' ? 1 : 0)
  const literal = JSON.stringify(value)
  if (!source.startsWith(literal, start)) return null
  return { start: start + 1, end: start + literal.length - 1, holds: 'text' }
}

/** The gaps of all fields whose names the pattern finds, and whose values are whole numbers. It needs the flag `g`. */
export function numberGaps(source: string, pattern: RegExp, holds: 'digits' | 'count'): Gap[] {
  return [...source.matchAll(pattern)].flatMap((found) => {
    const start = found.index + found[0].length
    const end = digitsEnd(source, start)
    return end === start ? [] : [{ start, end, holds }]
  })
}

/**
 * The end of text that stands in JSON as it is: no quote, no escape, no control character, and none of the two characters
 * that end a line for some clients.
 */
function plainEnd(text: string, start: number): number {
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    // Past the end the code is NaN, which no comparison holds for.
    if (!(code >= 32) || code === 34 || code === 92 || code === 0x2028 || code === 0x2029) return at
    at++
  }
}

function digitsEnd(text: string, start: number): number {
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    if (!(code >= 48 && code <= 57)) return at
    at++
  }
}
