import type { FinishReason, UpstreamCall } from '../../../answer/answer.ts'
import type { CallPolicy } from '../../../answer/calls/policy.ts'
import type { StructuredCall } from '../../../answer/calls/structured-call.ts'
import { type Failure, invalidArguments, missingEnd, noContent } from '../../../answer/failure.ts'
import {
  Comparison,
  neverAsItCame,
  type PatchOptions,
  type Piece,
  PieceCollector,
  SaidArguments,
} from '../../../answer/patch.ts'
import type { WireAnswer } from '../../../answer/stream.ts'
import { isJsonObject, nonEmptyText, objectIn, parseJson, type JsonObject } from '../../../json/objects.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import type { SseComment, SseEvent, SseFields } from '../../../sse/items.ts'
import { responsesErrorFields } from '../errors.ts'
import { flatName, type ToolKind, type ToolKinds, toolKindsOf } from '../tools.ts'
import { decodeResponsesUsage, decodeStatus, encodeResponsesUsage, encodeStatus } from '../words.ts'
import { EventWriter, inside } from './events.ts'
import { ItemWriter, type OpenCall } from './items.ts'
import { partKindOfEvent } from './parts.ts'
import { type CallItem, type OtherItem, ResponseReader, type TextItem, type Wire } from './reader.ts'
import { TextItems } from './text-items.ts'
import { WirePasser } from './wires.ts'

/**
 * The stream of a response on its way to a client of the same dialect. An event in which nothing has to change is written
 * as it came; what the policy made otherwise goes into items of ours, and the end of the response names those instead.
 */
export function patchResponsesAnswer(options: PatchOptions): WireAnswer {
  return new ResponsePatch(options)
}

class ResponsePatch implements WireAnswer {
  failure: Failure | null = null
  private progress: 'new' | 'reading' | 'finished' | 'ended' = 'new'
  private readonly options: PatchOptions
  private readonly made = new PieceCollector('as the upstream')
  private readonly policy: CallPolicy
  private readonly reader: ResponseReader
  private readonly events: EventWriter
  private readonly items: ItemWriter
  private readonly wires: WirePasser
  private readonly texts: TextItems
  private readonly kinds: ToolKinds
  private readonly comparison = new Comparison<CallWire>()
  private readonly saidArguments = new SaidArguments()
  /** Under which numbers the items go on that only this dialect has. */
  private readonly otherIndexes = new Map<unknown, number>()
  /** The structured call whose item is open. */
  private openCall: UpstreamCall | null = null
  /** Where the upstream repeats the arguments of that call. It waits: the arguments may still become others. */
  private argumentsDone: Wire | null = null
  /** What the upstream has told of the response around its items. */
  private response: JsonObject = {}
  /** Whether an item of the response is another than the upstream's. */
  private isEdited = false

  constructor(options: PatchOptions) {
    this.options = options
    this.policy = options.openPolicy(this.made, 0)
    this.reader = new ResponseReader(this.policy, { calls: 'as they came', partsBetween: '' })
    this.events = new EventWriter((text) => options.output.push(text))
    this.items = new ItemWriter(this.events, () => idEndOf(this.response))
    this.wires = new WirePasser(options.output, this.events)
    this.texts = new TextItems(this.items, this.wires, options.signature)
    this.kinds = toolKindsOf(options.request?.tools ?? [])
  }

  get isStarted(): boolean {
    return this.progress !== 'new'
  }

  get isEnded(): boolean {
    return this.progress === 'ended'
  }

  get hasFinishReason(): boolean {
    return this.progress === 'finished'
  }

  keepAlive(): string | null {
    return this.progress === 'reading' ? this.events.made('keepalive', '') : null
  }

  read(came: JsonObject, event: SseEvent): void {
    if (this.progress === 'ended' || this.progress === 'finished') return
    this.progress = 'reading'
    const wire = standard({ data: came, event })
    const { data } = wire
    const { type } = data
    if (isJsonObject(data['response'])) this.response = { ...this.response, ...data['response'] }
    if (isEndOfResponse(type)) {
      this.readEnd(wire)
      return
    }
    if (type === 'response.output_item.added') this.readAdded(wire)
    else this.readWithin(wire)
    this.failIfBroken()
  }

