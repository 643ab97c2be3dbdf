import type { AnswerSink, FinishReason, UpstreamCall, Usage } from '../../../answer/answer.ts'
import type { Failure } from '../../../answer/failure.ts'
import { isBlank } from '../../../text/space.ts'
import { anthropicErrorBody } from '../errors.ts'
import { encodeAnthropicUsage, encodeStopReason, nothingCounted } from '../words.ts'

export interface AnthropicStreamOptions {
  readonly write: (text: string) => void
  readonly messageId: string
  /** The name by which the client asked. */
  readonly model: string
  /** An estimate of the prompt, for as long as the upstream has not counted, or if it never does. */
  readonly inputTokens: number
  /** The signature of a thinking block: `field` is where the upstream had it, `proof` what came with it. */
  readonly signature: (field: string, proof: string | null) => string
}

/** Writes an answer as the event stream of a message. */
export function createAnthropicStreamEncoder(options: AnthropicStreamOptions): AnswerSink {
  return new MessageEncoder(options)
}

type OpenBlock =
  | { readonly is: 'none' }
  | { readonly is: 'text' }
  | { readonly is: 'thinking'; readonly field: string; proof: string | null }
  | { readonly is: 'tool'; hasInput: boolean }

/** Deltas are written by template: to build an object for each would cost several times as much. */
class MessageEncoder implements AnswerSink {
  private readonly options: AnthropicStreamOptions
  private readonly write: (text: string) => void
  private open: OpenBlock = none
  /** The index of the open block, or of the next one. */
  private index = 0
  /** White space for which no block was opened: a block of white space alone is refused when it comes back. */
  private space: { readonly is: 'text' | 'thinking'; readonly text: string } | null = null
  private field = ''
  private writtenLength = 0
  private counted: Usage | null = null
  private finished: { readonly reason: FinishReason; readonly stopSequence: string | null } | null = null

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
    this.write(event('message_start', { message }) + pingEvent)
  }

  text(text: string): void {
    this.writtenLength += text.length
    const said = this.saying('text', text)
    if (said === '') return
    if (this.open.is !== 'text') {
      this.close()
      this.open = { is: 'text' }
      this.blockStart('{"type":"text","text":""}')
    }
    this.delta(`{"type":"text_delta","text":${JSON.stringify(said)}}`)
  }

  reasoning(text: string, field: string): void {
    this.writtenLength += text.length
    this.field = field
    const said = this.saying('thinking', text)
    if (said === '') return
    this.openThinking(field)
    this.delta(`{"type":"thinking_delta","thinking":${JSON.stringify(said)}}`)
  }

  reasoningProof(proof: string, field?: string): void {
    if (this.open.is === 'thinking' && this.open.proof !== null) this.close()
    const waiting = this.space?.is === 'thinking' ? this.space.text : ''
    const block = this.openThinking(field ?? this.field)
    // White space that waited is a part of the reasoning: text behind it may be held, and come after the proof.
    if (waiting !== '') {
      this.delta(`{"type":"thinking_delta","thinking":${JSON.stringify(waiting)}}`)
    }
    block.proof = proof
  }

  callStart(_index: number, id: string, name: string, call?: UpstreamCall): void {
    this.close()
    if (call !== undefined && call.proof !== null) this.callProof(call.proof.field, call.proof.text)
    this.open = { is: 'tool', hasInput: false }
    this.blockStart(
      `{"type":"tool_use","id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":{}}`,
    )
  }

  callDelta(_index: number, json: string): void {
    if (json === '' || this.open.is !== 'tool') return
    this.writtenLength += json.length
    this.open.hasInput = true
    this.delta(`{"type":"input_json_delta","partial_json":${JSON.stringify(json)}}`)
  }

  callEnd(index: number): void {
    if (this.open.is === 'tool' && !this.open.hasInput) this.callDelta(index, '{}')
    this.close()
  }

  usage(usage: Usage): void {
    this.counted = usage
  }

  finish(reason: FinishReason, stopSequence: string | null): void {
    this.finished = { reason, stopSequence }
  }

  fail(failure: Failure): void {
    this.finished = null
    this.write(event('error', anthropicErrorBody(failure)))
  }

  /** Usage may trail the finish, and nothing may follow the end of a message: so it waits until here. */
  end(): void {
    if (this.finished === null) return
    const { reason, stopSequence } = this.finished
    // A block must have ended before the message says why it ends, half a call as well.
    this.close()
    const delta = { stop_reason: encodeStopReason(reason), stop_sequence: stopSequence }
    const usage = encodeAnthropicUsage(this.counted ?? this.estimate())
    this.write(event('message_delta', { delta, usage }) + event('message_stop', {}))
  }

  problem(): void {}

  repair(): void {}

  /** The text with the white space that waits in front of it; nothing where the text is white space that has to wait. */
  private saying(is: 'text' | 'thinking', text: string): string {
    if (this.open.is === is) return text
    const waiting = this.space?.is === is ? this.space.text + text : text
    // What waits is white space already: looking at it again with every piece would take quadratic time.
    const isSpace = isBlank(text)
    this.space = isSpace ? { is, text: waiting } : null
    return isSpace ? '' : waiting
  }

  /** In a block that clients send back as it is, right before the call that it belongs to. */
  private callProof(field: string, proof: string): void {
    const data = this.options.signature(field, proof)
    if (data === '') return
    this.blockStart(`{"type":"redacted_thinking","data":${JSON.stringify(data)}}`)
    this.blockStop()
  }

  private openThinking(field: string): Extract<OpenBlock, { is: 'thinking' }> {
    if (this.open.is === 'thinking') return this.open
    this.close()
    const block = { is: 'thinking' as const, field, proof: null }
    this.open = block
    this.blockStart('{"type":"thinking","thinking":"","signature":""}')
    return block
  }

  private close(): void {
    this.space = null
    const { open } = this
    if (open.is === 'none') return
    if (open.is === 'thinking') {
      const signature = this.options.signature(open.field, open.proof)
      this.delta(`{"type":"signature_delta","signature":${JSON.stringify(signature)}}`)
    }
    this.blockStop()
    this.open = none
  }

  private blockStop(): void {
    this.write(`event: content_block_stop\ndata: {"type":"content_block_stop","index":${this.index}}\n\n`)
    this.index++
  }

  private blockStart(block: string): void {
    this.write(
      `event: content_block_start\ndata: {"type":"content_block_start","index":${this.index},"content_block":${block}}\n\n`,
    )
  }

  private delta(delta: string): void {
    this.write(
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.index},"delta":${delta}}\n\n`,
    )
  }

  /** Four characters a token is near enough where the upstream counts nothing. */
  private estimate(): Usage {
    const outputTokens = Math.ceil(this.writtenLength / 4)
    return { ...nothingCounted, inputTokens: this.options.inputTokens, outputTokens }
  }
}

const none: OpenBlock = { is: 'none' }

const pingEvent = event('ping', {})

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}
