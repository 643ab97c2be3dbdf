import { protocolError } from '../../../answer/failure.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import type { WholeAnswer, WholeAsEvents, WholeCollector } from '../../../answer/whole.ts'
import type { TextOrigin } from '../../dialect.ts'
import { nineAlphanumerics } from '../../../ids/digest.ts'
import {
  isJsonObject,
  nonEmptyText,
  objectIn,
  parseJson,
  parseWritableJson,
  type JsonObject,
} from '../../../json/objects.ts'
import { RawJson } from '../../../json/raw.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import type { SseItem } from '../../../sse/items.ts'
import { SseReader } from '../../../sse/reader.ts'
import { isBlank } from '../../../text/space.ts'
import { decodeStopReason, encodeAnthropicUsage, encodeStopReason, nothingCounted } from '../words.ts'

/** A whole message as the stream that says the same. */
export function messageAsEvents(body: string): WholeAsEvents {
  const message = parseWritableJson(body)
  if (!isJsonObject(message)) return { failure: protocolError('It is not a JSON object.') }
  if (isErrorValue(message)) return { failure: failureFromError(message) }
  if (!Array.isArray(message['content'])) return { failure: protocolError('It has no content.') }
  const raw = new RawJson(body)
  return { events: eventsOf(message, (index) => raw.value(['content', index, 'input'])), json: body }
}

/** A message that says just this text. The text gives it its id: no clock and no chance is at hand here. */
export function messageOfText(text: string, origin?: TextOrigin): string {
  return JSON.stringify({
    id: `msg_${nineAlphanumerics(text)}`,
    type: 'message',
    role: 'assistant',
    model: origin?.model ?? '',
    content: [{ type: 'text', text }],
    stop_reason: encodeStopReason('stop'),
    stop_sequence: null,
    usage: encodeAnthropicUsage(nothingCounted),
  })
}

/** The event stream of a whole message, for a client that streams: each text and each input in one delta. */
export function streamOfMessage(message: JsonObject): string {
  const usage = objectIn(message, 'usage')
  // Clients read these two counts without looking whether they are there, and fail where they are not.
  const counts = { input_tokens: usage['input_tokens'] ?? 0, output_tokens: usage['output_tokens'] ?? 0 }
  return eventsOf({ ...message, usage: { ...usage, ...counts } }, () => undefined)
}

/** `rawInput`: the input of a block as it was written, where that is known. */
function eventsOf(message: JsonObject, rawInput: (index: number) => string | undefined): string {
  const { content } = message
  const blocks = (Array.isArray(content) ? content : []).flatMap((block: unknown, at) =>
    isJsonObject(block) ? [inPieces(block, isJsonObject(block['input']) ? rawInput(at) : undefined)] : [],
  )
  return [startOf(message), ...blocks.map(blockEvents), endOf(message), event('message_stop', {})].join('')
}

function startOf(message: JsonObject): string {
  const { usage } = message
  const written = isJsonObject(usage) ? usage['output_tokens'] : undefined
  // A stream begins with the count of its first token. Clients that add the counts of start and end would count
  // the whole answer twice.
  const begun = typeof written === 'number' ? Math.min(written, 1) : written
  return event('message_start', {
    message: {
      ...message,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...(isJsonObject(usage) ? { usage: { ...usage, output_tokens: begun } } : {}),
    },
  })
}

function endOf(message: JsonObject): string {
  const delta = {
    stop_reason: message['stop_reason'] ?? null,
    stop_sequence: message['stop_sequence'] ?? null,
    ...presentIn(message, ['container', 'stop_details']),
  }
  const beside = presentIn(message, ['context_management'])
  return event('message_delta', { delta, ...presentIn(message, ['usage']), ...beside })
}

function presentIn(message: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(
    fields.filter((field) => message[field] !== undefined).map((field) => [field, message[field]]),
  )
}

function blockEvents({ start, deltas }: Pieces, index: number): string {
  return [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ].join('')
}

interface Pieces {
  readonly start: JsonObject
  readonly deltas: readonly JsonObject[]
}

/** What clients take from deltas goes there; whatever else a block has stands in its start. */
function inPieces(block: JsonObject, rawInput: string | undefined): Pieces {
  switch (block['type']) {
    case 'text':
      return textInPieces(block)
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [...textDelta(block, 'thinking'), ...textDelta(block, 'signature')],
      }
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      // An input that is missing, or the text of its JSON, stays in the start: whoever reads it puts it right, and tells.
      if (!isJsonObject(block['input'])) return { start: block, deltas: [] }
      return {
        start: { ...block, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: rawInput ?? JSON.stringify(block['input']) }],
      }
    default:
      return { start: block, deltas: [] }
  }
}

function textInPieces(block: JsonObject): Pieces {
  const { citations } = block
  const start = { ...block, text: '' }
  const deltas = textDelta(block, 'text')
  if (!Array.isArray(citations)) return { start, deltas }
  const cited = citations.map((citation: unknown) => ({ type: 'citations_delta', citation }))
  return { start: { ...start, citations: [] }, deltas: [...deltas, ...cited] }
}

/** Strict clients refuse an empty delta. */
function textDelta(block: JsonObject, field: 'text' | 'thinking' | 'signature'): JsonObject[] {
  const text = nonEmptyText(block[field])
  return text === null ? [] : [{ type: `${field}_delta`, [field]: text }]
}

function event(type: string, fields: JsonObject): string {
  return encodeSse({ event: type, data: JSON.stringify({ type, ...fields }) })
}

/** Puts the event stream of a message together again, for a client that does not stream. */
export class MessageCollector implements WholeCollector {
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
  end(): WholeAnswer | null {
    this.reader.end()
    if (this.message === null) return null
    const word = nonEmptyText(this.message.get('stop_reason'))
    const isCut = word !== null && decodeStopReason(word) === 'length'
    const blocks = this.blocks.filter((block) => !block.isHalfACall(isCut && block === this.blocks.at(-1)))
    const whole = new Map(this.message)
    whole.set(
      'content',
      blocks.map((block) => block.value()),
    )
    if (this.usage.size > 0) whole.set('usage', Object.fromEntries(this.usage))
    const fields = [...whole].map(([field, value]) => {
      const text =
        field === 'content' ? `[${blocks.map((block) => block.json()).join(',')}]` : JSON.stringify(value)
      return `${JSON.stringify(field)}:${text}`
    })
    return { value: Object.fromEntries(whole), json: `{${fields.join(',')}}` }
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

  /**
   * The stream, or the input, was cut inside a call: shown with the input it has, the call would look complete.
   * `isCut`: the model was stopped in this block.
   */
  isHalfACall(isCut: boolean): boolean {
    const isCall = this.fields.has('input') || this.inputJson !== null
    if (this.state === 'open' || !isCall) return isCall
    const json = this.inputJson?.join('') ?? ''
    return isBlank(json) ? isCut : parseJson(json) === undefined
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

  /** The block as text, with its input as it was written. */
  json(): string {
    const block = this.value()
    const raw = this.inputJson?.join('') ?? ''
    if (block['input'] === undefined || isBlank(raw)) return JSON.stringify(block)
    const fields = Object.entries(block).map(
      ([field, value]) => `${JSON.stringify(field)}:${field === 'input' ? raw : JSON.stringify(value)}`,
    )
    return `{${fields.join(',')}}`
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
