import type { AnswerSink, FinishReason, UpstreamCall, Usage } from '../../../answer/answer.ts'
import type { Failure } from '../../../answer/failure.ts'
import { chatErrorBody } from '../errors.ts'
import { encodeChatUsage, encodeFinishReason } from '../words.ts'

export interface ChatStreamOptions {
  readonly write: (text: string) => void
  readonly id: string
  /** The name by which the client asked. */
  readonly model: string
  /** Seconds. */
  readonly created: number
  /** Whether the client asked for a chunk with the usage. */
  readonly includeUsage: boolean
}

/** Writes an answer as the event stream of a chat completion. */
export function createChatStreamEncoder(options: ChatStreamOptions): AnswerSink {
  return new StreamEncoder(options)
}

/** Deltas are written by template: to build an object for each would cost several times as much. */
class StreamEncoder implements AnswerSink {
  private state: 'open' | 'finished' | 'failed' | 'ended' = 'open'
  private readonly write: (text: string) => void
  private readonly includeUsage: boolean
  private readonly head: string
  private counted: Usage | null = null
  private hasArguments = false

  constructor({ write, id, model, created, includeUsage }: ChatStreamOptions) {
    this.write = write
    this.includeUsage = includeUsage
    const fields = JSON.stringify({ id, object: 'chat.completion.chunk', created, model })
    this.head = `data: ${fields.slice(0, -1)},"choices":[`
  }

  start(): void {
    this.delta('{"role":"assistant","content":""}')
  }

  text(text: string): void {
    if (text !== '') this.delta(`{"content":${JSON.stringify(text)}}`)
  }

  reasoning(text: string): void {
    if (text !== '') this.delta(`{"reasoning_content":${JSON.stringify(text)}}`)
  }

  /** A proof is of use to the upstream alone, and this dialect has no field in which it would come back. */
  reasoningProof(): void {}

  /** What an upstream wants back with a call has a field here, in which clients send it back. */
  callStart(index: number, id: string, name: string, { proof = null }: Partial<UpstreamCall> = {}): void {
    this.hasArguments = false
    const extra = proof === null ? '' : `,"extra_content":${proof.text}`
    const call = `{"index":${index},"id":${JSON.stringify(id)},"type":"function","function":{"name":${JSON.stringify(name)},"arguments":""}${extra}}`
    this.delta(`{"tool_calls":[${call}]}`)
  }

  callDelta(index: number, json: string): void {
    if (json === '') return
    this.hasArguments = true
    this.delta(`{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(json)}}}]}`)
  }

  callEnd(index: number): void {
    if (!this.hasArguments) this.callDelta(index, '{}')
  }

  usage(usage: Usage): void {
    this.counted = usage
  }

  finish(reason: FinishReason): void {
    this.state = 'finished'
    this.write(
      `${this.head}{"index":0,"delta":{},"logprobs":null,"finish_reason":"${encodeFinishReason(reason)}"}]}\n\n`,
    )
  }

  fail(failure: Failure): void {
    this.state = 'failed'
    this.write(`data: ${JSON.stringify(chatErrorBody(failure))}\n\n`)
  }

  end(): void {
    if (this.state !== 'finished') return
    this.state = 'ended'
    if (this.includeUsage && this.counted !== null) {
      this.write(`${this.head}],"usage":${JSON.stringify(encodeChatUsage(this.counted))}}\n\n`)
    }
    this.write('data: [DONE]\n\n')
  }

  problem(): void {}

  repair(): void {}

  private delta(delta: string): void {
    this.write(`${this.head}{"index":0,"delta":${delta},"finish_reason":null}]}\n\n`)
  }
}
