import type { AnswerSink, Assembled, Failure, FinishReason, Usage } from '../../../answer/answer.ts'
import { parseJson, type JsonObject } from '../../../json/objects.ts'
import { MessageBlocks, type BlockOutput, type MessageOptions } from './message-blocks.ts'
import { encodeStopReason } from './stop-reason.ts'
import { encodeAnthropicUsage } from './usage.ts'

export interface AnthropicMessageOptions extends MessageOptions {
  readonly messageId: string
  /** The name by which the client asked. */
  readonly model: string
}

export interface AnthropicMessageAssembler extends AnswerSink {
  /** `open` until the answer has ended. */
  readonly result: Assembled<JsonObject>
}

/** Puts an answer together as one message, for a client that does not stream: the same blocks as in a stream. */
export function assembleAnthropicMessage(options: AnthropicMessageOptions): AnthropicMessageAssembler {
  return new MessageAssembler(new WholeOutput(options), options)
}

class MessageAssembler extends MessageBlocks implements AnthropicMessageAssembler {
  private readonly whole: WholeOutput

  constructor(whole: WholeOutput, options: MessageOptions) {
    super(whole, options)
    this.whole = whole
  }

  get result(): Assembled<JsonObject> {
    return this.whole.result
  }
}

class WholeOutput implements BlockOutput {
  result: Assembled<JsonObject> = { is: 'open' }
  private readonly options: AnthropicMessageOptions
  private readonly blocks: JsonObject[] = []
  private readonly blockTexts: string[] = []
  private block: JsonObject = {}
  private pieces: string[] = []

  constructor(options: AnthropicMessageOptions) {
    this.options = options
  }

  start(): void {}

  textStart(): void {
    this.begin({ type: 'text' })
  }

  text(_index: number, text: string): void {
    this.pieces.push(text)
  }

  thinkingStart(): void {
    this.begin({ type: 'thinking' })
  }

  thinking(_index: number, text: string): void {
    this.pieces.push(text)
  }

  signature(_index: number, signature: string): void {
    this.block = { ...this.block, signature }
  }

  toolStart(_index: number, id: string, name: string): void {
    this.begin({ type: 'tool_use', id, name })
  }

  input(_index: number, json: string): void {
    this.pieces.push(json)
  }

  /** A block that never gets here is half a call; it is left out. */
  stop(): void {
    const { block } = this
    const text = this.pieces.join('')
    if (block['type'] === 'text') this.add({ type: 'text', text })
    else if (block['type'] === 'thinking') this.add({ type: 'thinking', thinking: text, ...block })
    else this.addCall(block, text)
  }

  private add(block: JsonObject): void {
    this.blocks.push(block)
    this.blockTexts.push(JSON.stringify(block))
  }

  private addCall(block: JsonObject, text: string): void {
    const input = parseJson(text)
    this.blocks.push({ ...block, input: input ?? {} })
    this.blockTexts.push(
      `${JSON.stringify(block).slice(0, -1)},"input":${input === undefined ? '{}' : text}}`,
    )
  }

  end(reason: FinishReason, stopSequence: string | null, usage: Usage): void {
    const { messageId, model } = this.options
    const head = { id: messageId, type: 'message', role: 'assistant', model }
    const ending = {
      stop_reason: encodeStopReason(reason),
      stop_sequence: stopSequence,
      usage: encodeAnthropicUsage(usage),
    }
    const [first, last] = [JSON.stringify(head).slice(0, -1), JSON.stringify(ending).slice(1)]
    this.result = {
      is: 'whole',
      value: { ...head, content: this.blocks, ...ending },
      json: `${first},"content":[${this.blockTexts.join(',')}],${last}`,
    }
  }

  fail(failure: Failure): void {
    this.result = { is: 'failed', failure }
  }

  private begin(block: JsonObject): void {
    this.block = block
    this.pieces = []
  }
}