  beside(item: SseComment | SseFields): void {
    this.options.output.beside(item)
  }

  foreign(event: SseEvent, fault: string): void {
    this.options.onWarning?.(`${fault}; passed on as it came`)
    this.options.output.event(event)
  }

  /** `event` is a marker behind the end of the response, which some servers send. */
  finish(event: SseEvent | null): void {
    if (this.progress === 'finished') {
      this.progress = 'ended'
      if (event !== null) this.options.output.event(event)
      this.options.output.close()
    } else if (this.progress !== 'ended') {
      this.fail(missingEnd(true, false), null)
    }
  }

  fail(failure: Failure, event: SseEvent | null): void {
    if (this.progress === 'finished') this.progress = 'ended'
    if (this.progress === 'ended') return
    this.policy.fail(failure)
    this.endWith(failure, event)
  }

  cutOff(): void {
    this.policy.leave()
    this.settle(this.made.take())
    if (this.texts.isEnded) this.texts.close()
    this.failIfBroken()
    this.progress = 'ended'
  }

  private readAdded(wire: Wire): void {
    this.reader.read(wire)
    const item = this.reader.itemOf(wire.data)
    if (item === undefined) return
    switch (item.is) {
      case 'text':
      case 'reasoning': {
        const made = this.made.take()
        this.settle([])
        this.texts.begin(wire, item.is, item)
        this.play(made)
        break
      }
      case 'call':
        this.compare(wire, item.call, this.startPieces(objectIn(wire.data, 'item'), item))
        break
      case 'other':
        this.compareOther(wire, item)
    }
  }

  /** An event about an item that has begun, or about none. */
  private readWithin(wire: Wire): void {
    const { data } = wire
    const before = this.reader.itemOf(data)
    const given = before?.is === 'call' ? before.given : ''
    const isSettled = before?.state === 'done'
    this.reader.read(wire)
    const item = namesItem(data) ? this.reader.itemOf(data) : undefined
    if (item === undefined) {
      this.texts.passBeside(wire)
      return
    }
    switch (item.is) {
      case 'text':
      case 'reasoning':
        this.readText(wire, item)
        break
      case 'call':
        if (isSettled) this.wires.leaveOut(wire)
        else this.compare(wire, item.call, this.callPieces(wire, item, given))
        break
      case 'other':
        this.compareOther(wire, item)
    }
  }

  private readText(wire: Wire, item: TextItem): void {
    const made = this.made.take()
    const said = partKindOfEvent(String(wire.data['type']))
    const text = said?.is === 'delta' ? nonEmptyText(wire.data['delta']) : null
    if (text === null) {
      // What ends an item can say more of it than its deltas did.
      if (made.length > 0) this.settle(made)
      this.texts.passOther(wire, item)
      return
    }
    const [only] = made
    const isSame =
      made.length === 1 && only?.is === item.is && only.text === text && !this.comparison.isWaiting
    if (!this.texts.passDelta(wire, item, text, isSame)) this.settle(made)
  }

  private compareOther(wire: Wire, { call }: OtherItem): void {
    this.compare(wire, null, [{ is: 'other', item: wire, index: call?.index ?? null }])
  }

  /** What the start of a call says. A call that is none of a function to the client never passes as it came. */
  private startPieces(item: JsonObject, { call, kind }: CallItem): Piece[] {
    const [id, name] = [nonEmptyText(item['call_id']), nonEmptyText(item['name'])]
    const namespace = nonEmptyText(item['namespace'])
    if (id === null || name === null || nonEmptyText(item['id']) === null) return [neverAsItCame]
    const flat = namespace === null ? name : flatName({ kind, name, namespace })
    const meant = this.kinds.kindOf(flat)
    const isAsMeant =
      meant.kind === 'function' && meant.name === name && (meant.namespace ?? null) === namespace
    if (!isAsMeant || saysSomething(item['arguments'])) return [neverAsItCame]
    return [{ is: 'call', index: call.ordinal, id, name: flat, call: null }]
  }

