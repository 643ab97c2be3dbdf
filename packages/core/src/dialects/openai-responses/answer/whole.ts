import { protocolError } from '../../../answer/failure.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import type { WholeAnswer, WholeAsEvents, WholeCollector } from '../../../answer/whole.ts'
import { nineAlphanumerics } from '../../../ids/digest.ts'
import {
  isJsonObject,
  nonEmptyText,
  parseJson,
  parseWritableJson,
  type JsonObject,
} from '../../../json/objects.ts'
import { RawJson } from '../../../json/raw.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import type { SseItem } from '../../../sse/items.ts'
import { SseReader } from '../../../sse/reader.ts'
import { decodeStatus } from '../words.ts'
import { EventWriter, inside } from './events.ts'
import { partKindOf } from './parts.ts'
import { ResponseObject } from '../response-object.ts'

/** A whole response as the stream that says the same. */
export function responseAsEvents(body: string): WholeAsEvents {
  const response = parseWritableJson(body)
  if (!isJsonObject(response)) return { failure: protocolError('It is not a JSON object.') }
  if (isErrorValue(response)) return { failure: failureFromError(response) }
  const { output, status } = response
  if (!Array.isArray(output)) return { failure: protocolError('It has no output.') }
  if (status === 'failed' || status === 'cancelled') {
    return { failure: failureFromError({ message: `The upstream ended its response with "${status}".` }) }
  }
  const texts: string[] = []
  const events = new EventWriter((text) => texts.push(text))
  const begun = `"response":${JSON.stringify({ ...response, status: 'in_progress', output: [] })}`
  events.emit('response.created', begun)
  events.emit('response.in_progress', begun)
  const raw = new RawJson(body)
  for (const [index, item] of output.entries()) {
    if (isJsonObject(item)) itemEvents(events, item, index, raw.value(['output', index]))
  }
  const isCut = decodeStatus(response, 'response.completed') !== 'stop'
  // As it was written: numbers that are too long for ours keep their digits.
  events.emit(`response.${isCut ? 'incomplete' : 'completed'}`, `"response":${inOneLine(body)}`)
  return { events: texts.join(''), json: body }
}

/** A line break in JSON is white space: in a text it would be escaped. */
function inOneLine(json: string): string {
  return json.trim().replaceAll(/[\r\n]+/g, ' ')
}

/** `raw`: the item as it was written. */
function itemEvents(events: EventWriter, item: JsonObject, index: number, raw: string | undefined): void {
  const place = { ...(typeof item['id'] === 'string' && { item_id: item['id'] }), output_index: index }
  const added = (fields: JsonObject): void =>
    events.emit('response.output_item.added', inside({ output_index: index, item: { ...item, ...fields } }))
  switch (item['type']) {
    case 'message':
    case 'reasoning':
      added(emptied(item))
      for (const list of ['summary', 'content'] as const) partEvents(events, item, list, place)
      break
    case 'function_call':
      added({ arguments: '', status: 'in_progress' })
      callEvents(events, 'response.function_call_arguments', 'arguments', item, place)
      break
    case 'custom_tool_call':
      added({ input: '', status: 'in_progress' })
      callEvents(events, 'response.custom_tool_call_input', 'input', item, place)
      break
    default:
      added({})
  }
  const whole = raw === undefined ? JSON.stringify(item) : inOneLine(raw)
  events.emit('response.output_item.done', `"output_index":${index},"item":${whole}`)
}

/** An item of which nothing has been said. */
function emptied(item: JsonObject): JsonObject {
  const lists = ['summary', 'content'].filter((list) => Array.isArray(item[list])).map((list) => [list, []])
  return {
    ...Object.fromEntries(lists),
    ...(item['type'] === 'message' && { status: 'in_progress' }),
    encrypted_content: undefined,
  }
}

function partEvents(
  events: EventWriter,
  item: JsonObject,
  list: 'summary' | 'content',
  place: JsonObject,
): void {
  const parts: unknown = item[list]
  if (!Array.isArray(parts)) return
  for (const [at, part] of parts.entries()) {
    const kind = isJsonObject(part) ? partKindOf(part['type']) : null
    if (kind === null || kind.list !== list) continue
    const text = nonEmptyText(part[kind.textField])
    const where = inside({ ...place, [kind.indexField]: at })
    const logprobs = kind.type === 'output_text' ? { logprobs: [] } : {}
    events.emit(kind.added, `${where},${inside({ part: { ...part, ...kind.empty } })}`)
    if (text !== null) events.emit(kind.delta, `${where},${inside({ delta: text, ...logprobs })}`)
    events.emit(kind.textDone, `${where},${inside({ [kind.textField]: text ?? '', ...logprobs })}`)
    events.emit(kind.done, `${where},${inside({ part })}`)
  }
}

/** Arguments that are no text stay in the end of the item: whoever reads it puts them right, and tells. */
function callEvents(
  events: EventWriter,
  type: string,
  field: 'arguments' | 'input',
  item: JsonObject,
  place: JsonObject,
): void {
  const text = nonEmptyText(item[field])
  if (text === null) return
  const name = field === 'arguments' && typeof item['name'] === 'string' ? { name: item['name'] } : {}
  events.emit(`${type}.delta`, inside({ ...place, delta: text }))
  events.emit(`${type}.done`, inside({ ...place, [field]: text, ...name }))
}

/** A response that says just this text. The text gives it its id: no clock and no chance is at hand here. */
export function responseOfText(text: string): string {
  const idEnd = nineAlphanumerics(text)
  return new ResponseObject({ id: `resp_${idEnd}`, model: '', created: 0 }).json({
    status: 'completed',
    output: [messageOf(text, `msg_${idEnd}`)],
    usage: null,
    error: null,
    incomplete: null,
  })
}

/** The end of a response that has begun. Its place among the items is not known, and so not said. */
export function restOfResponse(text: string): string {
  const item = messageOf(text, `msg_${nineAlphanumerics(text)}`)
  return [
    { type: 'response.output_item.done', item },
    { type: 'response.completed', response: { status: 'completed' } },
  ]
    .map((event) => encodeSse({ event: event.type, data: JSON.stringify(event) }))
    .join('')
}

function messageOf(text: string, id: string): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { id, type: 'message', status: 'completed', role: 'assistant', content }
}

/** The last event of a stream holds all of the response. */
export class ResponseCollector implements WholeCollector {
  // The whole response is held anyway; a limit for one event would only cut it off at a long one.
  private readonly reader = new SseReader({ item: (item) => this.readItem(item) }, Number.MAX_SAFE_INTEGER)
  private whole: WholeAnswer | null = null

  push(sseText: string): void {
    this.reader.push(sseText)
  }

  /** Null where no response ended. */
  end(): WholeAnswer | null {
    this.reader.end()
    return this.whole
  }

  private readItem(item: SseItem): void {
    if (item.kind !== 'event' || !mayBeEnd.test(item.data)) return
    const data = parseJson(item.data)
    if (!isJsonObject(data) || !ends.has(data['type']) || !isJsonObject(data['response'])) return
    const json = new RawJson(item.data).value(['response']) ?? JSON.stringify(data['response'])
    this.whole = { value: data['response'], json }
  }
}

const ends: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete'])

/** Most events are deltas, which need not be read. */
const mayBeEnd = /response\.(?:completed|incomplete)/
