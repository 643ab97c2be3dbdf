import type { AnswerSink, Failure, FinishReason, Usage } from '../../../answer/answer.ts'
import { anthropicErrorBody } from '../errors.ts'
import { MessageBlocks, type BlockOutput, type MessageOptions } from './message-blocks.ts'
import { encodeStopReason } from './stop-reason.ts'
import { encodeAnthropicUsage, nothingCounted } from './usage.ts'

export interface AnthropicStreamOptions extends MessageOptions {
  readonly write: (text: string) => void
  readonly messageId: string
  /** The name by which the client asked. */
  readonly model: string
}

export interface AnthropicStreamEncoder extends AnswerSink {
  /** Whether anything was written: until then a failure can still be a response of its own. */
  readonly isStarted: boolean
  /** Keeps the connection alive. Nothing is written before the message has begun, nor after its end. */
  ping(): void
}

/** Writes an answer as the event stream of a message. */
export function createAnthropicStreamEncoder(options: AnthropicStreamOptions): AnthropicStreamEncoder {
  const output = new EventOutput(options)
  return new StreamEncoder(output, options)
}

class StreamEncoder extends MessageBlocks implements AnthropicStreamEncoder {
  private readonly events: EventOutput

  constructor(events: EventOutput, options: MessageOptions) {
    super(events, options)
    this.events = events
  }

  get isStarted(): boolean {
    return this.events.state !== 'new'
  }

  ping(): void {
    this.events.ping()
  }
}

/** Deltas are written by template: to build an object for each would cost several times as much. */
class EventOutput implements BlockOutput {
  state: 'new' | 'open' | 'ended' = 'new'
  private readonly options: AnthropicStreamOptions
  private readonly write: (text: string) => void

  constructor(options: AnthropicStreamOptions) {
    this.options = options
    this.write = options.write
  }

  start(): void {
    const { messageId, model, inputTokens } = this.options
    const message = {
      id: messageId,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: encodeAnthropicUsage({ ...nothingCounted, inputTokens }),
    }
    this.state = 'open'
    this.write(event('message_start', { message }) + pingEvent)
  }

  ping(): void {
    if (this.state === 'open') this.write(pingEvent)
  }

  textStart(index: number): void {
    this.blockStart(index, '{"type":"text","text":""}')
  }

  text(index: number, text: string): void {
    this.delta(index, `{"type":"text_delta","text":${JSON.stringify(text)}}`)
  }

  thinkingStart(index: number): void {
    this.blockStart(index, '{"type":"thinking","thinking":"","signature":""}')
  }

  thinking(index: number, text: string): void {
    this.delta(index, `{"type":"thinking_delta","thinking":${JSON.stringify(text)}}`)
  }

  signature(index: number, signature: string): void {
    this.delta(index, `{"type":"signature_delta","signature":${JSON.stringify(signature)}}`)
  }

  toolStart(index: number, id: string, name: string): void {
    this.blockStart(
      index,
      `{"type":"tool_use","id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":{}}`,
    )
  }

  input(index: number, json: string): void {
    this.delta(index, `{"type":"input_json_delta","partial_json":${JSON.stringify(json)}}`)
  }

  stop(index: number): void {
    this.write(`event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}\n\n`)
  }

  end(reason: FinishReason, stopSequence: string | null, usage: Usage): void {
    const delta = { stop_reason: encodeStopReason(reason), stop_sequence: stopSequence }
    this.state = 'ended'
    this.write(
      event('message_delta', { delta, usage: encodeAnthropicUsage(usage) }) + event('message_stop', {}),
    )
  }

  fail(failure: Failure): void {
    this.state = 'ended'
    this.write(event('error', anthropicErrorBody(failure)))
  }

  private blockStart(index: number, block: string): void {
    this.write(
      `event: content_block_start\ndata: {"type":"content_block_start","index":${index},"content_block":${block}}\n\n`,
    )
  }

  private delta(index: number, delta: string): void {
    this.write(
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":${delta}}\n\n`,
    )
  }
}

const pingEvent = event('ping', {})

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}