  private callPieces({ data }: Wire, { call }: CallItem, given: string): Piece[] {
    const { open } = this.items
    const isOpen = call === this.openCall && open?.is === 'call'
    if (isOpen && open.kind.kind !== 'function') return [neverAsItCame]
    const index = call.ordinal
    const argumentsSaid = (json: string): Piece[] => {
      const said = json === '' ? '' : this.saidArguments.textOf(json, call)
      return said === '' ? [] : [{ is: 'arguments', index, json: said }]
    }
    switch (data['type']) {
      case 'response.function_call_arguments.delta':
        return argumentsSaid(nonEmptyText(data['delta']) ?? '')
      case 'response.function_call_arguments.done':
        return restOf(data['arguments'], given) === '' ? [] : [neverAsItCame]
      case 'response.output_item.done': {
        const said = objectIn(data, 'item')['arguments']
        const rest = restOf(said, given)
        // Arguments may come with the end alone. Where a part has come before, the rest comes like it.
        if (typeof said !== 'string' || (rest !== '' && given !== '')) return [neverAsItCame]
        return [...argumentsSaid(rest), { is: 'call-end', index }]
      }
      default:
        return []
    }
  }

  /** `call` is the one that the event is about; null for an item that only this dialect has. */
  private compare(wire: Wire, call: StructuredCall | null, said: readonly Piece[]): void {
    const verdict = this.comparison.take({ wire, call }, said, this.made.take())
    if (verdict.is === 'edit') {
      this.silence([...verdict.silent, { wire, call }])
      this.play(verdict.pieces)
    } else if (verdict.is === 'pass') {
      for (const event of verdict.events) this.passOn(event)
    }
  }

  /** Nothing more is said in the events that wait. */
  private settle(made: readonly Piece[]): void {
    const verdict = this.comparison.settle(made)
    if (verdict.is === 'edit') {
      this.silence(verdict.silent)
      this.play(verdict.pieces)
    } else {
      for (const event of verdict.events) this.passOn(event)
    }
  }

  /** Items that only this dialect has are said by their own events, which go on where they are played. */
  private silence(events: readonly CallWire[]): void {
    for (const { wire, call } of events) if (call !== null) this.wires.leaveOut(wire)
  }

  /** An event of a call or of another item that goes on as it came. */
  private passOn({ wire, call }: CallWire): void {
    const { data } = wire
    const item = objectIn(data, 'item')
    if (call === null) {
      this.passOther(wire)
      return
    }
    if (data['type'] === 'response.output_item.added') {
      this.dropArgumentsDone()
      this.texts.leave()
      this.openCall = call
      const index = this.items.takeIndex()
      const kind: ToolKind = { kind: 'function', name: nonEmptyText(item['name']) ?? '' }
      const id = nonEmptyText(item['id']) ?? ''
      this.items.open = { is: 'call', index, id, kind, fields: item, json: '' }
      this.wires.pass(wire, { output_index: index })
      return
    }
    const { open } = this.items
    // Some servers send more of a call whose item has ended, which says nothing then.
    if (open?.is !== 'call' || call !== this.openCall) {
      this.wires.leaveOut(wire)
      return
    }
    const place = { output_index: open.index }
    switch (data['type']) {
      case 'response.function_call_arguments.delta':
        open.json += nonEmptyText(data['delta']) ?? ''
        this.note(this.wires.pass(wire, { ...place, item_id: open.id }))
        break
      case 'response.function_call_arguments.done':
        this.dropArgumentsDone()
        this.argumentsDone = wire
        break
      case 'response.output_item.done': {
        this.endArguments(open)
        open.json += restOf(item['arguments'], open.json)
        const { call_id, name } = open.fields
        const whole = { ...item, id: open.id, call_id, name, arguments: open.json }
        this.items.open = null
        this.items.done.push(whole)
        this.note(this.wires.pass(wire, { ...place, item: whole }))
        break
      }
      default:
        this.wires.pass(wire, place)
    }
  }

