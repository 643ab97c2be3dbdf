import type { FinishReason } from '../../../answer/answer.ts'
import type { CallPolicy } from '../../../answer/calls/policy.ts'
import type { StructuredCall } from '../../../answer/calls/structured-call.ts'
import { type Failure, invalidArguments, missingEnd, noContent } from '../../../answer/failure.ts'
import { Comparison, type PatchOptions, type Piece, PieceCollector } from '../../../answer/patch.ts'
import type { WireAnswer } from '../../../answer/stream.ts'
import {
  isJsonObject,
  nonEmptyText,
  objectIn,
  parseJson,
  type JsonObject,
  wordOf,
} from '../../../json/objects.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import type { SseComment, SseEvent, SseFields } from '../../../sse/items.ts'
import { responsesErrorFields } from '../errors.ts'
import { toolKindsOf } from '../tools.ts'
import { decodeStatus, encodeStatus, withAllCounts } from '../words.ts'
import { CallItems } from './call-items.ts'
import { EventWriter, inside } from './events.ts'
import { ItemWriter } from './items.ts'
import { OtherItems } from './other-items.ts'
import { partKindOfEvent } from './parts.ts'
import { PlainDeltas } from './plain-deltas.ts'
import type { OtherItem, TextItem, Wire } from './read-items.ts'
import { ResponseReader } from './reader.ts'
import { nothingYet, ResponseObject } from '../response-object.ts'
import { TextItems } from './text-items.ts'
import { isEndOfResponse, isWire, namesItem, renamed, standard, WirePasser } from './wires.ts'

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
  private readonly calls: CallItems
  private readonly others: OtherItems
  private readonly comparison = new Comparison<CallWire>()
  private readonly deltas = new PlainDeltas()
  /** What the upstream has told of the response around its items. */
  private response: JsonObject = {}
  /** What of it is ours, because the upstream has not begun it. */
  private begun: JsonObject = {}

  constructor(options: PatchOptions) {
    this.options = options
    this.policy = options.openPolicy(this.made, 0)
    this.reader = new ResponseReader(this.policy, { calls: 'as they came', partsBetween: '' })
    this.events = new EventWriter((text) => options.output.push(text))
    this.items = new ItemWriter(this.events, () => idEndOf(this.response))
    this.wires = new WirePasser(options.output, this.events)
    this.texts = new TextItems(this.items, this.wires, {
      signature: options.signature,
      reasoning: options.request?.hidesReasoning === true ? 'hidden' : 'shown',
    })
    this.calls = new CallItems(this.items, this.wires, toolKindsOf(options.request?.tools ?? []), () =>
      this.texts.leave(),
    )
    this.others = new OtherItems(this.items, this.wires, () => this.texts.leave())
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

  get taken(): number {
    return this.deltas.taken
  }

  /** Where known deltas bring more of the text that is open, and go on as they came, nothing is parsed and nothing written. */
  takeEvents(text: string, at: number, limit: number): number {
    const { deltas, events, policy } = this
    const passing = (content: string, ends: readonly number[]): number => policy.countPassing(content, ends)
    const next = deltas.matchPassing(text, at, limit, passing, events.upcoming)
    if (next === at) return at
    deltas.taken += deltas.ends.length
    this.reader.sayMore(deltas.content)
    this.made.take()
    this.texts.passedMore(deltas.content)
    if (deltas.areCounted) events.skip(deltas.ends.length)
    this.options.output.pass(text, at, next)
    return next
  }

  read(came: JsonObject, event: SseEvent): void {
    this.deltas.pause()
    if (this.progress === 'ended' || this.progress === 'finished') return
    const wire = standard({ data: came, event })
    const { data } = wire
    const { type } = data
    if (this.progress === 'new' && type !== 'response.created') this.begin(data)
    this.progress = 'reading'
    if (isJsonObject(data['response']))
      this.response = { ...this.response, ...data['response'], ...this.begun }
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
    this.texts.stop()
    this.failIfBroken()
    this.progress = 'ended'
  }

  /** Clients fail at a stream in which nothing was created. */
  private begin(first: JsonObject): void {
    if (this.options.head === undefined) return
    const told = objectIn(first, 'response')
    const head = { ...this.options.head(), request: this.options.request }
    const made: unknown = JSON.parse(new ResponseObject(head).json(nothingYet))
    this.begun = { id: nonEmptyText(told['id']) ?? head.id }
    this.response = { ...objectIn({ made }, 'made'), ...told, ...this.begun, ...untold }
    this.events.emit('response.created', inside({ response: this.response }))
  }

  private readAdded(wire: Wire): void {
    this.reader.read(wire)
    const item = this.reader.about
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
        this.compare(wire, item.call, this.calls.saidByStart(objectIn(wire.data, 'item'), item))
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
    const item = namesItem(data) ? this.reader.about : undefined
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
        if (!isSettled) this.compare(wire, item.call, this.calls.saidBy(wire, item, given))
        break
      case 'other':
        this.compareOther(wire, item)
    }
  }

  private readText(wire: Wire, item: TextItem): void {
    const made = this.made.take()
    const said = partKindOfEvent(wordOf(wire.data['type']))
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
    else if (this.wires.passed === wire.event) this.deltas.learnFrom(wire)
  }

  private compareOther(wire: Wire, { call }: OtherItem): void {
    this.compare(wire, null, [{ is: 'other', item: wire, index: call?.index ?? null }])
  }

  /** `call` is the one that the event is about; null for an item that only this dialect has. */
  private compare(wire: Wire, call: StructuredCall | null, said: readonly Piece[]): void {
    const verdict = this.comparison.take({ wire, call }, said, this.made.take())
    if (verdict.is === 'edit') this.play(verdict.pieces)
    else if (verdict.is === 'pass') for (const event of verdict.events) this.passOn(event)
  }

  /** Nothing more is said in the events that wait. */
  private settle(made: readonly Piece[]): void {
    const verdict = this.comparison.settle(made)
    if (verdict.is === 'edit') this.play(verdict.pieces)
    else for (const event of verdict.events) this.passOn(event)
  }

  /** An event of a call or of another item that goes on as it came. */
  private passOn({ wire, call }: CallWire): void {
    if (call === null) this.others.pass(wire)
    else this.calls.pass(wire, call)
  }

  private play(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      switch (piece.is) {
        case 'text':
        case 'reasoning':
          this.texts.say(piece.is, piece.text)
          break
        case 'call':
          this.calls.begin(piece)
          break
        case 'arguments':
          this.items.addArguments(piece.json)
          break
        case 'call-end':
          this.endCall()
          break
        case 'other':
          if (isWire(piece.item)) this.others.pass(piece.item)
      }
    }
  }

  private endCall(): void {
    const ended = this.calls.end()
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
      this.texts.stop()
      this.writeEnd(wire, ending.reason)
    }
  }

  private writeEnd(wire: Wire, reason: FinishReason): void {
    const came = objectIn(wire.data, 'response')
    const told = encodeStatus(decodeStatus(came, wordOf(wire.data['type'])))
    const { status, incomplete } = encodeStatus(reason)
    const { type } = wire.data
    // A client that gets a response of nothing takes the turn for over, and says nothing.
    if (this.items.done.length === 0 && status === 'completed') {
      this.endWith(noContent, null)
      return
    }
    this.progress = 'finished'
    const changes = {
      ...(told.status !== status && { status, incomplete_details: { reason: incomplete } }),
      ...(this.isOutputAnother(came['output']) && { output: this.items.done }),
      ...withAllCounts(came['usage']),
      ...(this.begun['id'] !== undefined && this.begun['id'] !== came['id'] && this.begun),
    }
    if (Object.keys(changes).length === 0 && type === `response.${status}`) {
      this.wires.pass(wire)
      return
    }
    const response = { ...this.response, ...came, status, ...changes }
    // Some servers end every stream with the same event.
    if (type === `response.${status}`) this.wires.pass(wire, { response })
    else this.wires.pass(renamed(wire, `response.${status}`), { response })
  }

  private isOutputAnother(output: unknown): boolean {
    const isEdited = [this.texts, this.calls, this.others].some((items) => items.isEdited)
    return isEdited || !Array.isArray(output) || output.length !== this.items.done.length
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
    this.texts.stop()
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
    return typeof came === 'number' ? { ...data, sequence_number: this.events.next(came) } : data
  }
}

/** What a response that has just been created says of its end. */
const untold: JsonObject = { status: 'in_progress', output: [], usage: null, error: null }

/** An event, and the structured call that it is about. */
interface CallWire {
  readonly wire: Wire
  readonly call: StructuredCall | null
}

/** What is the response's own in its id: ours are made of it. */
function idEndOf({ id }: JsonObject): string {
  const end = (nonEmptyText(id) ?? '').replace(/^[a-z]+_/, '').replaceAll(/[^a-zA-Z0-9]/g, '')
  return `${end}p`
}

/** Whether the upstream's own error says all that clients of the dialect look for. */
function isWholeError({ event }: SseEvent, told: unknown): boolean {
  if (event !== 'error' || !isJsonObject(told) || told['type'] !== 'error') return false
  return nonEmptyText(told['message']) !== null && nonEmptyText(told['code']) !== null
}
