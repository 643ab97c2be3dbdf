import type { ConversationRequest } from '../request/conversation-request.ts'
import type { AnswerSink, FinishReason, UpstreamCall } from './answer.ts'
import type { CallPolicy } from './calls/policy.ts'
import type { StructuredCall } from './calls/structured-call.ts'
import type { Failure } from './failure.ts'
import type { AnswerOutput } from './output.ts'

/** What the patcher of a dialect works with. */
export interface PatchOptions {
  /** Makes the policy of one choice, which writes to this sink. */
  readonly openPolicy: (sink: AnswerSink, choice: number) => CallPolicy
  readonly output: AnswerOutput
  /** Whether the client asked for the chunk with the usage. */
  readonly includeUsage: boolean
  /** `pass`: a stream that is not as it should be goes on as it came. */
  readonly faults: 'fail' | 'pass'
  /**
   * Signs reasoning that the upstream has left unsigned, in a dialect that has signatures. `text` is the reasoning itself,
   * where the client is shown none of it.
   */
  readonly signature?: ((text?: string) => string) | undefined
  /** What an answer is known by that the upstream has not begun, in a dialect that has a beginning. */
  readonly head?: (() => AnswerHead) | undefined
  readonly onWarning?: ((message: string) => void) | undefined
  /** What the client asked for: it may know a tool under another name than the upstream. */
  readonly request?: ConversationRequest | undefined
}

export interface AnswerHead {
  readonly id: string
  /** The name by which the client asked. */
  readonly model: string
  /** Seconds. */
  readonly created: number
}

/** A piece of what an answer says, in order. */
export type Piece =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'reasoning'; readonly text: string }
  | {
      readonly is: 'call'
      readonly index: number
      readonly id: string
      readonly name: string
      /** Null for a call in the text. */
      readonly call: UpstreamCall | null
    }
  | { readonly is: 'arguments'; readonly index: number; readonly json: string }
  | { readonly is: 'call-end'; readonly index: number }
  /** `index` is the place of the call that it is a part of. */
  | { readonly is: 'other'; readonly item: unknown; readonly index: number | null }

/** Equal to nothing that the policy makes: an event that says this never passes as it came. */
export const neverAsItCame: Piece = { is: 'other', item: Symbol('never as it came'), index: null }

/** How the policy ended the answer. */
export type PolicyEnd =
  | { readonly is: 'open' }
  | { readonly is: 'finished'; readonly reason: FinishReason; readonly stopSequence: string | null }
  | { readonly is: 'failed'; readonly failure: Failure }

/** Collects what the policy makes of an event, for a patcher to compare it with what the event itself says. */
export class PieceCollector implements AnswerSink {
  ending: PolicyEnd = { is: 'open' }
  private pieces: Piece[] = []
  private readonly counting: 'as the client' | 'as the upstream'
  /** The number of the call at hand. */
  private index = 0

  /**
   * By which number pieces name their call: a dialect that writes numbers compares those that the client knows; in any other
   * a call is known by its place among those that came.
   */
  constructor(counting: 'as the client' | 'as the upstream') {
    this.counting = counting
  }

  /** What was said since the last call, neighbours of one kind joined. */
  take(): readonly Piece[] {
    const { pieces } = this
    if (pieces.length === 0) return nothing
    this.pieces = []
    return pieces.length === 1 ? pieces : joinPieces(pieces)
  }

  readonly takesOther = true

  start(): void {}

  text(text: string): void {
    this.pieces.push({ is: 'text', text })
  }

  reasoning(text: string): void {
    this.pieces.push({ is: 'reasoning', text })
  }

  /** A proof stays where the upstream's own event has it. */
  reasoningProof(): void {}

  callStart(index: number, id: string, name: string, call?: UpstreamCall): void {
    this.index = this.counting === 'as the client' ? index : (call?.ordinal ?? inBand)
    this.pieces.push({ is: 'call', index: this.index, id, name, call: call ?? null })
  }

  callDelta(_index: number, json: string): void {
    this.pieces.push({ is: 'arguments', index: this.index, json })
  }

  callEnd(): void {
    this.pieces.push({ is: 'call-end', index: this.index })
  }

  other(item: unknown, callIndex: number | null): void {
    this.pieces.push({ is: 'other', item, index: callIndex })
  }

  usage(): void {}

  finish(reason: FinishReason, stopSequence: string | null): void {
    this.ending = { is: 'finished', reason, stopSequence }
  }

  fail(failure: Failure): void {
    this.ending = { is: 'failed', failure }
  }

  end(): void {}

  problem(): void {}

  repair(): void {}
}

/** The number of a call in the text where calls are counted as they came: no event says it. */
const inBand = -1

/** What becomes of the events of the upstream that were looked at. */
export type Verdict<Event> =
  /** They say what the client is to get, and pass as they came. */
  | { readonly is: 'pass'; readonly events: readonly Event[] }
  /** They say a part of a call that is not certain yet. */
  | { readonly is: 'wait' }
  /** The last of them is to say these pieces instead of its own, and those before it nothing. */
  | { readonly is: 'edit'; readonly silent: readonly Event[]; readonly pieces: readonly Piece[] }

/**
 * Compares what the events of an upstream say with what the policy makes of them. Arguments of a call are certain only
 * when more has come: a comma may be a trailing one. Such an event waits for the next, so that both can pass as they
 * came where nothing has to change.
 */
export class Comparison<Event> {
  private waiting: { readonly event: Event; readonly said: readonly Piece[] }[] = []
  private made: Piece[] = []

  get isWaiting(): boolean {
    return this.waiting.length > 0
  }

