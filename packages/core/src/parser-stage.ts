import type { EndReason } from './engines/engine.ts'
import { type ToolDefinition, ToolSet } from './engines/tool-set.ts'
import { DragomanError } from './errors.ts'
import type { Sink } from './events.ts'
import { detectModel } from './formats/detect.ts'
import type { FormatId } from './formats/format-id.ts'
import type { MarkerOverrides } from './formats/override-markers.ts'
import { type ProblemCode, type RepairCode, repairCodes } from './problems.ts'
import { Reader } from './reader/reader.ts'
import { selectReading, type ToolChoice } from './reader/select-reading.ts'
import type { Channel } from './reader/text-flow.ts'
import type { SourceObserver } from './text/source-observer.ts'

export interface ParserOptions {
  /** A format by name: it always wins. `auto` or nothing: the stream decides, the model's name helps. */
  readonly format?: FormatId | 'auto' | 'openai'
  readonly model?: string
  /** The tools that were offered. Undefined: unknown. Empty: none, so no calls are read. */
  readonly tools?: readonly ToolDefinition[] | null | undefined
  /** `remove`: no call is allowed, and a call that the model writes anyway is left out. */
  readonly calls?: 'read' | 'remove' | undefined
  /**
   * What the client asked for: any answer, a call, or a call of one tool. A server that forces a call makes the model write
   * JSON: then JSON alone is one.
   */
  readonly toolChoice?: ToolChoice | undefined
  /** False: the client takes one call an answer. The others are left out, and reported. */
  readonly parallelToolCalls?: boolean | undefined
  /** Whether the prompt already opened the reasoning, so that the output begins inside it. */
  readonly promptOpensReasoning?: boolean | undefined
  /** The last characters of the prompt: they show as well whether it opened the reasoning. */
  readonly promptTail?: string
  /** `complete` holds each call until it is whole and valid. */
  readonly delivery?: 'incremental' | 'complete'
  readonly limits?: ParserLimits
  /** Marker strings that a vendor changed: for the format in use, or by format. */
  readonly markers?: MarkerOverrides | Partial<Record<FormatId, MarkerOverrides>> | undefined
  /** Called with each parser that is made with these options, so that a caller can ask how much each of them holds. */
  readonly onOpen?: ((parser: Pick<ParserStage, 'heldBytes'>) => void) | undefined
}

export interface ParserLimits {
  /** Bytes of a call that may be held back; what is sent on does not count. Default 4 MiB. */
  readonly toolCallBytes?: number
  /** Takes the place of `toolCallBytes` for calls in these formats. */
  readonly byFormat?: Readonly<Partial<Record<FormatId, number>>> | undefined
  /** Beyond the limit: report a problem, or give out what is held as text. */
  readonly overflow?: 'error' | 'flush'
}

/** How many bytes of a call are held back at most, where nothing else is said. */
export const defaultToolCallBytes = 4_194_304

/** A parser that writes to a sink of the caller's: nothing is allocated per event. */
export interface ParserStage {
  /** The format whose syntax the stream has shown, or null before it has. */
  readonly format: FormatId | null
  /** How much text is held back right now. Counted anew each time: not for every chunk. */
  readonly heldBytes: number
  push(text: string, channel: Channel): void
  end(reason?: EndReason): void
}

/** For stages inside this package that pass on bytes where the parser would change nothing. Users get no such stage. */
export interface PassingStage extends ParserStage {
  /**
   * The text is content in pieces, and `ends` says where each of them ends: how many of them, from the first on, the
   * parser would now pass on as they are. It reads nothing: `push` does.
   */
  countPassing(text: string, ends: readonly number[]): number
  /** Something else than text comes next: half a marker that is held is the text that it is. */
  settle(): void
}

export function createParserStage(options: ParserOptions, destination: Sink): ParserStage {
  return announced(new Stage(openReader(options, destination)), options)
}

export function createPassingStage(options: ParserOptions, destination: Sink): PassingStage {
  return announced(new CountingStage(openReader(options, destination)), options)
}

function announced<S extends ParserStage>(stage: S, { onOpen }: ParserOptions): S {
  onOpen?.(stage)
  return stage
}

/** For `trace.ts`: tells the observer what becomes of each character, and what is held at the moment. */
export interface ObservedStage extends ParserStage {
  readonly held: Reader['held']
}

export function createObservedStage(
  options: ParserOptions,
  destination: Sink & SourceObserver,
): ObservedStage {
  return announced(new WatchedStage(openReader(options, destination, destination)), options)
}

function openReader(options: ParserOptions, destination: Sink, observer?: SourceObserver): Reader {
  const calls = oneOf('calls', options.calls ?? 'read', ['read', 'remove'])
  const allowed = options.parallelToolCalls === false ? new FirstCall(destination) : destination
  const sink = calls === 'remove' ? new CallRemover(destination) : allowed
  const tools = new ToolSet(options.tools)
  const reading = selectReading(options, tools)
  // Field by field: spread, it would take as long as reading a short answer.
  return new Reader(sink, {
    lexicon: reading.lexicon,
    startsInReasoning: reading.startsInReasoning,
    reasoningOpener: reading.reasoningOpener,
    startsInHeader: reading.startsInHeader,
    promptHeader: reading.promptHeader,
    expectedFormat: reading.expectedFormat,
    forced: reading.forced,
    isForced: reading.isForced,
    tools,
    delivery: oneOf('delivery', options.delivery ?? 'incremental', ['incremental', 'complete']),
    toolCallBytes: byteLimit('toolCallBytes', options.limits?.toolCallBytes ?? defaultToolCallBytes),
    limitOf: limitsOf(options.limits?.byFormat),
    overflow: oneOf('limits.overflow', options.limits?.overflow ?? 'error', ['error', 'flush']),
    observer,
  })
}

