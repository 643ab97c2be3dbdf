import type { JsonObject } from '../../../json/objects.ts'
import { callItems, fieldsOfCall, type ToolKind } from '../tools.ts'
import { type EventWriter, inside } from './events.ts'
import { type PartKind, partKinds } from './parts.ts'

/** An item on its way to the client. One is open at a time. */
export type OpenItem = OpenText | OpenCall

export interface OpenText {
  readonly is: 'text' | 'reasoning'
  readonly index: number
  readonly id: string
  /** What the item has beside its parts. */
  readonly fields: JsonObject
  readonly lists: { content: JsonObject[]; summary: JsonObject[] }
  part: OpenPart | null
}

export interface OpenPart {
  readonly kind: PartKind
  readonly at: number
  readonly fields: JsonObject
  text: string
}

export interface OpenCall {
  readonly is: 'call'
  readonly index: number
  readonly id: string
  readonly kind: ToolKind
  /** The item without its arguments. */
  readonly fields: JsonObject
  json: string
}

/** How the end of a call came out. `repair` says what had to be changed. */
export type EndedCall =
  | { readonly is: 'written'; readonly repair: string | null }
  | { readonly is: 'invalid'; readonly message: string }

/**
 * Writes items: the message, reasoning and calls of an answer. What is done is kept, because the end of the stream
 * repeats it.
 */
export class ItemWriter {
  readonly done: JsonObject[] = []
  open: OpenItem | null = null
  readonly events: EventWriter
  private readonly idEnd: () => string
  private nextIndex = 0

  /** `idEnd`: what is the answer's own in the ids of its items. */
  constructor(events: EventWriter, idEnd: () => string) {
    this.events = events
    this.idEnd = idEnd
  }

  takeIndex(): number {
    return this.nextIndex++
  }

