import { EventCollector, replay, type Sink } from '../events.ts'
import { type ProblemCode, problemCodes, type RepairCode, repairCodes } from '../problems.ts'
import { HeldText } from '../text/held-text.ts'
import type { SourceRecording, TextWindow } from '../text/text-window.ts'
import { prefixWithin } from '../text/utf8.ts'
import type { ToolSet } from './tool-set.ts'

const modeOf = { text: 'content', reasoning: 'reasoning' } as const

/** How much of a call's source a problem shows once its arguments are already on their way. */
const SHOWN_SOURCE = 2048

export interface CallWriterOptions {
  readonly delivery: 'incremental' | 'complete'
  readonly toolCallBytes: number
  /** In place of it, by the format of a call. */
  readonly limitOf: ReadonlyMap<string, number>
  readonly overflow: 'error' | 'flush'
}

/**
 * What engines write calls to. It keeps the source of a call until the call is certain, numbers the
 * calls, and gives out as text what turns out to be no call.
 */
export class CallWriter {
  sink: Sink
  /** How many calls were begun on the sink: the index of the next one. */
  made = 0
  /** Told when the client sees a call begin. */
  onStart: () => void = () => {}
  /** What becomes of markup that turns out to be no call. */
  fallback: 'text' | 'reasoning' = 'text'
  /** How many bytes of a call may be held. */
  limit: number
  private readonly input: TextWindow
  private readonly tools: ToolSet
  private readonly options: CallWriterOptions
  private state: 'idle' | 'begun' | 'started' = 'idle'
  private recording: SourceRecording | undefined
  /** What is held back right now, if that is less than the whole call. */
  private hold: SourceRecording | undefined
  /** A call that is held until it is whole. */
  private pending: { id: string | null; name: string; json: HeldText } | undefined
  /** What there is to say about a call that the client has not seen yet, and may never see. */
  private readonly notes = new EventCollector()

  constructor(input: TextWindow, sink: Sink, tools: ToolSet, options: CallWriterOptions) {
    this.input = input
    this.sink = sink
    this.tools = tools
    this.options = options
    this.limit = options.toolCallBytes
  }

  get isStarted(): boolean {
    return this.state === 'started'
  }

  /** Whether the client has seen the start of the call: then its source is no longer text. */
  get isSeen(): boolean {
    return this.state === 'started' && this.pending === undefined
  }

  get isIdle(): boolean {
    return this.state === 'idle'
  }

  /** The markup of a call begins at `from`. */
  begin(from = this.input.at): void {
    this.recording = this.input.record(from)
    this.state = 'begun'
    this.input.observer?.callBegins(this.made, this.input.base + from)
  }

  /** The call has a name. Returns it as the client declared it. */
  start(id: string | null, name: string): string {
    if (this.isOver()) return name
    const known = this.declaredName(name)
    if (this.tools.isKnown && !this.tools.has(known)) {
      this.sink.problem('unknown-tool', `The model called "${known}", which was not offered.`, name)
    }
    if (known !== name && !name.startsWith('functions.')) this.repair('namespace')
    this.state = 'started'
    if (this.options.delivery === 'complete') {
      this.pending = { id, name: known, json: new HeldText() }
    } else {
      this.recording?.keepTail(SHOWN_SOURCE)
      this.onStart()
      this.sink.callStart(this.made++, id, known)
      replay(this.notes.take(), this.sink)
    }
    return known
  }

  delta(json: string): void {
    if (json === '' || this.state !== 'started') return
    if (this.pending === undefined) this.sink.callDelta(this.made - 1, json)
    else this.pending.json.add(json)
  }

  /** The call is whole. */
  end(): void {
    if (this.state !== 'started') return
    if (this.pending !== undefined) {
      // Held too long, even if it is whole now: the same call in small chunks was refused.
      if (this.isOver()) return
      this.onStart()
      this.sink.callStart(this.made++, this.pending.id, this.pending.name)
      for (const json of this.pending.json.takePieces()) this.sink.callDelta(this.made - 1, json)
      replay(this.notes.take(), this.sink)
    }
    this.sink.callEnd(this.made - 1, true)
    this.close()
    this.input.observer?.callEnds(this.input.position)
  }

  /** The call is whole, but its end marker is missing. */
  endUnclosed(): void {
    const held = this.release()
    this.end()
    this.reportUnclosed(held)
  }

  /** `source`: what stands where the closing marker should. */
  reportUnclosed(source = ''): void {
    this.sink.problem('unclosed-call', problemCodes['unclosed-call'], source)
  }

  /** Gives the call up. The report shows what was held back, or else the end of what was sent on. */
  fail(code: ProblemCode, message: string = problemCodes[code]): void {
    if (this.isOver()) return
    const call = this.close()
    const { observer, position } = this.input
    if (call.isOnSink) {
      this.sink.callEnd(this.made - 1, false)
      observer?.callFails(position - call.held.length, position)
      this.sink.problem(code, message, call.held || call.source)
    } else {
      this.sink[this.fallback](call.source)
      observer?.passed(modeOf[this.fallback], position - call.source.length, position)
      this.sink.problem(code, message, call.source)
    }
  }

  /** Forgets the call at hand: its source will be read again. */
  abandon(): void {
    this.close()
    this.input.observer?.callIsNone(this.input.position)
  }

