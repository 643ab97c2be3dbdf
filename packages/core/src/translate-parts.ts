import type { AnswerSink, FinishReason, Usage } from './answer/answer.ts'
import { emptyAnswer, type Failure } from './answer/failure.ts'
import type { MintId } from './answer/ids.ts'
import { AnswerOutput } from './answer/output.ts'
import { AnswerStream, type WireAnswer } from './answer/stream.ts'
import { WatchedAnswer } from './answer/watch.ts'
import type { WholeAnswer } from './answer/whole.ts'
import type { EncodeOptions } from './dialects/dialect.ts'
import { dialects, type DialectId } from './dialects/index.ts'
import { mintToolId } from './dialects/mint.ts'
import { DragomanError } from './errors.ts'
import { EventCollector, type ModelEvent, type Sink } from './events.ts'
import { isLegalId } from './ids/legal-id.ts'
import { parseJson } from './json/objects.ts'
import { createParserStage, type ParserOptions } from './parser-stage.ts'
import { openPolicy, patchAnswer, type ReadingOptions } from './translate.ts'

/** A problem or a repair in what a model wrote. */
export type RecordedEvent = Extract<ModelEvent, { type: 'problem' | 'repair' }>

export interface AnswerDecoderOptions extends Omit<ReadingOptions, 'watcher'> {
  readonly sink: AnswerSink
}

/** Reads the stream of an answer, calls in its text included. */
export interface AnswerDecoder {
  /** `finishing`: the upstream has said why it ended; usage, or nothing more, may follow. */
  readonly state: 'reading' | 'finishing' | 'ended'
  push(chunk: string | Uint8Array): void
  /** `cause`: why the upstream was given up, where it was; that is more than its stream can tell. */
  end(cause?: Failure): void
}

export function createAnswerDecoder(dialect: DialectId, options: AnswerDecoderOptions): AnswerDecoder {
  const { answer } = dialects[dialect]
  return new AnswerStream(answer.decode(openPolicy(anyClient, options, options.sink)), options, (data) =>
    answer.unwrap(data),
  )
}

/** Reads a whole answer: a value, or its JSON text, in which long numbers stay as they are. */
export function readAnswer(dialect: DialectId, body: unknown, options: AnswerDecoderOptions): void {
  const { answer } = dialects[dialect]
  const wire = answer.decode(openPolicy(anyClient, options, options.sink))
  const whole = answer.whole.toEvents(textOf(body))
  if ('failure' in whole) {
    wire.fail(whole.failure, null)
    return
  }
  const stream = new AnswerStream(wire, options, (data) => data)
  stream.push(whole.events)
  stream.end()
}

export interface RewriterOptions extends Omit<ReadingOptions, 'mint' | 'parser' | 'watcher'> {
  readonly parser?: ParserOptions
  /** A fresh text for each id, which then has the style of the dialect. */
  readonly newId?: () => string
  /** In place of it: the whole id. */
  readonly mint?: MintId
  /** Leaves out the chunk that holds nothing but the usage: the client did not ask for it. */
  readonly withholdUsage?: boolean | undefined
  /** Each problem and repair. */
  readonly onRecord?: ((event: RecordedEvent) => void) | undefined
  /** Each call that goes to the client, by the name the client knows. */
  readonly onCall?: ((name: string) => void) | undefined
  /** May come several times; the last one counts. */
  readonly onUsage?: ((usage: Usage) => void) | undefined
  /** Once, for an answer that is whole; of several choices the first. */
  readonly onFinish?: ((reason: FinishReason) => void) | undefined
}

/** An answer on its way through, in one dialect, event by event. */
export interface StreamRewriter {
  /** `finishing`: the upstream has said why it ended; usage, or nothing more, may follow. */
  readonly state: 'reading' | 'finishing' | 'ended'
  /** Why the answer is no whole one, or null. The last text that was written tells the client too. */
  readonly failure: Failure | null
  push(chunk: string | Uint8Array): string[]
  /** `cause`: why the upstream was given up, where it was; that is more than its stream can tell. */
  end(cause?: Failure): string[]
}

/**
 * Makes the calls that a model wrote as text structured, in the stream of one dialect. An event in which nothing has to
 * change is written as it came.
 */
export function createStreamRewriter(dialect: DialectId, options: RewriterOptions): StreamRewriter {
  return new Rewriter(dialect, options)
}

class Rewriter implements StreamRewriter {
  private readonly output = new AnswerOutput()
  private readonly answer: WireAnswer
  private readonly stream: AnswerStream

