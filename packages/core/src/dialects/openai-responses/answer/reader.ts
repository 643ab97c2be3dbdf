import type { FinishReason } from '../../../answer/answer.ts'
import type { CallPolicy } from '../../../answer/calls/policy.ts'
import { argumentsText, OtherCall } from '../../../answer/calls/structured-call.ts'
import { heldTooMuch, tooManyOf } from '../../../answer/failure.ts'
import { failureFromError } from '../../../answer/upstream-failure.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { RawJson } from '../../../json/raw.ts'
import { argumentsOfItem, callItems, flatName, type ToolKind } from '../tools.ts'
import { decodeResponsesUsage, decodeStatus } from '../words.ts'
import { type PartKind, partKindOfEvent, partKinds } from './parts.ts'
import { isPlainReasoning } from './plain-reasoning.ts'
import {
  type CallItem,
  ItemLookup,
  type OtherItem,
  type ReadItem,
  type TextItem,
  type Wire,
} from './read-items.ts'

export interface ReaderOptions {
  /** What becomes of calls that are of no function: calls of one, for other dialects, or items that stay as they are. */
  readonly calls: 'as functions' | 'as they came'
  /** What stands between two parts of reasoning, which the client gets as one text. */
  readonly partsBetween: string
  /** A proof came when something else had been said, and has no place any more. */
  readonly onLateProof?: () => void
}

/**
 * Reads the events of a response into a policy. Servers leave out much of what the dialect demands. Of an item the deltas
 * count as far as they go, and what its end, or the end of the response, says beyond them is added.
 */
export class ResponseReader {
  private readonly policy: CallPolicy
  private readonly options: ReaderOptions
  private readonly items = new ItemLookup()
  /** The item that the event is about which was read last. */
  about: ReadItem | undefined
  private keptLength = 0
  private readonly counted = { items: 0, parts: 0 }
  /** The item of which something was said last. */
  private current: ReadItem | null = null
  private end: { readonly reason: FinishReason } | null = null

  constructor(policy: CallPolicy, options: ReaderOptions) {
    this.policy = policy
    this.options = options
  }

  /** Whether the upstream has told the end of the response. */
  get isOver(): boolean {
    return this.end !== null
  }

  /** The item that an event would be about; undefined where it begins one, or is about none. */
  itemOf(data: JsonObject): ReadItem | undefined {
    return this.items.find(data)
  }

  read(wire: Wire): void {
    const { data } = wire
    const type = nonEmptyText(data['type']) ?? wire.event.event ?? ''
    if (this.end !== null) return
    this.about = this.items.find(data)
    if (isJsonObject(data['response']))
      this.policy.start(nonEmptyText(data['response']['id']), nonEmptyText(data['response']['model']))
    else if (!this.policy.isStarted) this.policy.start(null, null)
    const said = partKindOfEvent(type)
    if (said !== null) {
      this.readText(said.kind, data, said.is === 'delta' ? data['delta'] : data[said.kind.textField], said.is)
      return
    }
    switch (type) {
      case 'response.output_item.added':
        this.readAdded(wire)
        break
      case 'response.output_item.done':
        this.readDone(wire)
        break
      case 'response.function_call_arguments.delta':
        this.readArguments(data, 'delta')
        break
      case 'response.function_call_arguments.done':
        this.readArguments(data, 'whole')
        break
      case 'response.completed':
      case 'response.incomplete':
      case 'response.done':
        this.readEnd(objectIn(data, 'response'), type, wire)
        break
      case 'response.failed':
      case 'response.cancelled':
        this.readFailure(objectIn(data, 'response'))
        break
      default:
        if (this.options.calls === 'as they came') this.readOther(wire)
    }
  }

  /** More of the text that the last event was a delta of. */
  sayMore(text: string): void {
    const { current } = this
    if (current?.is === 'text' && current.last !== null)
      this.say(current, current.last.kind, current.last.at, text)
  }

  finish(): void {
    if (this.end !== null) this.policy.finish(this.end.reason, null)
  }

  /** An event about an item that only this dialect has stays behind that item. */
  private readOther(wire: Wire): void {
    const item = this.items.find(wire.data)
    if (item?.is !== 'other' || !namesItem(wire.data)) return
    this.tellOther(item, wire)
  }

  private readAdded(wire: Wire): void {
    const { data } = wire
    const item = this.items.begin(data, objectIn(data, 'item'), (came) => this.open(came))
    this.about = item
    if (item.is === 'call') this.addToCall(item, objectIn(data, 'item'))
    else if (item.is === 'other') this.tellOther(item, wire)
  }

  private open(came: JsonObject): ReadItem {
    this.count('items')
    const { type } = came
    if (type === 'message' || type === 'reasoning') {
      return {
        is: type === 'message' ? 'text' : 'reasoning',
        type,
        said: new Map(),
        last: null,
        state: 'open',
      }
    }
    const kind = kindsOfItems.get(type)
    const isCall = kind !== undefined && (kind === 'function' || this.options.calls === 'as functions')
    if (!isCall) {
      const call = kind === undefined ? null : new OtherCall(nameOfCall(kind, came))
      return { is: 'other', type, call, state: 'open' }
    }
    const { arguments: _, ...source } = came
    return { is: 'call', type, kind, call: this.policy.openCall(source), given: '', state: 'open' }
  }

