import { coalesce, type ModelEvent, repairEvent } from '../../../events.ts'
import type { FormatId } from '../../../formats/format-id.ts'
import { problemCodes } from '../../../problems.ts'
import type { AnswerIds } from '../../../answer/ids.ts'
import type { CallDelivery } from '../../../answer/calls/order.ts'
import type { Failure } from '../../../answer/answer.ts'
import type { DeclaredTools } from '../../../answer/calls/declared-tools.ts'
import { ClientNames } from './client-names.ts'
import type { DeltaParts, Piece } from './delta.ts'
import { HeldCalls, type ReleasedCalls } from './held-calls.ts'
import { StructuredCalls, type Ending } from './structured-calls.ts'

/** What reads the text of one choice: a `PushParser` does. */
export interface TextParser {
  /** The format whose syntax the stream has shown, or null before it has. */
  readonly format: FormatId | null
  /** Content in pieces that end there: how many of them, from the first on, would go on as they are. */
  countPassing?(text: string, ends: readonly number[]): number
  push(text: string, channel?: 'content' | 'reasoning'): ModelEvent[]
  end(reason?: 'stop' | 'length' | 'tool_calls' | 'error'): ModelEvent[]
}

/** How the upstream ended a choice: with a `finish_reason`, with `[DONE]` alone, or not at all. */
export type UpstreamEnd =
  | { readonly by: 'finish-reason'; readonly reason: string }
  | { readonly by: 'done' }
  | { readonly by: 'cut' }

export interface ChoiceEnd {
  /** What was held back, to be sent before the end. */
  readonly pieces: readonly Piece[]
  /** Null where none is sent. */
  readonly finishReason: string | null
  readonly failure: Failure | null
}

export type RecordedEvent = Extract<ModelEvent, { type: 'problem' | 'repair' }>

export interface ChoiceReaderOptions {
  readonly parser: TextParser
  readonly ids: AnswerIds
  /** With `complete` a call waits until it is whole, and one whose arguments are not JSON fails the answer. */
  readonly delivery: CallDelivery
  /** Whether `[DONE]` alone ends a choice in which nothing is wrong; otherwise it gets no finish reason. */
  readonly finishesByDone?: boolean
  /** Asked for where a call has come. Undefined: nobody knows the tools. */
  readonly declaredTools?: (() => DeclaredTools) | undefined
  /** The name by which the client knows a tool. */
  readonly clientToolName?: ((name: string) => string) | undefined
  readonly onCall?: ((name: string) => void) | undefined
  readonly record: (event: RecordedEvent) => void
  readonly warn: (message: string) => void
}

/** One choice of a stream: its parser, its calls, and which kind of call came first. */
export class ChoiceReader {
  private readonly options: ChoiceReaderOptions
  /** The first kind of call wins; calls of the other kind repeat it, or are left over from it. */
  private callsCome: 'not yet' | 'in the text' | 'structured' = 'not yet'
  private readonly written: WrittenCall[] = []
  private readonly structured: StructuredCalls
  private readonly held = new HeldCalls()
  private readonly names: ClientNames
  private brokenCall: WrittenCall | undefined
  /** What is wrong with it: the first problem that is told behind it. */
  private flaw = ''
  /** Why the answer cannot become a whole one any more. */
  failure: Failure | null = null

  constructor(options: ChoiceReaderOptions) {
    this.options = options
    this.structured = new StructuredCalls(options)
    this.names = new ClientNames(options)
  }

  read(parts: DeltaParts): Piece[] {
    const { parser } = this.options
    const pieces: Piece[] = []
    if (parts.reasoning !== null) this.take(parser.push(parts.reasoning, 'reasoning'), pieces)
    if (parts.content !== null) this.take(parser.push(parts.content, 'content'), pieces)
    if (parts.toolCalls !== null) this.takeStructured(this.structured.read(parts.toolCalls), pieces)
    if (parts.functionCall !== null) {
      this.takeStructured(this.structured.readLegacy(parts.functionCall), pieces)
    }
    return this.names.inPieces(pieces)
  }

  countPassing(text: string, ends: readonly number[]): number {
    return this.options.parser.countPassing?.(text, ends) ?? 0
  }

  /** Content alone. Null where it goes to the client as it came. */
  readContent(text: string): Piece[] | null {
    if (text === '') return null
    const events = this.options.parser.push(text, 'content')
    const [only] = events
    if (events.length === 1 && only?.type === 'text' && only.text === text) return null
    const pieces: Piece[] = []
    this.take(events, pieces)
    return this.names.inPieces(pieces)
  }

  end(upstream: UpstreamEnd): ChoiceEnd {
    const pieces: Piece[] = []
    this.take(this.options.parser.end(parserReason(upstream)), pieces)
    const rest = this.structured.end(endingOf(upstream))
    for (const entry of rest.entries) this.takeStructured([entry], pieces)
    const { calls, dropped } = this.releaseHeld()
    for (const call of calls) pieces.push({ type: 'calls', calls: [call] })
    for (const record of this.structured.records(dropped)) this.options.record(record)
    for (const text of rest.texts) pieces.push({ type: 'content', text })
    for (const json of this.structured.nameless()) this.takeNameless(json, pieces)
    this.failure ??= rest.failure
    return { pieces: this.names.inPieces(pieces), ...this.outcome(upstream) }
  }