  constructor(dialect: DialectId, options: RewriterOptions) {
    const { answer } = dialects[dialect]
    const reading = readingOf(dialect, options)
    // Wrong options must fail here, not at the first event that an upstream sends.
    createParserStage(reading.parser, nowhere)
    this.answer = patchAnswer(dialect, reading, this.output, options.withholdUsage !== true)
    this.stream = new AnswerStream(this.answer, reading, (data) => answer.unwrap(data))
  }

  get state(): StreamRewriter['state'] {
    return this.stream.state
  }

  get failure(): Failure | null {
    return this.answer.failure
  }

  push(chunk: string | Uint8Array): string[] {
    this.stream.push(chunk)
    return this.output.take()
  }

  end(cause?: Failure): string[] {
    this.stream.end(cause)
    return this.output.take()
  }
}

export interface RewrittenAnswer {
  /** The very value that came where nothing had to change. */
  readonly body: unknown
  /** Why this is no answer to give to a client, or null. */
  readonly failure: Failure | null
}

/** The same for a whole answer. */
export function rewriteAnswer(dialect: DialectId, body: unknown, options: RewriterOptions): RewrittenAnswer {
  const came = textOf(body)
  const { json, failure } = rewriteAnswerText(dialect, came, options)
  return { body: json === came ? body : parseJson(json), failure }
}

/** The same as text, in which numbers stand as they were written: those too long for ours among them. */
export function rewriteAnswerText(
  dialect: DialectId,
  json: string,
  options: RewriterOptions,
): { readonly json: string; readonly failure: Failure | null } {
  const { answer } = dialects[dialect]
  const whole = answer.whole.toEvents(json)
  if ('failure' in whole) {
    const isPassed = options.faults === 'pass' && whole.failure.code === 'upstream_protocol_error'
    return { json, failure: isPassed ? null : whole.failure }
  }
  const rewriter = createStreamRewriter(dialect, { ...options, faults: 'fail', withholdUsage: false })
  const text = [...rewriter.push(whole.events), ...rewriter.end()].join('')
  const { failure } = rewriter
  if (failure !== null) return { json, failure }
  if (text === whole.events) return { json: whole.json, failure }
  const collector = answer.whole.collect()
  collector.push(text)
  return { json: collector.end()?.json ?? json, failure }
}

/** Puts an answer together as one body, for a client that does not stream. */
export interface AnswerAssembler extends AnswerSink {
  /** `open` until the answer has ended. */
  readonly result: AssembledAnswer
}

export type AssembledAnswer =
  | { readonly is: 'open' }
  | ({ readonly is: 'whole' } & WholeAnswer)
  | { readonly is: 'failed'; readonly failure: Failure }

export function assembleAnswer(
  dialect: DialectId,
  options: Omit<EncodeOptions, 'write' | 'includeUsage'>,
): AnswerAssembler {
  const { answer } = dialects[dialect]
  const collector = answer.whole.collect()
  const encoder = answer.encode({ ...options, includeUsage: true, write: (text) => collector.push(text) })
  return new Assembler(encoder, () => collector.end())
}

class Assembler extends WatchedAnswer implements AnswerAssembler {
  result: AssembledAnswer = { is: 'open' }
  private readonly collected: () => WholeAnswer | null

  constructor(encoder: AnswerSink, collected: () => WholeAnswer | null) {
    super(encoder, {})
    this.collected = collected
  }

  override fail(failure: Failure): void {
    this.result = { is: 'failed', failure }
  }

  override end(): void {
    if (this.result.is === 'failed') return
    super.end()
    const whole = this.collected()
    this.result = whole === null ? { is: 'failed', failure: emptyAnswer } : { is: 'whole', ...whole }
  }
}

/** Who the answer is for is not known: an id stays where every client takes it. */
const anyClient = { isLegalCallId: isLegalId }

function readingOf(dialect: DialectId, options: RewriterOptions): ReadingOptions {
  const { parser = {}, newId, mint, onRecord, onCall, onUsage, onFinish, ...rest } = options
  return {
    ...rest,
    parser,
    mint: mint ?? ((format, taken) => mintToolId({ dialect, format, newId: newId ?? noId, taken })),
    watcher: {
      call: (name) => onCall?.(name),
      usage: (usage) => onUsage?.(usage),
      finished: (reason) => onFinish?.(reason),
      problem: (code, message, source) => onRecord?.({ type: 'problem', code, message, source }),
      repair: (code, message) => onRecord?.({ type: 'repair', code, message }),
    },
  }
}

function noId(): never {
  throw new DragomanError(
    'invalid-option',
    'Neither newId nor mint was given: nobody can make an id for a call.',
  )
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
}

const nowhere: Sink = new EventCollector()
