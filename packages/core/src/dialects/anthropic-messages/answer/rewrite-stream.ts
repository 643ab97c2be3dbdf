import { repairEvent } from '../../../events.ts'
import type { AnswerReports, StreamRewriter } from '../../../answer/reports.ts'
import type { Failure } from '../../../answer/answer.ts'
import { isJsonObject, parseJson } from '../../../json/objects.ts'
import { createSseDecoder, type SseDecoder } from '../../../sse/decoder.ts'
import { encodeSse, encodeSseComment } from '../../../sse/encoder.ts'
import type { SseEvent, SseItem } from '../../../sse/items.ts'
import { emptyAnswer, limitError, protocolError, truncated } from '../../../answer/faults.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import { BlockRewriter, type BlockRewriterOptions } from './block-rewriter.ts'
import { BlockWriter, type Wire } from './block-writer.ts'
import { anthropicErrorBody } from '../errors.ts'
import { MessageFrame } from './message-frame.ts'

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
  private readonly frame: MessageFrame
  private filled: 'nothing' | 'told' = 'nothing'

  constructor(options: MessageRewriterOptions) {
    this.options = options
    const { maxEventBytes, onUsage } = options
    this.decoder = createSseDecoder(maxEventBytes === undefined ? {} : { limits: { maxEventBytes } })
    const onFilled = (): void => this.tellFilled()
    this.blocks = new BlockRewriter(this.writer, options, onFilled)
    this.frame = new MessageFrame(this.writer, { onUsage, onFilled })
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
    // With a stop reason the answer is whole.
    else if (this.progress === 'finishing') this.conclude(null)
    return this.written()
  }

  /** Once for each message. */
  private tellFilled(): void {
    if (this.filled === 'nothing') this.options.onRecord?.(repairEvent('filled-field'))
    this.filled = 'told'
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
    switch (wire.data['type']) {
      case 'message_start':
        this.blocks.pass(this.frame.start(wire))
        break
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
        this.frame.takeEnd(wire)
        if (this.frame.reason !== null) this.progress = 'finishing'
        break
      case 'message_stop':
        this.conclude(wire)
        break
      default:
        this.blocks.pass(wire)
    }
    if (this.blocks.failure !== null) this.fail(this.blocks.failure)
  }

  /** Nothing follows. `stop` is the upstream's last event; many clients wait for it where it has left it out. */
  private conclude(stop: Wire | null): void {
    const { reason } = this.frame
    this.blocks.end(reason === 'length' ? 'length' : reason === 'content-filter' ? 'error' : 'stop')
    const { failure } = this.blocks
    if (failure !== null) {
      this.fail(failure)
      return
    }
    const outcome = this.frame.writeEnd(this.blocks.hasCalls)
    if (stop === null) this.writer.emit('message_stop', {})
    else this.writer.passBeside(stop)
    this.progress = 'ended'
    this.options.onFinish?.(outcome)
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
    if (this.progress !== 'new') this.blocks.end('error')
    this.writer.emit('error', anthropicErrorBody(failure))
    this.progress = 'ended'
  }
}