  private take(events: readonly ModelEvent[], pieces: Piece[]): void {
    for (const event of coalesce(events)) {
      switch (event.type) {
        case 'text':
          pieces.push({ type: 'content', text: event.text })
          break
        case 'reasoning':
          pieces.push({ type: 'reasoning', text: event.text })
          break
        case 'problem':
        case 'repair':
          this.takeRecord(event)
          break
        default:
          if (this.callsCome !== 'structured') this.takeWritten(event, pieces)
          else if (event.type === 'call-start') this.options.record(repairEvent('residue'))
      }
    }
  }

  private takeWritten(event: CallEvent, pieces: Piece[]): void {
    const { index } = event
    if (event.type === 'call-start') {
      this.callsCome = 'in the text'
      const { name } = event
      const id = this.options.ids.mint(this.options.parser.format ?? 'std')
      this.written.push({ name, pieces: [], isComplete: false })
      pieces.push({
        type: 'calls',
        calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
      })
      return
    }
    const call = this.written[index]
    if (call === undefined) return
    if (event.type === 'call-delta') {
      call.pieces.push(event.json)
      pieces.push({ type: 'calls', calls: [{ index, function: { arguments: event.json } }] })
    } else {
      call.isComplete = event.complete
      if (!event.complete) this.brokenCall ??= call
    }
  }

  private takeRecord(event: RecordedEvent): void {
    this.options.record(event)
    if (event.type === 'repair') return
    if (this.brokenCall !== undefined) this.flaw ||= event.message
    if (this.callsCome === 'structured') return
    if (event.code === 'overflow') {
      this.failure ??= { kind: 'upstream', code: 'tool_call_too_large', message: event.message }
    } else if (event.code === 'invalid-arguments' && this.options.delivery === 'complete') {
      this.failure ??= { kind: 'upstream', code: 'invalid_tool_arguments', message: event.message }
    }
  }

  private takeStructured(entries: readonly unknown[], pieces: Piece[]): void {
    if (this.structured.heldLength + this.held.length > HELD_LIMIT) {
      const message = `More than ${HELD_LIMIT} characters of tool calls had to wait.`
      this.failure ??= { kind: 'upstream', code: 'tool_call_too_large', message }
    }
    if (entries.length === 0) return
    if (this.callsCome === 'not yet') this.callsCome = 'structured'
    const isHeld = this.callsCome === 'in the text' || this.options.delivery === 'complete'
    if (isHeld) this.held.hold(entries)
    else pieces.push({ type: 'calls', calls: entries })
  }

  /** Nobody can tell which tool is meant: what it was to be given is all there is to show. */
  private takeNameless(json: string, pieces: Piece[]): void {
    const code = 'unresolved-name'
    this.options.record({ type: 'problem', code, message: problemCodes[code], source: json })
    if (json !== '') pieces.push({ type: 'content', text: json })
  }

  private releaseHeld(): ReleasedCalls {
    const complete = this.written.filter((call) => call.isComplete)
    const released = this.held.release(
      complete.map(({ name, pieces }) => ({ name, json: pieces.join('') })),
      this.written.length,
      this.options.delivery,
    )
    for (const _ of released.dropped) this.options.record(repairEvent('repeated-call'))
    return released
  }

  private outcome(upstream: UpstreamEnd): Omit<ChoiceEnd, 'pieces'> {
    const reason = upstream.by === 'finish-reason' ? upstream.reason : null
    if (this.failure !== null) return { finishReason: null, failure: this.failure }
    if (this.brokenCall !== undefined) {
      if (reason !== null && lengthReasons.has(reason)) return { finishReason: reason, failure: null }
      const message = `The call of ${this.brokenCall.name} is incomplete. ${this.flaw}`.trimEnd()
      return { finishReason: null, failure: { kind: 'upstream', code: 'incomplete_tool_call', message } }
    }
    const hasCalls = reason === null ? this.written.length > 0 : this.callsCome !== 'not yet'
    const isWholeAnswer = upstream.by === 'done' || (reason !== null && !cutReasons.has(reason))
    if ((hasCalls && isWholeAnswer) || reason === 'function_call') {
      return { finishReason: 'tool_calls', failure: null }
    }
    if (upstream.by === 'done' && this.options.finishesByDone === true) {
      return { finishReason: this.callsCome === 'not yet' ? 'stop' : 'tool_calls', failure: null }
    }
    const hasOnlyNameless = this.callsCome === 'not yet' && this.structured.nameless().length > 0
    return { finishReason: reason === 'tool_calls' && hasOnlyNameless ? 'stop' : reason, failure: null }
  }
}

/** How much of structured calls may wait: for a name, or for the end of an answer that has calls in its text. */
const HELD_LIMIT = 4_194_304

type CallEvent = Extract<ModelEvent, { type: 'call-start' | 'call-delta' | 'call-end' }>

interface WrittenCall {
  readonly name: string
  readonly pieces: string[]
  isComplete: boolean
}

const lengthReasons: ReadonlySet<string> = new Set(['length', 'max_tokens', 'model_length'])
const cutReasons: ReadonlySet<string> = new Set([...lengthReasons, 'content_filter', 'error'])

function parserReason(upstream: UpstreamEnd): 'stop' | 'length' | 'tool_calls' | 'error' {
  if (upstream.by === 'cut') return 'error'
  if (upstream.by === 'done') return 'stop'
  if (lengthReasons.has(upstream.reason)) return 'length'
  if (cutReasons.has(upstream.reason)) return 'error'
  return upstream.reason === 'tool_calls' || upstream.reason === 'function_call' ? 'tool_calls' : 'stop'
}

function endingOf(upstream: UpstreamEnd): Ending {
  if (upstream.by === 'cut') return 'failed'
  return upstream.by === 'finish-reason' && lengthReasons.has(upstream.reason) ? 'cut' : 'whole'
}