  /** From here on input is collected and not sent on: it counts against the limit. So does `before`, read just now. */
  holdBack(before = ''): void {
    this.hold ??= this.input.record(this.input.at, before)
  }

  /** What was collected has been sent on. Returns its source. */
  release(): string {
    const held = this.hold === undefined ? '' : this.input.stop(this.hold)
    this.hold = undefined
    return held
  }

  /** Puts what was collected back into the input, to be read in another way. What is over the limit stays held. */
  giveBack(): void {
    if (!this.isOver()) this.input.unread(this.release())
  }

  /**
   * Puts back what was read of the call from where `find` says, in the last `length` characters of its source. Returns
   * whether it did. Only as much of the source as is always kept is looked at: more would depend on the chunks. All that
   * was held is put back too, so that whoever reads on can report it; at the end of the stream nobody does.
   */
  giveBackFrom(length: number, find: (source: string) => number): boolean {
    if (this.isOver() || this.recording === undefined) return false
    const kept = Math.min(length, SHOWN_SOURCE)
    const source = kept === 0 ? '' : this.recording.peek(this.input).slice(-kept)
    const at = find(source)
    if (at < 0) return false
    const isHeld = !this.input.final && (this.hold?.lengthAt(this.input) ?? 0) >= source.length - at
    const held = this.release()
    this.input.unread(isHeld ? held : source.slice(at))
    return true
  }

  /** Text inside or between calls that belongs to no call. */
  stray(text: string): void {
    this.sink.text(text)
    this.input.observer?.strayed(text)
    this.sink.problem('stray-text', problemCodes['stray-text'], text)
  }

  problem(code: ProblemCode, message: string, source: string): void {
    this.noteSink.problem(code, message, source)
  }

  repair(code: RepairCode, message: string = repairCodes[code]): void {
    this.noteSink.repair(code, message)
  }

  /** What was passed last is left out: it is markup in the wrong place. */
  removed(code: RepairCode, length: number): void {
    const { observer, position } = this.input
    observer?.removed(code, position - length, position)
    this.repair(code)
  }

  /**
   * Whether more is held than the limit allows. Whoever ends a hold has to ask first: in one large
   * chunk a hold may begin and end at once, and must be refused as it is in small ones.
   */
  isOver(): boolean {
    const held = this.heldRecording()
    if (held === undefined) return false
    const { limit } = this
    // A UTF-16 unit takes at most three bytes; most calls are far below the limit.
    const length = held.lengthAt(this.input)
    return length * 3 > limit && (length > limit || held.bytesAt(this.input) > limit)
  }

  /**
   * Ends the call because it is over the limit; what lies beyond the limit is read again, as text. Returns
   * what went out as text.
   */
  overflow(): string {
    const { limit } = this
    const held = this.heldRecording()?.peek(this.input) ?? ''
    const cut = prefixWithin(held, limit)
    const kept = held.slice(0, cut)
    const { isOnSink } = this.close()
    this.input.unread(held.slice(cut))
    const { observer, position } = this.input
    const message = `More than ${limit} bytes of a tool call were held back (limits.toolCallBytes).`
    if (isOnSink) {
      this.sink.callEnd(this.made - 1, false)
      observer?.callFails(position - kept.length, position)
      this.sink.problem('overflow', message, kept)
      return ''
    }
    this.sink[this.fallback](kept)
    observer?.passed(modeOf[this.fallback], position - kept.length, position)
    if (this.options.overflow === 'flush') this.sink.repair('flushed', message)
    else this.sink.problem('overflow', message, kept.slice(0, SHOWN_SOURCE))
    return kept
  }

  /** Where in the stream begins what is held of the call at hand, and why it is held. */
  get held(): { readonly from: number; readonly why: 'unnamed-call' | 'whole-call' | 'value' } | undefined {
    const held = this.heldRecording()
    if (held === undefined) return undefined
    const why = this.pending !== undefined ? 'whole-call' : this.state === 'begun' ? 'unnamed-call' : 'value'
    return { from: this.input.position - held.lengthAt(this.input), why }
  }

  private get noteSink(): Sink {
    return this.state === 'idle' || this.isSeen ? this.sink : this.notes
  }

  private close(): { source: string; held: string; isOnSink: boolean } {
    const isOnSink = this.isSeen
    const held = this.release()
    const source = this.recording === undefined ? '' : this.input.stop(this.recording)
    this.recording = undefined
    this.pending = undefined
    this.notes.take()
    this.state = 'idle'
    return { source, held, isOnSink }
  }

  private heldRecording(): SourceRecording | undefined {
    return this.state === 'begun' || this.pending !== undefined ? this.recording : this.hold
  }

  /** `functions.read`, `files::read` and `files/read` are `read` when that is what the client declared: only then can it find its tool. */
  private declaredName(name: string): string {
    if (this.tools.has(name)) return name
    const half = name.slice(0, name.length >> 1)
    // A tool that was offered as the only one of a namespace of its own name.
    if (half !== '' && name === `${half}.${half}` && this.tools.has(half)) return half
    const inNamespace = /(?:\/|::)([^/:]+)$/.exec(name)?.[1]
    if (inNamespace !== undefined && this.tools.has(inNamespace)) return inNamespace
    if (!name.startsWith('functions.')) return name
    const bare = name.slice('functions.'.length)
    return bare !== '' && (!this.tools.isKnown || this.tools.has(bare)) ? bare : name
  }
}
