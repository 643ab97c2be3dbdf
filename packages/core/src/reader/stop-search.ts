import { NONE, PARTIAL } from '../text/marker.ts'
import { isLineStart } from '../text/space.ts'
import type { TextWindow } from '../text/text-window.ts'
import type { Found } from './candidate.ts'
import { closesFence, readFence } from './code-fence.ts'
import type { Entry } from './lexicon/entry.ts'
import type { Lexicon } from './lexicon/lexicon.ts'
import { belongsInside, type Opening } from './lexicon/opening.ts'

/** How far the text was looked through, and whether what stands there is a stop for certain. */
interface Frontier {
  readonly kind: string
  /** Position in the stream. */
  readonly at: number
  readonly isCertain: boolean
  /** Whether a line begins there. */
  readonly isLineStart: boolean
}

/**
 * Looks ahead of a candidate for what no call goes on across: the end of the reasoning or of the code
 * fence it stands in, or the opener of another call at the start of a line. Text that merely looked
 * like a call must not swallow them.
 */
export class StopSearch {
  private readonly input: TextWindow
  private readonly lexicon: Lexicon
  /** One for each opening: what stops one kind of call may belong inside another. */
  private readonly frontiers = new Map<Opening, Frontier>()

  constructor(input: TextWindow, lexicon: Lexicon) {
    this.input = input
    this.lexicon = lexicon
  }

  /**
   * Hides what a call read as `found` must not see; `from` is behind its opener. Returns whether that
   * is a stop. Many candidates may share one stop, so the search goes on where it ended.
   */
  hide(found: Found, from: number): boolean {
    const { input } = this
    const kind = `${found.as} ${found.fence?.code} ${found.fence?.length}`
    let frontier = this.frontiers.get(found.opening)
    if (frontier === undefined || frontier.kind !== kind || frontier.at < input.base + from) {
      frontier = { kind, at: input.base + from, isCertain: false, isLineStart: false }
    }
    if (!frontier.isCertain) frontier = this.search(found, frontier)
    this.frontiers.set(found.opening, frontier)
    const at = frontier.at - input.base
    if (at < input.text.length) input.hide(at)
    return frontier.isCertain
  }

  private search(found: Found, { kind, at: start, isLineStart: before }: Frontier): Frontier {
    const { input } = this
    const { text } = input
    const from = start - input.base
    const vocabulary = found.as === 'in-reasoning' ? this.lexicon.reasoning : this.lexicon.answer
    const frontier = (at: number, isCertain: boolean): Frontier => ({
      kind,
      at: input.base + at,
      isCertain,
      isLineStart: isLineStart(text, from, at, before),
    })
    for (let at = vocabulary.nextStart(text, from); at < text.length;) {
      const length = vocabulary.match(text, at, input.final)
      if (length === PARTIAL) return frontier(at, false)
      if (length !== NONE) {
        const stops = this.stops(found, vocabulary.found, at, isLineStart(text, from, at, before))
        if (stops !== false) return frontier(at, stops === true)
      }
      at = vocabulary.nextStart(text, at + Math.max(1, length))
    }
    return frontier(text.length, false)
  }

  private stops(found: Found, entry: Entry, at: number, startsLine: boolean): boolean | 'more' {
    const { text, final } = this.input
    if (entry.is === 'reasoning-end') return found.as === 'in-reasoning'
    if (entry.is === 'opener') {
      const isOther = entry.openings.some(({ isSalvage, opens }) => !isSalvage && opens !== 'bare')
      return startsLine && isOther && !belongsInside(found.opening, text, at, final)
    }
    if (entry.is !== 'fence-mark' || found.fence === undefined || !startsLine) return false
    const run = readFence(text, at, final)
    return run === 'more' ? 'more' : closesFence(found.fence, run, text, at)
  }
}
