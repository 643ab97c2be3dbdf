import { type ModelEvent, repairEvent } from '../../../events.ts'
import type { RepairCode } from '../../../problems.ts'
import { isBlank } from '../../../text/space.ts'
import type { AnswerIds } from '../../../answer/ids.ts'
import { type CallDelivery, incomplete, invalid } from '../../../answer/calls/order.ts'
import type { Failure } from '../../../answer/answer.ts'
import { type DeclaredTools, isBeginningOfName } from '../../../answer/calls/declared-tools.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import { argumentsText, joinedName } from '../../../answer/calls/structured-call.ts'
import { CallLookup, functionOf } from './call-lookup.ts'
import { PassedArguments } from './passed-arguments.ts'

export interface StructuredCallsOptions {
  readonly ids: AnswerIds
  readonly declaredTools?: (() => DeclaredTools) | undefined
  readonly delivery: CallDelivery
}

/**
 * The structured calls of one choice. Fills in what a client needs to put the deltas together and an upstream
 * left out: an index, an id and a type on the first delta of each call, arguments as text. The first delta a client
 * gets has the name: what comes before it waits. Indexes ascend from 0: some clients fail where one is left out.
 */
export class StructuredCalls {
  private readonly ids: AnswerIds
  private readonly tools: (() => DeclaredTools) | undefined
  private readonly delivery: CallDelivery
  private readonly calls: OpenCall[] = []
  private readonly lookup = new CallLookup<OpenCall>()
  private readonly usedIds = new Set<string>()
  private nextIndex = 0
  private legacyCall: OpenCall | undefined

  constructor({ ids, declaredTools, delivery }: StructuredCallsOptions) {
    this.ids = ids
    this.tools = declaredTools
    this.delivery = delivery
  }

  /** Characters of arguments that wait: for the name of their call, or to be whole. */
  get heldLength(): number {
    return this.calls.reduce((sum, call) => sum + call.heldLength + call.arguments.heldLength, 0)
  }

  /** What goes on of the entries of one `tool_calls` field; the array itself where nothing has to change. */
  read(entries: readonly unknown[]): readonly unknown[] {
    const read: unknown[] = []
    for (const entry of entries) {
      const sent = isJsonObject(entry) ? this.readEntry(entry) : entry
      if (sent !== null) read.push(sent)
    }
    return read.length === entries.length && read.every((entry, at) => entry === entries[at]) ? entries : read
  }

  /** A `function_call` has neither index nor id: all its deltas are one call. */
  readLegacy(functionCall: JsonObject): readonly unknown[] {
    this.legacyCall ??= this.open()
    const { index, name } = this.legacyCall
    const head = name === null ? { index: null, id: null, type: 'function' } : { index }
    const sent = this.send({ ...head, function: functionCall }, this.legacyCall)
    return sent === null ? [] : [sent]
  }

  /** Nothing follows: what is still to be sent, and why one of the calls is none. */
  end(ending: Ending): EndedCalls {
    const entries: JsonObject[] = []
    const texts: string[] = []
    let failure: Failure | null = null
    for (const call of this.calls) {
      if (call.name === null) entries.push(...this.beginHeld(call))
      if (call.name === null || call.name === '') continue
      const isLast = call === this.calls.at(-1)
      const end = call.arguments.end(ending === 'failed' || (ending === 'cut' && isLast))
      if (end.rest !== '') entries.push({ index: call.index, function: { arguments: end.rest } })
      const text = call.arguments.takeTextBehind()
      if (text !== '') texts.push(text)
      if (end.is === 'cut' && !(ending === 'cut' && isLast)) failure ??= incomplete(call.name)
      if (end.is === 'invalid') failure ??= this.delivery === 'complete' ? invalid(call.name) : null
    }
    return { entries, texts, failure }
  }

  /** What had to change in the calls, but for those with these indexes, which the client does not get. */
  records(dropped: ReadonlySet<unknown>): CallRecord[] {
    const records: CallRecord[] = []
    for (const { name, index, repairs, problems } of this.calls) {
      if (name === null || dropped.has(index)) continue
      for (const code of repairs) records.push(repairEvent(code))
      records.push(...problems)
    }
    return records
  }

  /** The arguments of the calls whose name never came. */
  nameless(): string[] {
    return this.calls.flatMap(({ name, held }) => (name === null ? [argumentsOf(held)] : []))
  }

  private readEntry(entry: JsonObject): JsonObject | null {
    const known = this.lookup.find(entry)
    const call = known ?? this.open()
    this.lookup.remember(entry, call)
    return this.send(entry, call)
  }

  private open(): OpenCall {
    const repairs = new Set<RepairCode>()
    const problems: CallRecord[] = []
    const args = new PassedArguments({
      problem: (code, message, source) => problems.push({ type: 'problem', code, message, source }),
      repair: (code) => repairs.add(code),
    })
    const call: OpenCall = {
      index: 0,
      id: '',
      name: null,
      held: null,
      heldLength: 0,
      arguments: args,
      repairs,
      problems,
    }
    this.calls.push(call)
    return call
  }