/** The tools, for readers of structured calls. Few answers have such calls: the first of them reads the tools. */
export function declaredTools({ tools }: ParserOptions): () => Pick<ToolSet, 'has' | 'names'> {
  let known: ToolSet | undefined
  return () => (known ??= new ToolSet(tools))
}

/** Whether neither a setting nor the name of the model speaks against a family that something else suggests. */
export function mayBeOfFamily(family: FormatId, { format = 'auto', model = '' }: ParserOptions): boolean {
  if (format !== 'auto') return format === family
  const { format: named, isTold } = detectModel(model)
  return named === family || (named === 'standard' && isTold !== true)
}

// A class, because `format` needs a getter: in an object literal a getter gives each object a hidden class of
// its own, which costs more than all the rest and keeps the parser alive until the next full collection.
class Stage implements ParserStage {
  protected readonly reader: Reader
  private isEnded = false

  constructor(reader: Reader) {
    this.reader = reader
  }

  get format(): FormatId | null {
    return this.reader.format
  }

  get heldBytes(): number {
    return this.reader.heldBytes
  }

  push(text: string, channel: Channel): void {
    if (this.isEnded) throw new DragomanError('ended', 'push() after end(): one parser reads one response.')
    this.reader.push(text, channel)
  }

  end(reason?: EndReason): void {
    if (this.isEnded) throw new DragomanError('ended', 'end() was called twice.')
    this.isEnded = true
    this.reader.end(reason)
  }
}

class CountingStage extends Stage implements PassingStage {
  settle(): void {
    this.reader.settle()
  }

  countPassing(text: string, ends: readonly number[]): number {
    return this.reader.countPassing(text, ends)
  }
}

class WatchedStage extends Stage implements ObservedStage {
  get held(): Reader['held'] {
    return this.reader.held
  }
}

function oneOf<T extends string>(name: string, value: T, allowed: readonly T[]): T {
  if (allowed.includes(value)) return value
  throw new DragomanError(
    'invalid-option',
    `${name} is "${value}"; it must be one of: ${allowed.join(', ')}.`,
  )
}

function limitsOf(byFormat: ParserLimits['byFormat']): ReadonlyMap<string, number> {
  if (byFormat === undefined) return noLimits
  return new Map(
    Object.entries(byFormat).map(([format, limit]) => [format, byteLimit(`byFormat.${format}`, limit)]),
  )
}

const noLimits: ReadonlyMap<string, number> = new Map()

function byteLimit(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new DragomanError('invalid-option', `limits.${name} is ${value}; it must be a positive whole number.`)
}

/** For answers in which no call is allowed: a call that the model writes anyway is left out, and reported. */
class CallRemover implements Sink {
  private readonly sink: Sink

  constructor(sink: Sink) {
    this.sink = sink
  }

  text(text: string): void {
    this.sink.text(text)
  }

  reasoning(text: string): void {
    this.sink.reasoning(text)
  }

  callStart(): void {
    this.sink.repair('forbidden-call', repairCodes['forbidden-call'])
  }

  callDelta(): void {}

  callEnd(): void {}

  problem(code: ProblemCode, message: string, source: string): void {
    this.sink.problem(code, message, source)
  }

  repair(code: RepairCode, message: string): void {
    this.sink.repair(code, message)
  }
}

/** For clients that take one call an answer: those behind the first whole one are left out, and reported. */
class FirstCall implements Sink {
  private readonly sink: Sink
  private state: 'waiting' | 'reading' | 'leaving-out' = 'waiting'
  private hasCall = false

  constructor(sink: Sink) {
    this.sink = sink
  }

  text(text: string): void {
    this.sink.text(text)
  }

  reasoning(text: string): void {
    this.sink.reasoning(text)
  }

  callStart(index: number, id: string | null, name: string): void {
    this.state = this.hasCall ? 'leaving-out' : 'reading'
    if (this.hasCall) this.sink.repair('forbidden-call', repairCodes['forbidden-call'])
    else this.sink.callStart(index, id, name)
  }

  callDelta(index: number, json: string): void {
    if (this.state === 'reading') this.sink.callDelta(index, json)
  }

  callEnd(index: number, complete: boolean): void {
    if (this.state === 'reading') {
      this.hasCall = complete
      this.sink.callEnd(index, complete)
    }
    this.state = 'waiting'
  }

  problem(code: ProblemCode, message: string, source: string): void {
    this.sink.problem(code, message, source)
  }

  repair(code: RepairCode, message: string): void {
    this.sink.repair(code, message)
  }
}
