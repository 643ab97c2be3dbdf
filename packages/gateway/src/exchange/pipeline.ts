import {
  type AnswerDecoder,
  type AnswerSink,
  assembleAnthropicMessage,
  assembleChatCompletion,
  createAnthropicAnswerDecoder,
  createAnthropicStreamEncoder,
  createChatAnswerDecoder,
  createChatStreamEncoder,
  type Failure,
  makeSignature,
  type MintId,
  readAnthropicMessage,
  readChatCompletion,
} from '@dragoman/core'
import { AnswerWatch, type AnswerWatcher } from './answer-watch.ts'
import { passStreamAsWhole, passWholeAsStream } from './pass-converted.ts'
import { passStreamThrough, passWholeThrough } from './pass-through.ts'
import type { Dialect } from '../base/dialect.ts'
import type { Plan } from './plan.ts'

/** What an answer is turned into: a stream of text, or one JSON value at its end. */
export interface Pipeline {
  /** The upstream has said why it ended: little more will come. */
  readonly isFinishing: boolean
  /** The answer is over, for the client too. */
  readonly isOver: boolean
  push(chunk: Buffer): void
  /** The upstream has ended. */
  end(): void
  /** The upstream is given up, and this is why. */
  fail(failure: Failure): void
  /** Tells a waiting client that we live. */
  keepAlive(): void
}

/** What an answer is read by. */
type ReadingPlan = Pick<Plan, 'upstreamDialect' | 'format' | 'parser' | 'toolNames'> & {
  readonly route: Pick<Plan['route'], 'model'>
}

export interface PipelineOptions {
  readonly plan: ReadingPlan
  readonly clientDialect: Dialect
  /** What the client called the model: that is what it gets back. */
  readonly clientModel: string
  /** A new id, where the answer does not bring its own. */
  readonly newAnswerId: () => string
  /** Seconds, as the dialect wants them. */
  readonly created: number
  readonly includeUsage: boolean
  /** What the request is likely to take: asked only where the answer tells it before the upstream does. */
  readonly inputTokens: () => number
  readonly mint: MintId
  readonly conversationIds: ReadonlySet<string>
  readonly maxEventBytes: number
  readonly watcher: AnswerWatcher
  /** Takes secrets out of what the upstream says about its failure. */
  readonly redact: (text: string) => string
  /** Sends text of the stream. */
  readonly write: (text: string) => void
  /** The stream is whole. */
  readonly streamed: () => void
  /** The answer of a client that wants no stream, as JSON text. */
  readonly whole: (json: string) => void
  /** Nothing was sent yet, so the failure can be an answer of its own. */
  readonly failed: (failure: Failure) => void
}

/** For a client that wants a stream. `source` is how the upstream answered. */
export function createStreamPipeline(options: PipelineOptions, source: 'sse' | 'json'): Pipeline {
  if (isSameDialect(options)) {
    return source === 'sse' ? passStreamThrough(options) : passWholeAsStream(options)
  }
  const { clientDialect, clientModel, newAnswerId, created, includeUsage, inputTokens, write } = options
  if (clientDialect === 'anthropic-messages') {
    const encoder = createAnthropicStreamEncoder({
      write,
      messageId: newAnswerId(),
      model: clientModel,
      inputTokens: inputTokens(),
      signature: signerOf(options),
    })
    return decodeInto(options, source, encoder, {
      isStarted: () => encoder.isStarted,
      keepAlive: () => {
        encoder.ping()
      },
      onEnd: options.streamed,
    })
  }
  const encoder = createChatStreamEncoder({
    write,
    id: newAnswerId(),
    model: clientModel,
    created,
    includeUsage,
  })
  return decodeInto(options, source, encoder, {
    isStarted: () => encoder.isStarted,
    keepAlive: () => {
      encoder.comment('keep-alive')
    },
    onEnd: options.streamed,
  })
}

