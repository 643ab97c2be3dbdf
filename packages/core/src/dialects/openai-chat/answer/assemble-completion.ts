import type { AnswerSink, Assembled, Failure, FinishReason, Usage } from '../../../answer/answer.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { encodeFinishReason } from './finish-reason.ts'
import { encodeChatUsage } from './usage.ts'

export interface ChatCompletionOptions {
  readonly id: string
  /** The name by which the client asked. */
  readonly model: string
  /** Seconds. */
  readonly created: number
}

export interface ChatCompletionAssembler extends AnswerSink {
  /** `open` until the answer has ended. */
  readonly result: Assembled<JsonObject>
}

/** Puts an answer together as one chat completion, for a client that does not stream. */
export function assembleChatCompletion(options: ChatCompletionOptions): ChatCompletionAssembler {
  return new CompletionAssembler(options)
}

class CompletionAssembler implements ChatCompletionAssembler {
  result: Assembled<JsonObject> = { is: 'open' }
  private readonly options: ChatCompletionOptions
  private readonly content: string[] = []
  private readonly thoughts: string[] = []
  private readonly calls: { readonly id: string; readonly name: string; readonly json: string[] }[] = []
  private counted: Usage | null = null
  private finishReason: string | null = null

  constructor(options: ChatCompletionOptions) {
    this.options = options
  }

  start(): void {}

  text(text: string): void {
    this.content.push(text)
  }

  reasoning(text: string): void {
    this.thoughts.push(text)
  }

  reasoningProof(): void {}

  callStart(_index: number, id: string, name: string): void {
    this.calls.push({ id, name, json: [] })
  }

  callDelta(_index: number, json: string): void {
    this.calls.at(-1)?.json.push(json)
  }

  callEnd(): void {
    const json = this.calls.at(-1)?.json
    if (json?.join('') === '') json.push('{}')
  }

  usage(usage: Usage): void {
    this.counted = usage
  }

  finish(reason: FinishReason): void {
    this.finishReason = encodeFinishReason(reason)
  }

  fail(failure: Failure): void {
    this.result = { is: 'failed', failure }
  }

  end(): void {
    if (this.result.is === 'failed') return
    const { id, model, created } = this.options
    const choice = { index: 0, message: this.message(), logprobs: null, finish_reason: this.finishReason }
    const answer = { id, object: 'chat.completion', created, model, choices: [choice] }
    const value = this.counted === null ? answer : { ...answer, usage: encodeChatUsage(this.counted) }
    this.result = { is: 'whole', value, json: JSON.stringify(value) }
  }

  problem(): void {}

  repair(): void {}

  private message(): JsonObject {
    const content = this.content.join('')
    const reasoning = this.thoughts.join('')
    const calls = this.calls.map(({ id, name, json }) => ({
      id,
      type: 'function',
      function: { name, arguments: json.join('') },
    }))
    return {
      role: 'assistant',
      content: content === '' && calls.length > 0 ? null : content,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }
  }
}
