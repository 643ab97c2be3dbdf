import { AnswerReader, type AnswerReaderOptions } from '../../../answer/calls/reader.ts'
import type { StreamedAnswer } from '../../../answer/stream.ts'
import type { Failure, Usage } from '../../../answer/answer.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import type { StructuredCall } from '../../../answer/calls/structured-call.ts'
import { decodeStopReason } from './stop-reason.ts'
import { decodeAnthropicUsage, nothingCounted } from './usage.ts'

/** What a message says, in events or whole. */
export class MessageAnswer implements StreamedAnswer {
  private readonly reader: AnswerReader
  private readonly blocks = new Map<unknown, OpenBlock>()
  private counted: Usage = nothingCounted
  private stopWord: string | null = null
  private stopSequence: string | null = null

  constructor(options: AnswerReaderOptions) {
    this.reader = new AnswerReader(options)
  }

  get isStarted(): boolean {
    return this.reader.isStarted
  }

  get isEnded(): boolean {
    return this.reader.isEnded
  }

  get hasFinishReason(): boolean {
    return this.stopWord !== null
  }

  read(event: JsonObject): void {
    switch (event['type']) {
      case 'message_start':
        this.readStart(objectIn(event, 'message'))
        break
      case 'content_block_start':
        this.readBlockStart(event['index'], objectIn(event, 'content_block'))
        break
      case 'content_block_delta':
        this.readDelta(this.blocks.get(event['index']), objectIn(event, 'delta'))
        break
      case 'content_block_stop':
        this.readBlockStop(event['index'])
        break
      case 'message_delta':
        this.readEnd(objectIn(event, 'delta'), event['usage'])
        break
      case 'message_stop':
        this.finish()
        break
      default:
    }
  }

  /** A whole message: its blocks one by one, each in one piece. */
  readMessage(message: JsonObject): void {
    this.readStart(message)
    const { content } = message
    for (const [index, block] of (Array.isArray(content) ? content : []).entries()) {
      if (!isJsonObject(block)) continue
      this.readBlockStart(index, block)
      this.readBlockStop(index)
    }
    this.readEnd(message, message['usage'])
  }

  finish(): void {
    const reason = this.stopWord === null ? null : decodeStopReason(this.stopWord)
    this.reader.finish(reason, this.stopSequence)
  }

  fail(failure: Failure): void {
    this.reader.fail(failure)
  }

  warn(message: string): void {
    this.reader.warn(message)
  }

  private readStart(message: JsonObject): void {
    this.reader.start(nonEmptyText(message['id']), nonEmptyText(message['model']))
    this.readUsage(message['usage'])
  }

  private readBlockStart(index: unknown, block: JsonObject): void {
    if (!this.reader.isStarted) this.reader.start(null, null)
    const open: OpenBlock = { call: null, input: null, signature: [] }
    this.blocks.set(index, open)
    const { type } = block
    if (type === 'text' || type === 'thinking') {
      this.readDelta(open, { ...block, type: `${type}_delta` })
      if (nonEmptyText(block['signature']) !== null) open.signature.push(String(block['signature']))
    } else if (type === 'redacted_thinking') {
      this.reader.proof(nonEmptyText(block['data']) ?? '')
    } else if (type === 'tool_use') {
      open.call = this.reader.openCall()
      open.input = block['input'] ?? null
      open.call.addId(block['id'])
      open.call.addName(block['name'])
    } else {
      this.reader.warnOnce(`a block of type ${String(type)} has no place in the client's dialect; dropped`)
    }
  }

  private readDelta(block: OpenBlock | undefined, delta: JsonObject): void {
    switch (delta['type']) {
      case 'text_delta':
        this.reader.content(nonEmptyText(delta['text']) ?? '')
        break
      case 'thinking_delta':
        this.reader.reasoning(nonEmptyText(delta['thinking']) ?? '', 'thinking')
        break
      case 'signature_delta':
        block?.signature.push(nonEmptyText(delta['signature']) ?? '')
        break
      case 'input_json_delta':
        this.readInput(block, nonEmptyText(delta['partial_json']))
        break
      default:
        this.reader.warnOnce(
          `a delta of type ${String(delta['type'])} has no place in the client's dialect; dropped`,
        )
    }
  }

  /** The input of the start is empty where deltas follow; where none do, it is all there is. */
  private readInput(block: OpenBlock | undefined, json: string | null): void {
    if (json === null || block === undefined || block.call === null) return
    block.input = null
    block.call.addArguments(json)
    this.reader.callsGrew()
  }

  private readBlockStop(index: unknown): void {
    const block = this.blocks.get(index)
    if (block === undefined) return
    this.blocks.delete(index)
    this.reader.proof(block.signature.join(''))
    if (block.call === null || block.input === null) return
    block.call.addArguments(block.input)
    this.reader.callsGrew()
  }

  private readEnd(delta: JsonObject, usage: unknown): void {
    this.stopWord = nonEmptyText(delta['stop_reason']) ?? this.stopWord
    this.stopSequence = nonEmptyText(delta['stop_sequence']) ?? this.stopSequence
    this.readUsage(usage)
  }

  private readUsage(given: unknown): void {
    if (!isJsonObject(given)) return
    this.counted = decodeAnthropicUsage(given, this.counted)
    this.reader.usage(this.counted)
  }
}

interface OpenBlock {
  call: StructuredCall | null
  /** What came with the start of the block and no delta has replaced. */
  input: unknown
  readonly signature: string[]
}
