import type { AnswerReports, StreamRewriter } from '../answer-reports.ts'
import type { Failure, FinishReason, Usage } from '../answer.ts'
import { isJsonObject, nonEmptyText, objectIn, parseJson, type JsonObject } from '../json-object.ts'
import { createSseDecoder, type SseDecoder } from '../sse-decoder.ts'
import { encodeSse, encodeSseComment } from '../sse-encoder.ts'
import type { SseEvent, SseItem } from '../sse-items.ts'
import { emptyAnswer, limitError, protocolError, truncated } from '../stream-faults.ts'
import { failureFromError, isErrorValue } from '../upstream-failure.ts'
import { BlockRewriter, type BlockRewriterOptions } from './block-rewriter.ts'
import { BlockWriter, type Wire } from './block-writer.ts'
import { anthropicErrorBody } from './errors.ts'
import { decodeStopReason, encodeStopReason } from './stop-reason.ts'
import { decodeAnthropicUsage, nothingCounted } from './usage.ts'

export interface AnthropicStreamRewriter extends StreamRewriter {
  /** Whether anything was written otherwise than it came. */
  readonly hasChanged: boolean
}

export interface MessageRewriterOptions extends BlockRewriterOptions, AnswerReports {
  /** The longest event. */
  readonly maxEventBytes?: number | undefined
}

/**
 * Message stream in, message stream out, with the calls that a model wrote as text made blocks of their own. An
 * event in which nothing has to change is written as it came.
 */
export function rewriteMessageStream(options: MessageRewriterOptions): AnthropicStreamRewriter {
  return new MessageStreamRewriter(options)
}

class MessageStreamRewriter implements AnthropicStreamRewriter {
  failure: Failure | null = null
  private progress: 'new' | 'reading' | 'finishing' | 'ended' = 'new'
  private output: string[] = []
  private readonly options: MessageRewriterOptions
  private readonly decoder: SseDecoder
  private readonly writer = new BlockWriter((text) => this.output.push(text))
  private readonly blocks: BlockRewriter

  private counted: Usage = nothingCounted
  private stopReason: FinishReason = 'stop'

  constructor(options: MessageRewriterOptions) {
    this.options = options
    const { maxEventBytes } = options
    this.decoder = createSseDecoder(maxEventBytes === undefined ? {} : { limits: { maxEventBytes } })
    this.blocks = new BlockRewriter(this.writer, options)
  }

  get state(): StreamRewriter['state'] {
    return this.progress === 'new' ? 'reading' : this.progress
  }

  get hasChanged(): boolean {
    return this.writer.hasChanged
  }

  push(chunk: string | Uint8Array): string[] {
    for (const item of this.decoder.push(chunk)) this.take(item)
    return this.written()
  }

  end(cause?: Failure): string[] {
    for (const item of this.decoder.end()) this.take(item)
    if (this.progress === 'new') this.fail(cause ?? emptyAnswer)
    else if (this.progress === 'reading') this.fail(cause ?? truncated)
    // With a stop reason the answer is whole; many clients wait for the last event all the same.
    else if (this.progress === 'finishing') {
      this.writer.emit('message_stop', {})
      this.finish()
    }
    return this.written()
  }

  private finish(): void {
    this.progress = 'ended'
    this.options.onFinish?.(this.stopReason)
  }

  private written(): string[] {
    const { output } = this
    this.output = []
    return output
  }

  private take(item: SseItem): void {
    if (this.progress === 'ended') return
    switch (item.kind) {
      case 'comment':
        this.output.push(encodeSseComment(item.text))
        break
      case 'fields':
        this.output.push(item.source)
        break
      case 'overflow':
        this.fail(limitError(item.limit))
        break
      case 'event':
        this.takeEvent(item)
    }
  }

  private takeEvent(event: SseEvent): void {
    const data = parseJson(event.data)
    if (isJsonObject(data)) {
      if (event.event === 'error' || isErrorValue(data)) this.takeError(event, data)
      else this.takeWire({ event, data })
    } else if (event.event === 'error') {
      this.fail(failureFromError(event.data))
    } else if (event.terminated && event.data.trim() !== '[DONE]') {
      this.fail(protocolError('The data of an event is not a JSON object.'))
    }
  }

  private takeWire(wire: Wire): void {
    if (this.progress === 'new') this.progress = 'reading'
    this.takeUsage(wire.data)
    switch (wire.data['type']) {
      case 'content_block_start':
        this.blocks.start(wire)
        break
      case 'content_block_delta':
        this.blocks.delta(wire)
        break
      case 'content_block_stop':
        this.blocks.stop(wire)
        break
      case 'message_delta':
        this.takeMessageDelta(wire)
        break
      case 'message_stop':
        this.takeMessageStop(wire)
        break
      default:
        this.blocks.pass(wire)
    }
    if (this.blocks.failure !== null) this.fail(this.blocks.failure)
  }

  private takeUsage(data: JsonObject): void {
    if (this.options.onUsage === undefined) return
    const usage = data['type'] === 'message_start' ? objectIn(data, 'message')['usage'] : data['usage']
    if (!isJsonObject(usage)) return
    this.counted = decodeAnthropicUsage(usage, this.counted)
    this.options.onUsage(this.counted)
  }

  private takeMessageDelta(wire: Wire): void {
    const delta = objectIn(wire.data, 'delta')
    const word = nonEmptyText(delta['stop_reason'])
    if (word === null) {
      this.output.push(wire.event.source)
      return
    }
    const reason = decodeStopReason(word)
    this.blocks.end(reason === 'length' ? 'length' : reason === 'content-filter' ? 'error' : 'stop')
    if (this.blocks.failure !== null) return
    this.progress = 'finishing'
    const isCallEnd = this.blocks.written > 0 && (reason === 'stop' || reason === 'stop-sequence')
    this.stopReason = isCallEnd ? 'tool-calls' : reason
    if (isCallEnd) this.writer.passChanged(wire, { delta: { ...delta, stop_reason: 'tool_use' } })
    else this.output.push(wire.event.source)
  }

  private takeMessageStop(wire: Wire): void {
    if (this.progress === 'reading') {
      this.blocks.end('stop')
      if (this.blocks.failure !== null) return
      this.tellStopReason()
    }
    this.output.push(wire.event.source)
    this.finish()
  }

  /** A message without a stop reason is taken for one that is still going on. */
  private tellStopReason(): void {
    this.stopReason = this.blocks.hasCalls ? 'tool-calls' : 'stop'
    const stop_reason = encodeStopReason(this.stopReason)
    const delta = { stop_reason, stop_sequence: null }
    this.writer.emit('message_delta', { delta, usage: { output_tokens: 0 } })
  }

  private takeError(event: SseEvent, data: unknown): void {
    this.failure = failureFromError(data)
    this.blocks.end('error')
    this.output.push(event.event === 'error' ? event.source : encodeSse({ ...event, event: 'error' }))
    this.progress = 'ended'
  }

  /** Nothing follows: a client that misses the error must not take a cut answer for a whole one. */
  private fail(failure: Failure): void {
    if (this.progress === 'ended') return
    this.failure = failure
    if (this.progress === 'reading') this.blocks.end('error')
    this.writer.emit('error', anthropicErrorBody(failure))
    this.progress = 'ended'
  }
}