  /** Begins a message, or reasoning. Nothing may be open. */
  begin(is: 'text' | 'reasoning'): void {
    const index = this.takeIndex()
    const id = this.newId(is === 'text' ? 'msg_' : 'rs_', index)
    const fields =
      is === 'text'
        ? { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
        : { id, type: 'reasoning', summary: [] }
    this.open = { is, index, id, fields, lists: { content: [], summary: [] }, part: null }
    this.events.emit('response.output_item.added', inside({ output_index: index, item: fields }))
  }

  /** Adds to the item of text that is open, in a part of its own where none is open. */
  say(text: string): void {
    const { open } = this
    if (open === null || open.is === 'call') return
    const part = open.part ?? this.beginPart(open)
    part.text += text
    const { delta, type } = part.kind
    const logprobs = type === 'output_text' ? ',"logprobs":[]' : ''
    this.events.emit(delta, `${placeOf(open, part)},"delta":${JSON.stringify(text)}${logprobs}`)
  }

  private beginPart(open: OpenText): OpenPart {
    const kind = open.is === 'text' ? partKinds.output_text : partKinds.summary_text
    const part: OpenPart = { kind, at: open.lists[kind.list].length, fields: kind.empty, text: '' }
    open.part = part
    this.events.emit(kind.added, `${placeOf(open, part)},${inside({ part: kind.empty })}`)
    return part
  }

  /** Ends the part that is open. */
  endPart(): void {
    const { open } = this
    if (open === null || open.is === 'call' || open.part === null) return
    const { part } = open
    const { kind, text } = part
    const logprobs = kind.type === 'output_text' ? { logprobs: [] } : {}
    const place = placeOf(open, part)
    this.events.emit(kind.textDone, `${place},${inside({ [kind.textField]: text, ...logprobs })}`)
    const whole = this.takePart(open, part)
    this.events.emit(kind.done, `${place},${inside({ part: whole })}`)
  }

  /** The part is over: it belongs to what the item has. */
  takePart(open: OpenText, part: OpenPart): JsonObject {
    const whole = { ...part.fields, [part.kind.textField]: part.text }
    open.lists[part.kind.list].push(whole)
    open.part = null
    return whole
  }

  /**
   * Ends the item of text that is open. A call that is open is left as it is: nobody runs a call whose end did not come.
   * `more` are fields that are known only now.
   */
  close(status: 'completed' | 'incomplete' = 'completed', more: JsonObject = {}): void {
    const { open } = this
    if (open === null) return
    if (open.is !== 'call') {
      this.endPart()
      const item = { ...wholeText(open), ...more }
      // Reasoning has no status of its own.
      this.finish(open.index, open.is === 'text' ? { ...item, status } : item)
    }
    this.open = null
  }

  /** The item is over. */
  finish(index: number, item: JsonObject): void {
    this.done.push(item)
    this.events.emit('response.output_item.done', inside({ output_index: index, item }))
  }

  /**
   * Begins a call. `source`: what the upstream wrote around it. Calls that are of no function come in one piece at their end:
   * what their item says is known only then.
   */
  beginCall(kind: ToolKind, callId: string, source: JsonObject = {}): void {
    const index = this.nextIndex
    const { type, idPrefix } = callItems[kind.kind]
    const id = typeof source['id'] === 'string' ? source['id'] : this.newId(idPrefix, index)
    const fields = { ...source, id, type, call_id: callId, ...namesIn(kind) }
    this.open = { is: 'call', index, id, kind, fields, json: '' }
    if (kind.kind === 'function') this.begun(this.open, { arguments: '' })
  }

  addArguments(json: string): void {
    const { open } = this
    if (open?.is !== 'call' || json === '') return
    open.json += json
    if (open.kind.kind !== 'function') return
    const delta = `${placeOf(open, null)},"delta":${JSON.stringify(json)}`
    this.events.emit('response.function_call_arguments.delta', delta)
  }

  endCall(): EndedCall {
    const { open } = this
    if (open?.is !== 'call') return { is: 'written', repair: null }
    const came = fieldsOfCall(open.kind, open.json)
    this.open = null
    if (came.is === 'invalid') return came
    const { fields } = came
    const item = { ...open.fields, ...fields, status: 'completed' }
    const place = placeOf(open, null)
    switch (open.kind.kind) {
      case 'function': {
        const { name } = open.kind
        this.events.emit(
          'response.function_call_arguments.done',
          `${place},${inside({ arguments: open.json, name })}`,
        )
        break
      }
      case 'custom': {
        const { input } = fields
        this.begun(open, { input: '' })
        this.events.emit('response.custom_tool_call_input.delta', `${place},${inside({ delta: input })}`)
        this.events.emit('response.custom_tool_call_input.done', `${place},${inside({ input })}`)
        break
      }
      case 'tool_search':
        this.begun(open, { ...fields, arguments: {} })
        break
      default:
        this.begun(open, fields)
    }
    this.finish(open.index, item)
    return { is: 'written', repair: came.repair ?? null }
  }

  private begun({ index, fields }: OpenCall, empty: JsonObject): void {
    this.nextIndex = index + 1
    const item = { ...fields, ...empty, status: 'in_progress' }
    this.events.emit('response.output_item.added', inside({ output_index: index, item }))
  }

  private newId(prefix: string, index: number): string {
    return `${prefix}${this.idEnd()}${index}`
  }
}

/** The item of text with the parts that it has. */
export function wholeText({ fields, lists, is }: OpenText): JsonObject {
  if (is === 'text') return { ...fields, content: lists.content }
  const isRaw = lists.content.length > 0 || fields['content'] !== undefined
  return { ...fields, summary: lists.summary, ...(isRaw && { content: lists.content }) }
}

/** Which item an event is about, and which part of it. */
function placeOf({ id, index }: OpenItem, part: OpenPart | null): string {
  const place = `"item_id":${JSON.stringify(id)},"output_index":${index}`
  return part === null ? place : `${place},"${part.kind.indexField}":${part.at}`
}

/** The items of shells and searches have no name. */
function namesIn({ kind, name, namespace }: ToolKind): JsonObject {
  if (kind !== 'function' && kind !== 'custom') return {}
  return namespace === undefined ? { name } : { name, namespace }
}