  private tellOther(item: OtherItem, wire: Wire): void {
    this.turnTo(item)
    if (item.call === null) this.policy.other(wire, wire.event.data.length)
    else this.policy.otherCall(wire, item.call, wire.event.data.length)
  }

  private readText(kind: PartKind, data: JsonObject, value: unknown, is: 'delta' | 'whole'): void {
    const text = nonEmptyText(value)
    if (text === null) return
    const known = this.items.find(data)
    const isOwn = known !== undefined && known.is === kind.says
    // A delta without an item that it could belong to begins one.
    const item = isOwn
      ? known
      : this.items.begin(data, { type: itemTypes[kind.says] }, (came) => this.open(came))
    this.about = item
    if (item.is !== 'text' && item.is !== 'reasoning') return
    const at = data[kind.indexField]
    const place = typeof at === 'number' ? at : (item.last?.at ?? 0)
    if (is === 'delta') this.say(item, kind, place, text)
    else this.sayRest(item, kind, place, text)
  }

  private say(item: TextItem, kind: PartKind, at: number, text: string): void {
    // Some servers say the reasoning in both forms. Whichever came first counts.
    if (item.last !== null && item.is === 'reasoning' && item.last.kind.list !== kind.list) return
    this.turnTo(item)
    const isNext = item.is === 'reasoning' && item.last !== null && item.last.at !== at
    if (!this.mayKeep(text)) return
    const said = item.said.get(at)
    if (said === undefined) this.count('parts')
    item.said.set(at, (said ?? '') + text)
    item.last = { kind, at }
    const between = isNext ? this.options.partsBetween : ''
    if (item.is === 'text') this.policy.content(text)
    else this.policy.reasoning(between + text, kind.list)
  }

  /** What a whole text says beyond the deltas. What deltas have said otherwise cannot be taken back. */
  private sayRest(item: TextItem, kind: PartKind, at: number, whole: string): void {
    if (item.last !== null && item.is === 'reasoning' && item.last.kind.list !== kind.list) return
    const said = item.said.get(at) ?? ''
    if (said.length >= whole.length) return
    if (whole.startsWith(said)) this.say(item, kind, at, whole.slice(said.length))
    else this.policy.warnOnce('the end of an item repeats its text otherwise; what the deltas said counts')
  }

  private readArguments(data: JsonObject, is: 'delta' | 'whole'): void {
    const item = this.items.find(data)
    if (item?.is !== 'call' || item.state === 'done') return
    if (is === 'whole') {
      this.completeCall(item, data['arguments'], undefined)
    } else {
      const text = nonEmptyText(data['delta'])
      if (text === null || !this.mayKeep(text)) return
      this.turnTo(item)
      item.given += text
      item.call.addArguments(text)
    }
    this.policy.callGrew(item.call)
  }

  private readDone(wire: Wire): void {
    const { data } = wire
    const came = objectIn(data, 'item')
    const known = this.items.find(data)
    const isSame = known !== undefined && known.type === came['type']
    const item = isSame ? known : this.items.begin(data, came, (fresh) => this.open(fresh))
    this.about = item
    this.readWhole(item, came, (path) => new RawJson(wire.event.data).value(['item', ...path]))
    if (item.is === 'other') this.tellOther(item, wire)
  }

  /** All of an item. `raw`: the JSON of a value in it. */
  private readWhole(item: ReadItem, came: JsonObject, raw: RawValue): void {
    if (item.state === 'done') return
    item.state = 'done'
    if (item.is === 'call') {
      this.addToCall(item, came)
      const isFunction = item.kind === 'function'
      const given = isFunction ? came['arguments'] : JSON.stringify(argumentsOfItem(item.kind, came))
      this.completeCall(item, given, isFunction ? raw(['arguments']) : undefined)
      item.call.isClosed = true
      this.policy.callGrew(item.call)
    } else if (item.is !== 'other') {
      this.readParts(item, came)
      this.readProof(item, came)
    }
  }

  private readParts(item: TextItem, came: JsonObject): void {
    const lists = item.is === 'text' ? (['content'] as const) : reasoningLists(item, came)
    for (const list of lists) {
      for (const [at, part] of listIn(came, list).entries()) {
        const kind = isJsonObject(part) ? kindOfPart(part, item.is, list) : null
        const text = kind === null || !isJsonObject(part) ? null : nonEmptyText(part[kind.textField])
        if (kind !== null && text !== null) this.sayRest(item, kind, at, text)
      }
    }
    // Some servers have the text itself in the place of its parts.
    const { content } = came
    if (typeof content === 'string' && content !== '')
      this.sayRest(item, item.is === 'text' ? partKinds.output_text : partKinds.reasoning_text, 0, content)
  }