  /** Repeats the arguments, in the upstream's own event where it sent one. */
  private endArguments({ id, index, json }: OpenCall): void {
    const wire = this.argumentsDone
    this.argumentsDone = null
    const fields = { item_id: id, output_index: index, arguments: json }
    if (wire !== null) this.note(this.wires.pass(wire, fields))
    else if (json !== '') this.events.emit('response.function_call_arguments.done', inside(fields))
  }

  private dropArgumentsDone(): void {
    if (this.argumentsDone !== null) this.wires.leaveOut(this.argumentsDone)
    this.argumentsDone = null
  }

  private passOther(wire: Wire): void {
    const { data } = wire
    const key = data['output_index'] ?? data['item_id'] ?? objectIn(data, 'item')['id']
    let index = this.otherIndexes.get(key)
    if (index === undefined || data['type'] === 'response.output_item.added') {
      this.texts.leave()
      index = this.items.takeIndex()
      this.otherIndexes.set(key, index)
    }
    if (data['type'] === 'response.output_item.done') this.items.done.push(objectIn(data, 'item'))
    this.note(this.wires.pass(wire, { output_index: index }))
  }

  private play(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      switch (piece.is) {
        case 'text':
        case 'reasoning':
          this.texts.say(piece.is, piece.text)
          break
        case 'call':
          this.beginCall(piece)
          break
        case 'arguments':
          this.items.addArguments(piece.json)
          break
        case 'call-end':
          this.endCall()
          break
        case 'other':
          if (isWire(piece.item)) this.passOther(piece.item)
      }
    }
  }

  private beginCall({ id, name, call }: Extract<Piece, { is: 'call' }>): void {
    this.isEdited = true
    this.dropArgumentsDone()
    this.texts.leave()
    this.openCall = call
    const kind = this.kinds.kindOf(name)
    const { id: itemId, ...source } = call?.source ?? {}
    this.items.beginCall(
      kind,
      id,
      kind.kind === 'function' && itemId !== undefined ? { ...source, id: itemId } : source,
    )
  }

  private endCall(): void {
    this.isEdited = true
    this.dropArgumentsDone()
    const ended = this.items.endCall()
    if (ended.is === 'invalid') this.policy.fail(invalidArguments(ended.message))
    else if (ended.repair !== null) this.policy.repair('unwrapped-arguments')
  }

  /** The upstream has told the end of the response. Nothing of it may follow but a marker. */
  private readEnd(wire: Wire): void {
    this.reader.read(wire)
    this.reader.finish()
    this.settle(this.made.take())
    const { ending } = this.made
    if (ending.is === 'failed') {
      this.endWith(ending.failure, null)
    } else if (ending.is === 'finished') {
      this.texts.leave()
      this.writeEnd(wire, ending.reason)
    }
  }

  private writeEnd(wire: Wire, reason: FinishReason): void {
    const came = objectIn(wire.data, 'response')
    const told = encodeStatus(decodeStatus(came, String(wire.data['type'])))
    const { status, incomplete } = encodeStatus(reason)
    // A client that gets a response of nothing takes the turn for over, and says nothing.
    if (this.items.done.length === 0 && status === 'completed') {
      this.endWith(noContent, null)
      return
    }
    this.progress = 'finished'
    const changes = {
      ...(told.status !== status && { status, incomplete_details: { reason: incomplete } }),
      ...(this.isOutputAnother(came['output']) && { output: this.items.done }),
      ...wholeUsage(came['usage']),
    }
    if (Object.keys(changes).length === 0) {
      this.wires.pass(wire)
      return
    }
    const response = { ...this.response, ...came, status, ...changes }
    if (told.status === status) this.wires.pass(wire, { response })
    else this.wires.pass(renamed(wire, `response.${status}`), { response })
  }

  private isOutputAnother(output: unknown): boolean {
    if (this.isEdited || this.texts.isEdited || !Array.isArray(output)) return true
    return output.length !== this.items.done.length
  }

  private note(isChanged: boolean): void {
    this.isEdited ||= isChanged
  }

  private failIfBroken(): void {
    const { ending } = this.made
    if (ending.is === 'failed' && this.progress !== 'ended') this.endWith(ending.failure, null)
  }

  /**
   * Nothing follows: a client that misses the error must not take a cut answer for a whole one. What is open stays so; an
   * item that the upstream has ended is whole.
   */
  private endWith(failure: Failure, event: SseEvent | null): void {
    this.settle(this.made.take())
    if (this.texts.isEnded) this.texts.close()
    this.progress = 'ended'
    this.failure = failure
    const told = event === null ? undefined : parseJson(event.data)
    const ours = responsesErrorFields(failure)
    const { code, message, param } = ours
    const fields = { code, message, param, error: ours }
    const error =
      event !== null && isWholeError(event, told)
        ? encodeSse({ ...event, data: JSON.stringify(this.numbered(told)) })
        : this.events.made('error', inside(fields))
    const response = { ...this.response, status: 'failed', error: { code, message }, output: this.items.done }
    this.options.output.error(error + this.events.made('response.failed', inside({ response })))
  }

  private numbered(told: unknown): JsonObject {
    const data = objectIn({ told }, 'told')
    const { sequence_number: came } = data
    return typeof came === 'number' ? { ...data, sequence_number: this.events.numberOf(came) } : data
  }
}