/** For a client that wants one answer. */
export function createWholePipeline(options: PipelineOptions, source: 'sse' | 'json'): Pipeline {
  if (isSameDialect(options)) {
    return source === 'json' ? passWholeThrough(options) : passStreamAsWhole(options)
  }
  const { clientDialect, clientModel, newAnswerId, created, inputTokens, whole, failed } = options
  const assembler =
    clientDialect === 'anthropic-messages'
      ? assembleAnthropicMessage({
          messageId: newAnswerId(),
          model: clientModel,
          inputTokens: inputTokens(),
          signature: signerOf(options),
        })
      : assembleChatCompletion({ id: newAnswerId(), model: clientModel, created })
  const onEnd = (): void => {
    const { result } = assembler
    if (result.is === 'whole') whole(result.json)
    else if (result.is === 'failed') failed(result.failure)
  }
  return decodeInto(options, source, assembler, { isStarted: () => true, keepAlive: () => {}, onEnd })
}

function isSameDialect({ plan, clientDialect }: PipelineOptions): boolean {
  return plan.upstreamDialect === clientDialect
}

interface Ending {
  readonly isStarted: () => boolean
  readonly keepAlive: () => void
  readonly onEnd: () => void
}

function signerOf({ plan }: PipelineOptions): (field: string, proof: string | null) => string {
  const { format, route } = plan
  return (field, proof) =>
    makeSignature({ format, field, model: route.model, ...(proof === null ? {} : { proof }) })
}

function decodeInto(
  options: PipelineOptions,
  source: 'sse' | 'json',
  sink: AnswerSink,
  { isStarted, keepAlive, onEnd }: Ending,
): Pipeline {
  const { plan, watcher, redact, failed } = options
  const watch = new AnswerWatch({
    sink,
    watcher,
    redact,
    isStarted,
    failed,
    onEnd,
    toolNames: plan.toolNames,
  })
  return new TranslatedAnswer(createAnswerDecoder(options, source, watch), watch, keepAlive)
}

// A class, as getters in an object literal would give each answer a hidden class of its own.
class TranslatedAnswer implements Pipeline {
  private readonly decoder: AnswerDecoder
  private readonly watch: AnswerWatch
  private readonly ping: () => void

  constructor(decoder: AnswerDecoder, watch: AnswerWatch, ping: () => void) {
    this.decoder = decoder
    this.watch = watch
    this.ping = ping
  }

  get isFinishing(): boolean {
    return this.decoder.state === 'finishing'
  }

  get isOver(): boolean {
    return this.watch.isOver
  }

  push(chunk: Buffer): void {
    this.decoder.push(chunk)
  }

  end(): void {
    this.decoder.end()
  }

  fail(failure: Failure): void {
    this.watch.cause = failure
    this.decoder.end()
    if (!this.watch.isOver) this.watch.fail(failure)
  }

  keepAlive(): void {
    if (!this.watch.isOver) this.ping()
  }
}

/** Reads the body of an answer, whichever dialect it is in and whether it streams or not. */
export function createAnswerDecoder(
  { plan, mint, conversationIds, maxEventBytes }: DecoderOptions,
  source: 'sse' | 'json',
  sink: AnswerSink,
): AnswerDecoder {
  const reading = { parser: plan.parser, mint, conversationIds, sink, maxEventBytes }
  const isAnthropic = plan.upstreamDialect === 'anthropic-messages'
  if (source === 'sse') return (isAnthropic ? createAnthropicAnswerDecoder : createChatAnswerDecoder)(reading)
  const read = isAnthropic ? readAnthropicMessage : readChatCompletion
  return new WholeDecoder((body) => read(body, reading))
}

type DecoderOptions = Pick<PipelineOptions, 'mint' | 'conversationIds' | 'maxEventBytes'> & {
  readonly plan: Pick<Plan, 'upstreamDialect' | 'parser'>
}

/** A whole body, read when it is all there. */
class WholeDecoder implements AnswerDecoder {
  state: AnswerDecoder['state'] = 'reading'
  private readonly chunks: (string | Uint8Array)[] = []
  private readonly read: (body: unknown) => void

  constructor(read: (body: unknown) => void) {
    this.read = read
  }

  push(chunk: string | Uint8Array): void {
    this.chunks.push(chunk)
  }

  end(): void {
    if (this.state === 'ended') return
    this.state = 'ended'
    const text = Buffer.concat(this.chunks.map((chunk) => Buffer.from(chunk))).toString('utf8')
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      body = undefined
    }
    this.read(body)
  }
}