  private readProof(item: TextItem, came: JsonObject): void {
    const proof = nonEmptyText(came['encrypted_content'])
    if (proof === null || item.is !== 'reasoning') return
    if (isPlainReasoning(proof, [...item.said.values()].join(''))) {
      if (item.said.size === 0) this.say(item, partKinds.reasoning_text, 0, proof)
      return
    }
    if (this.current !== item && item.said.size > 0) this.options.onLateProof?.()
    else this.policy.proof(proof, item.said.size === 0 ? 'encrypted_content' : undefined)
  }

  private addToCall({ call, kind, state }: CallItem, came: JsonObject): void {
    call.addId(came['call_id'])
    const name = nameOfCall(kind, came)
    // The end of an item repeats the name.
    if (name !== null && (call.name === '' || state === 'open')) call.addName(name)
    this.policy.callGrew(call)
  }

  /** What the whole arguments say beyond the deltas. `raw` is their text, which keeps the digits of numbers. */
  private completeCall(item: CallItem, given: unknown, raw: string | undefined): void {
    const isText = typeof given === 'string'
    const whole = isText ? given : given === undefined || given === null ? '' : (raw ?? argumentsText(given))
    if (whole === '' || item.given === whole) return
    if (!isText && item.given === '' && whole.length > '{}'.length) item.call.noteRepair('encoded-arguments')
    if (item.given !== '' && !whole.startsWith(item.given)) {
      this.policy.warnOnce('the end of a call repeats its arguments otherwise; what the deltas said counts')
      return
    }
    this.turnTo(item)
    item.call.addArguments(whole.slice(item.given.length))
    item.given = whole
  }

  private readEnd(response: JsonObject, type: string, wire: Wire): void {
    const usage = decodeResponsesUsage(response['usage'])
    if (usage !== null) this.policy.usage(usage)
    if (response['status'] === 'failed' || response['status'] === 'cancelled') {
      this.readFailure(response)
      return
    }
    const raw = new RawJson(wire.event.data)
    for (const [at, came] of listIn(response, 'output').entries()) {
      if (!isJsonObject(came)) continue
      const item =
        this.items.findWhole(at, came) ?? this.items.begin({ item: came }, came, (fresh) => this.open(fresh))
      this.readWhole(item, came, (path) => raw.value(['response', 'output', at, ...path]))
    }
    this.end = { reason: decodeStatus(response, type) }
  }

  private readFailure(response: JsonObject): void {
    const { error } = response
    const isCancelled = response['status'] === 'cancelled'
    const message = isCancelled ? 'The upstream cancelled the response.' : undefined
    this.policy.fail(failureFromError(error ?? { message }))
  }

  /** What deltas say is kept to be compared with the end of the item, which says all of it again in one event. */
  private mayKeep(text: string): boolean {
    this.keptLength += text.length
    if (this.keptLength > mostKept) this.policy.fail(heldTooMuch('The text', mostKept))
    return !this.policy.isEnded
  }

  private count(what: 'items' | 'parts'): void {
    this.counted[what]++
    if (this.counted[what] > mostItems) this.policy.fail(tooManyOf(what, mostItems))
  }

  /** A proof belongs to the reasoning that was said last. */
  private turnTo(item: ReadItem): void {
    this.current = item
  }
}

/** No event is longer, so no end of an item can say more. */
const mostKept = 8_388_608
/** As many as there may be calls, and reasoning and text around each of them. */
const mostItems = 16_384

type RawValue = (path: readonly (string | number)[]) => string | undefined

const kindsOfItems: ReadonlyMap<unknown, ToolKind['kind']> = new Map(
  (['function', 'custom', 'tool_search', 'local_shell', 'shell', 'apply_patch'] as const).map((kind) => [
    callItems[kind].type,
    kind,
  ]),
)

const itemTypes = { text: 'message', reasoning: 'reasoning' } as const

/** Raw reasoning says more than its summary; where deltas have said one of the two, it is that one. */
function reasoningLists({ last }: TextItem, came: JsonObject): readonly ('content' | 'summary')[] {
  if (last !== null) return [last.kind.list]
  return listIn(came, 'content').length > 0 ? ['content'] : ['summary']
}

function kindOfPart(
  part: JsonObject,
  is: 'text' | 'reasoning',
  list: 'content' | 'summary',
): PartKind | null {
  if (is === 'reasoning') return list === 'summary' ? partKinds.summary_text : partKinds.reasoning_text
  if (part['type'] === 'refusal') return partKinds.refusal
  return part['type'] === 'output_text' || part['type'] === 'text' ? partKinds.output_text : null
}

/** The name under which a model would have been offered the tool. */
function nameOfCall(kind: ToolKind['kind'], item: JsonObject): string | null {
  const name = kind === 'function' || kind === 'custom' ? nonEmptyText(item['name']) : kind
  const namespace = nonEmptyText(item['namespace'])
  return name === null || namespace === null ? name : flatName({ kind, name, namespace })
}

function namesItem(data: JsonObject): boolean {
  return data['output_index'] !== undefined || data['item_id'] !== undefined
}

function listIn(object: JsonObject, field: string): readonly unknown[] {
  const value = object[field]
  return Array.isArray(value) ? value : []
}
