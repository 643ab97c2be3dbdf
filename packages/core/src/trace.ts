import type { EndReason } from './engines/engine.ts'
import type { ModelEvent } from './events.ts'
import type { FormatId } from './formats/format-id.ts'
import type { ParseOptions } from './parser.ts'
import { createObservedStage, type ObservedStage, type ParserOptions } from './parser-stage.ts'
import { type ReadRange, SourceMap, type SourceRange } from './reader/source-map.ts'
import type { Channel } from './reader/text-flow.ts'
import type { HeldReason } from './text/source-observer.ts'

/** What a stretch of a model's output became. Positions count UTF-16 units of the whole input, in the order it came. */
export interface SourceSpan extends SourceRange {
  readonly kind: ReadRange['kind'] | 'held'
  /** The index of the call that it belongs to, or null. */
  readonly call: number | null
  /** Which of the events it became, or which of them tells of it; or null. */
  readonly event: number | null
}

/** Why the end of the input was not passed on yet. */
export interface HeldSource extends SourceRange {
  readonly why: HeldReason
  readonly message: string
}

/** The events of an output, and where in it each of them comes from. */
export interface OutputTrace {
  /** The format whose syntax the output has shown, or null. */
  readonly format: FormatId | null
  /** The events, neighbouring pieces joined. */
  readonly events: readonly ModelEvent[]
  /** For each event where it comes from. A point where nothing was written for it. */
  readonly places: readonly SourceRange[]
  /** What each character became: in order, without a gap, the same for every chunking. */
  readonly spans: readonly SourceSpan[]
  readonly held: HeldSource | null
}

/** A parser that can tell at any time what each character of its input became. */
export interface Tracer {
  push(text: string, channel?: Channel): void
  end(reason?: EndReason): void
  trace(): OutputTrace
}

/** Every reason for which text is held, in words. */
export const heldReasons: Readonly<Record<HeldReason, string>> = {
  marker: 'It may become a marker.',
  markup: 'It may become markup of the call that is being read.',
  candidate: 'It may be a call; what follows decides.',
  draft: 'It may be a call inside of reasoning; what follows the reasoning decides.',
  'unnamed-call': 'It is the beginning of a call whose name is not certain yet.',
  'whole-call': 'Calls are delivered complete, and this one is not whole yet.',
  value: 'It is a part of the arguments that is only certain when it is whole.',
}

export function createTracer(options: ParserOptions = {}): Tracer {
  return new MappedParser(options)
}

/** Reads a whole output and tells what each character became. */
export function traceOutput(text: string | readonly string[], options: ParseOptions = {}): OutputTrace {
  const tracer = createTracer(options)
  for (const piece of typeof text === 'string' ? [text] : text) tracer.push(piece, options.channel)
  tracer.end(options.finishReason)
  return tracer.trace()
}

class MappedParser implements Tracer {
  readonly #map = new SourceMap()
  readonly #stage: ObservedStage
  #length = 0
  #isEnded = false

  constructor(options: ParserOptions) {
    this.#stage = createObservedStage(options, this.#map)
  }

  push(text: string, channel: Channel = 'content'): void {
    this.#stage.push(text, channel)
    this.#length += text.length
  }

  end(reason?: EndReason): void {
    this.#stage.end(reason)
    this.#isEnded = true
  }

  trace(): OutputTrace {
    const held = this.#isEnded ? undefined : this.#stage.held
    const ranges = this.#map.rangesTo(held?.from ?? Number.POSITIVE_INFINITY)
    const from = ranges.at(-1)?.to ?? 0
    const why = held?.why ?? 'markup'
    const isHeld = from < this.#length
    const rest = { from, to: this.#length }
    return {
      format: this.#stage.format,
      events: this.#map.events,
      places: this.#map.placesIn(ranges),
      spans: isHeld ? [...ranges, { ...rest, kind: 'held', call: null, event: null }] : ranges,
      held: isHeld ? { ...rest, why, message: heldReasons[why] } : null,
    }
  }
}