  /** `said` is what the event says, `made` what the policy made of it. */
  take(event: Event, said: readonly Piece[], made: readonly Piece[]): Verdict<Event> {
    if (this.waiting.length === 0) {
      const verdict = this.compare(joinPieces(said), made)
      if (verdict === 'same') return { is: 'pass', events: [event] }
      if (verdict === 'other') return { is: 'edit', silent: [], pieces: made }
    }
    this.waiting.push({ event, said })
    for (const piece of made) this.made.push(piece)
    const verdict = this.waiting.length > mostWaiting ? 'other' : this.compareAll()
    if (verdict === 'other') {
      const silent = this.waiting.slice(0, -1).map((each) => each.event)
      return { is: 'edit', silent, pieces: this.takeMade() }
    }
    const events = this.takeCovered()
    return events.length === 0 ? { is: 'wait' } : { is: 'pass', events }
  }

  /** Nothing more is said: what becomes of those that wait, with the last that was made. All of them are silent then. */
  settle(made: readonly Piece[]): Exclude<Verdict<Event>, { is: 'wait' }> {
    const events = this.waiting.map(({ event }) => event)
    for (const piece of made) this.made.push(piece)
    if (this.compareAll() !== 'same') return { is: 'edit', silent: events, pieces: this.takeMade() }
    this.clear()
    return { is: 'pass', events }
  }

  private compareAll(): 'same' | 'begun' | 'other' {
    return this.compare(joinPieces(this.waiting.flatMap(({ said }) => said)), joinPieces(this.made))
  }

  /** The events, from the first on, all of which has been made. */
  private takeCovered(): readonly Event[] {
    const made = joinPieces(this.made)
    const covered: Event[] = []
    let at = 0
    for (const { event, said } of this.waiting) {
      const next = this.behind(said, made, at)
      if (next === null) break
      at = next
      covered.push(event)
    }
    this.made = at === 0 ? made : made.slice(at)
    this.waiting.splice(0, covered.length)
    return covered
  }

  /**
   * Where in what was made the rest begins, when what was said is taken from there; null where it does not begin so. Of
   * arguments that were made further than they were said, the rest takes their place.
   */
  private behind(said: readonly Piece[], made: Piece[], start: number): number | null {
    let at = start
    let cut: Piece | null = null
    for (const own of joinPieces(said)) {
      const piece: Piece | undefined = cut ?? made[at]
      if (piece === undefined) return null
      if (equalPieces(own, piece)) {
        at++
        cut = null
      } else if (piece.is === 'arguments' && own.is === 'arguments' && this.isBeginning(own, piece)) {
        cut = { ...piece, json: piece.json.slice(own.json.length) }
      } else {
        return null
      }
    }
    if (cut !== null) made[at] = cut
    return at
  }

  /** `begun`: what was made is the beginning of what was said, and the rest of it is a call. */
  private compare(said: readonly Piece[], made: readonly Piece[]): 'same' | 'begun' | 'other' {
    if (made.length > said.length) return 'other'
    // Text does not wait for a call beside it.
    const mayWait = said.every(isOfCall)
    for (const [at, piece] of made.entries()) {
      const own = said[at]
      if (own === undefined) return 'other'
      if (equalPieces(own, piece)) continue
      const isBeginning = at === made.length - 1 && this.isBeginning(piece, own)
      return isBeginning && mayWait ? 'begun' : 'other'
    }
    if (made.length === said.length) return 'same'
    return mayWait ? 'begun' : 'other'
  }

  private isBeginning(piece: Piece, whole: Piece): boolean {
    if (piece.is !== 'arguments' || whole.is !== 'arguments') return false
    return whole.json.startsWith(piece.json) && equalPieces({ ...whole, json: piece.json }, piece)
  }

  private takeMade(): readonly Piece[] {
    const pieces = joinPieces(this.made)
    this.clear()
    return pieces
  }

  private clear(): void {
    this.waiting = []
    this.made = []
  }
}

/** What events say of the arguments of calls. White space around them is no part of them, and passes where they do. */
export class SaidArguments {
  private readonly begun = new WeakSet<StructuredCall>()

  /** To be asked once for each delta, when the policy has read it. */
  textOf(delta: string, call: StructuredCall): string {
    const text = this.begun.has(call) ? delta : delta.trimStart()
    if (text !== '') this.begun.add(call)
    return call.isWhole ? text.trimEnd() : text
  }
}

/** A call that is put right waits for its end, which may be megabytes away; its events need not. */
const mostWaiting = 8

function equalPieces(a: Piece, b: Piece): boolean {
  switch (a.is) {
    case 'text':
    case 'reasoning':
      return b.is === a.is && a.text === b.text
    case 'call':
      return b.is === 'call' && a.index === b.index && a.id === b.id && a.name === b.name
    case 'arguments':
      return b.is === 'arguments' && a.index === b.index && a.json === b.json
    case 'call-end':
      return b.is === 'call-end' && a.index === b.index
    case 'other':
      return b.is === 'other' && a.item === b.item && a.index === b.index
  }
}

function isOfCall({ is }: Piece): boolean {
  return is === 'call' || is === 'arguments' || is === 'call-end'
}

const nothing: readonly Piece[] = []

/** The same pieces with neighbouring texts of one kind joined. */
function joinPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (piece.is === 'text' && last?.is === 'text') {
      joined[joined.length - 1] = { is: 'text', text: last.text + piece.text }
    } else if (piece.is === 'reasoning' && last?.is === 'reasoning') {
      joined[joined.length - 1] = { is: 'reasoning', text: last.text + piece.text }
    } else if (piece.is === 'arguments' && last?.is === 'arguments' && last.index === piece.index) {
      joined[joined.length - 1] = { is: 'arguments', index: last.index, json: last.json + piece.json }
    } else {
      joined.push(piece)
    }
  }
  return joined
}