/** An event, and the structured call that it is about. */
interface CallWire {
  readonly wire: Wire
  readonly call: StructuredCall | null
}

/** Some servers have a name of their own for the parts of reasoning; clients that do not know it fail. */
function standard(wire: Wire): Wire {
  const name = standardNames.get(wire.data['type'])
  return name === undefined ? wire : renamed(wire, name)
}

const standardNames: ReadonlyMap<unknown, string> = new Map([
  ['response.reasoning_part.added', 'response.content_part.added'],
  ['response.reasoning_part.done', 'response.content_part.done'],
])

function renamed({ data, event }: Wire, type: string): Wire {
  const changed = { ...data, type }
  const source = encodeSse({ ...event, event: type, data: JSON.stringify(changed) })
  return { data: changed, event: { ...event, event: type, source, terminated: true } }
}

function isEndOfResponse(type: unknown): boolean {
  return type === 'response.completed' || type === 'response.incomplete' || type === 'response.done'
}

function namesItem(data: JsonObject): boolean {
  const isOfItem = data['output_index'] !== undefined || data['item_id'] !== undefined
  return isOfItem || data['item'] !== undefined || partKindOfEvent(String(data['type'])) !== null
}

/** What a whole text says beyond what has come of it. */
function restOf(whole: unknown, before: string): string {
  return typeof whole === 'string' && whole.startsWith(before) ? whole.slice(before.length) : ''
}

function saysSomething(given: unknown): boolean {
  return given !== undefined && given !== null && given !== ''
}

/** A client that misses one of the counts in a usage discards the end of the answer. */
function wholeUsage(usage: unknown): JsonObject {
  const counted = decodeResponsesUsage(usage)
  if (counted === null || !isJsonObject(usage)) return {}
  const whole = encodeResponsesUsage(counted)
  const isMissing = ['input_tokens', 'output_tokens', 'total_tokens'].some(
    (field) => typeof usage[field] !== 'number',
  )
  return isMissing ? { usage: { ...whole, ...usage, total_tokens: whole['total_tokens'] } } : {}
}

/** What is the response's own in its id: ours are made of it. */
function idEndOf({ id }: JsonObject): string {
  const end = (nonEmptyText(id) ?? '').replace(/^[a-z]+_/, '').replaceAll(/[^a-zA-Z0-9]/g, '')
  return `${end}p`
}

function isWire(item: unknown): item is Wire {
  return isJsonObject(item) && isJsonObject(item['data']) && isJsonObject(item['event'])
}

/** Whether the upstream's own error says all that clients of the dialect look for. */
function isWholeError({ event }: SseEvent, told: unknown): boolean {
  if (event !== 'error' || !isJsonObject(told) || told['type'] !== 'error') return false
  return nonEmptyText(told['message']) !== null && nonEmptyText(told['code']) !== null
}
