import { isBlank } from '../../../text/space.ts'
import { isJsonObject, objectIn, parseJson, type JsonObject } from '../../../json/objects.ts'
import type { SseItem } from '../../../sse/items.ts'
import { SseReader } from '../../../sse/reader.ts'

/** Puts the event stream of a message together again, for a client that does not stream. */
export class MessageCollector {
  // The whole message is held anyway; a limit for one event would only cut the message off at a long one.
  private readonly reader = new SseReader({ item: (item) => this.readItem(item) }, Number.MAX_SAFE_INTEGER)
  private message: Fields | null = null
  private readonly usage: Fields = new Map()
  private readonly blocks: CollectedBlock[] = []
  private readonly blockAt = new Map<unknown, CollectedBlock>()

  push(sseText: string): void {
    this.reader.push(sseText)
  }

  /** Null where no message began. */
  end(): JsonObject | null {
    this.reader.end()
    if (this.message === null) return null
    const whole = new Map(this.message)
    whole.set(
      'content',
      this.blocks.filter((block) => !block.isHalfACall).map((block) => block.value()),
    )
    if (this.usage.size > 0) whole.set('usage', Object.fromEntries(this.usage))
    return Object.fromEntries(whole)
  }

  private readItem(item: SseItem): void {
    const data = item.kind === 'event' ? parseJson(item.data) : undefined
    if (isJsonObject(data)) this.readEvent(data)
  }

  private readEvent(data: JsonObject): void {
    switch (data['type']) {
      case 'message_start':
        this.readStart(objectIn(data, 'message'))
        break
      case 'content_block_start':
        this.readBlockStart(data['index'], objectIn(data, 'content_block'))
        break
      case 'content_block_delta':
        this.blockAt.get(data['index'])?.add(objectIn(data, 'delta'))
        break
      case 'content_block_stop':
        this.blockAt.get(data['index'])?.close()
        break
      case 'message_delta':
        this.readMessageDelta(data)
        break
      default:
    }
  }

  private readStart(message: JsonObject): void {
    if (this.message !== null) return
    this.message = new Map(Object.entries(message))
    merge(this.usage, objectIn(message, 'usage'))
  }

  private readBlockStart(index: unknown, start: JsonObject): void {
    const block = new CollectedBlock(start)
    this.blocks.push(block)
    this.blockAt.set(index, block)
  }

  private readMessageDelta(data: JsonObject): void {
    const { type: _type, delta: _delta, usage: _usage, ...beside } = data
    const { type: _deltaType, ...delta } = objectIn(data, 'delta')
    if (this.message !== null) {
      merge(this.message, delta)
      merge(this.message, beside)
    }
    merge(this.usage, objectIn(data, 'usage'))
  }
}

/** A map, because a field may be named `__proto__`, and because copying an object for each delta would not be linear. */
type Fields = Map<string, unknown>

/** Null says that there is nothing new, not that what the start said is gone. */
function merge(fields: Fields, news: JsonObject): void {
  for (const [field, value] of Object.entries(news)) {
    if (value !== null || !fields.has(field)) fields.set(field, value)
  }
}

class CollectedBlock {
  private state: 'open' | 'closed' = 'open'
  private readonly fields: Fields
  /** What deltas add to the text in these fields, joined at the end. */
  private readonly pieces = new Map<string, string[]>()
  private readonly citations: unknown[] = []
  private inputJson: string[] | null = null

  constructor(start: JsonObject) {
    this.fields = new Map(Object.entries(start))
  }

  /** The stream, or the input, was cut inside a call: shown with the input it has, the call would look complete. */
  get isHalfACall(): boolean {
    if (this.state === 'open') return this.fields.has('input') || this.inputJson !== null
    const json = this.inputJson?.join('') ?? ''
    return !isBlank(json) && parseJson(json) === undefined
  }

  add(delta: JsonObject): void {
    switch (delta['type']) {
      case 'text_delta':
        this.addText('text', delta['text'])
        break
      case 'thinking_delta':
        this.addText('thinking', delta['thinking'])
        break
      case 'signature_delta':
        this.addText('signature', delta['signature'])
        break
      case 'citations_delta':
        if (delta['citation'] !== undefined) this.citations.push(delta['citation'])
        break
      case 'input_json_delta':
        this.inputJson ??= []
        if (typeof delta['partial_json'] === 'string') this.inputJson.push(delta['partial_json'])
        break
      default:
        this.replaceFields(delta)
    }
  }

  close(): void {
    this.state = 'closed'
  }

  value(): JsonObject {
    const whole = new Map(this.fields)
    for (const [field, pieces] of this.pieces) whole.set(field, textOf(whole.get(field)) + pieces.join(''))
    if (this.citations.length > 0)
      whole.set('citations', [...listOf(whole.get('citations')), ...this.citations])
    if (this.inputJson !== null) whole.set('input', inputOf(this.inputJson.join(''), whole.get('input')))
    return Object.fromEntries(whole)
  }

  private addText(field: string, text: unknown): void {
    if (typeof text !== 'string') return
    const pieces = this.pieces.get(field)
    if (pieces === undefined) this.pieces.set(field, [text])
    else pieces.push(text)
  }

  private replaceFields(delta: JsonObject): void {
    for (const [field, value] of Object.entries(delta)) {
      if (field === 'type') continue
      this.fields.set(field, value)
      this.pieces.delete(field)
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The input of the start is empty where deltas follow; where they say nothing, it is all there is. */
function inputOf(json: string, atStart: unknown): unknown {
  return (isBlank(json) ? atStart : parseJson(json)) ?? {}
}