  private idFor(upstreamId: string | null): string {
    const isNew =
      upstreamId !== null && !this.usedIds.has(upstreamId) && !this.ids.isInConversation(upstreamId)
    const id = isNew ? upstreamId : this.ids.mint('std')
    this.ids.see(id)
    this.usedIds.add(id)
    return id
  }

  /** Null where it waits. */
  private send(entry: JsonObject, call: OpenCall): JsonObject | null {
    if (hasArgumentValue(entry)) call.repairs.add('encoded-arguments')
    if (call.name !== null) return this.complete(entry, call, false)
    const whole = call.held === null ? entry : joined(call.held, entry)
    const name = nonEmptyText(functionOf(whole)?.['name']) ?? (isFunction(entry) ? null : '')
    if (name === null || this.mayGoOn(name, whole)) {
      call.heldLength = argumentsOf(whole).length
      call.held = whole
      return null
    }
    return this.begin(whole, call, name)
  }

  /** A name may come in pieces as long as no arguments have come. */
  private mayGoOn(name: string, entry: JsonObject): boolean {
    if (name === '' || this.tools === undefined || !isBlank(argumentsOf(entry))) return false
    return isBeginningOfName(name, this.tools())
  }

  private begin(entry: JsonObject, call: OpenCall, name: string): JsonObject {
    call.name = name
    call.held = null
    call.heldLength = 0
    call.index = this.nextIndex++
    call.id = this.idFor(nonEmptyText(entry['id']))
    return this.complete(entry, call, true)
  }

  /** No more of its name comes. */
  private beginHeld(call: OpenCall): JsonObject[] {
    const name = call.held === null ? null : nonEmptyText(functionOf(call.held)?.['name'])
    return call.held === null || name === null ? [] : [this.begin(call.held, call, name)]
  }

  private complete(entry: JsonObject, call: OpenCall, isFirst: boolean): JsonObject {
    const changes: Record<string, unknown> = {}
    if (entry['index'] !== call.index) changes['index'] = call.index
    const id = nonEmptyText(entry['id'])
    if (isFirst ? id !== call.id : id !== null && id !== call.id) changes['id'] = call.id
    if (isFirst && nonEmptyText(entry['type']) === null) changes['type'] = 'function'
    if (Object.keys(changes).length > 0) call.repairs.add('filled-field')

    const fn = functionOf(entry)
    const given = fn?.['arguments']
    const json = call.arguments.push(textOf(given))
    // Some servers repeat the name; a client that joins the texts of all deltas would call another tool.
    const isRepeated = !isFirst && fn?.['name'] === call.name
    if ((given !== undefined && given !== json) || isRepeated) {
      changes['function'] = { ...fn, ...(isRepeated && { name: undefined }), arguments: json }
    }
    return Object.keys(changes).length === 0 ? entry : { ...entry, ...changes }
  }
}

/** `cut`: the model was stopped, so the last call may be half a call. `failed`: any of them may be. */
export type Ending = 'whole' | 'cut' | 'failed'

export interface EndedCalls {
  readonly entries: readonly JsonObject[]
  /** What came behind the arguments of a call, and is none of them. */
  readonly texts: readonly string[]
  readonly failure: Failure | null
}

type CallRecord = Extract<ModelEvent, { type: 'problem' | 'repair' }>

interface OpenCall {
  index: number
  id: string
  /** Null where it has not come: nothing of the call has gone on then. Empty where it is no call of a function. */
  name: string | null
  /** The deltas before the name, as one. */
  held: JsonObject | null
  heldLength: number
  readonly arguments: PassedArguments
  readonly repairs: Set<RepairCode>
  readonly problems: CallRecord[]
}

function isFunction(entry: JsonObject): boolean {
  return (nonEmptyText(entry['type']) ?? 'function') === 'function'
}

function joined(held: JsonObject, entry: JsonObject): JsonObject {
  const json = argumentsOf(held) + argumentsOf(entry)
  const before = nonEmptyText(functionOf(held)?.['name']) ?? ''
  const name = joinedName(before, nonEmptyText(functionOf(entry)?.['name']) ?? before)
  return {
    ...held,
    ...entry,
    id: nonEmptyText(held['id']) ?? entry['id'],
    function: { ...functionOf(held), ...functionOf(entry), name, arguments: json },
  }
}

function hasArgumentValue(entry: JsonObject): boolean {
  const given = functionOf(entry)?.['arguments'] ?? ''
  return typeof given !== 'string'
}

function argumentsOf(entry: JsonObject | null): string {
  return entry === null ? '' : textOf(functionOf(entry)?.['arguments'])
}

/** An object without members says nothing: some servers send it where the arguments are still to come. */
function textOf(given: unknown): string {
  return isJsonObject(given) && Object.keys(given).length === 0 ? '' : argumentsText(given)
}
