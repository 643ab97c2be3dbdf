import type { RepairCode } from '../../problems.ts'
import type { AnswerIds } from '../answer-ids.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../json-object.ts'
import { argumentsText } from '../structured-call.ts'
import { CallLookup, functionOf, indexOf } from './call-lookup.ts'

/**
 * The structured calls of one choice. Fills in what a client needs to put the deltas together and an upstream
 * left out: an index, an id and a type on the first delta of each call, arguments as text. The first delta a client
 * gets has the name: what comes before it waits.
 */
export class StructuredCalls {
  private readonly ids: AnswerIds
  private readonly calls: OpenCall[] = []
  private readonly usedIndexes = new Set<number>()
  private readonly lookup = new CallLookup<OpenCall>()
  private readonly usedIds = new Set<string>()
  private nextIndex = 0
  private legacyCall: OpenCall | undefined
  /** Characters of arguments that wait for the name of their call. */
  heldLength = 0

  constructor(ids: AnswerIds) {
    this.ids = ids
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
    this.legacyCall ??= this.open(null)
    const { index, name } = this.legacyCall
    const head = name === null ? { index: null, id: null, type: 'function' } : { index }
    const sent = this.send({ ...head, function: functionCall }, this.legacyCall)
    return sent === null ? [] : [sent]
  }

  /** Arguments for the calls that came without any: an empty text is not JSON. */
  missingArguments(): JsonObject[] {
    return this.calls.filter(lacksArguments).map(({ index }) => ({ index, function: { arguments: '{}' } }))
  }

  /** What had to change in the calls, but for those with these indexes, which the client does not get. */
  repairs(dropped: ReadonlySet<unknown>): RepairCode[] {
    const repairs: RepairCode[] = []
    for (const call of this.calls) {
      if (call.name === null || dropped.has(call.index)) continue
      repairs.push(...call.repairs)
      if (lacksArguments(call)) repairs.push('empty-arguments')
    }
    return repairs
  }

  /** The arguments of the calls whose name never came. */
  nameless(): string[] {
    return this.calls.flatMap(({ name, held }) => (name === null ? [argumentsOf(held)] : []))
  }

  private readEntry(entry: JsonObject): JsonObject | null {
    const known = this.lookup.find(entry)
    const call = known ?? this.open(indexOf(entry))
    this.lookup.remember(entry, call)
    return this.send(entry, call)
  }

  private open(upstreamIndex: number | null): OpenCall {
    const call = {
      upstreamIndex,
      index: 0,
      id: '',
      name: null,
      held: null,
      hasArguments: false,
      repairs: new Set<RepairCode>(),
    }
    this.calls.push(call)
    return call
  }

  /** The upstream's where it can be. Behind a call that waits it cannot: clients want indexes without gaps. */
  private indexFor({ upstreamIndex }: OpenCall): number {
    const isFree =
      upstreamIndex !== null &&
      !this.usedIndexes.has(upstreamIndex) &&
      this.calls.every(({ name }) => name !== null)
    const index = isFree ? upstreamIndex : this.nextIndex
    this.nextIndex = Math.max(this.nextIndex, index + 1)
    this.usedIndexes.add(index)
    return index
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
    call.name = nonEmptyText(functionOf(entry)?.['name']) ?? (isFunction(entry) ? null : '')
    if (call.name === null) {
      this.heldLength += argumentsOf(entry).length
      call.held = whole
      return null
    }
    this.heldLength -= argumentsOf(call.held).length
    call.held = null
    call.index = this.indexFor(call)
    call.id = this.idFor(nonEmptyText(whole['id']))
    return this.complete(whole, call, true)
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
    const json = argumentsText(given)
    if (json.trim() !== '') call.hasArguments = true
    // Some servers repeat the name; a client that joins the texts of all deltas would call another tool.
    const isRepeated = !isFirst && fn?.['name'] === call.name
    if ((given !== undefined && given !== json) || isRepeated) {
      changes['function'] = { ...fn, ...(isRepeated && { name: undefined }), arguments: json }
    }
    return Object.keys(changes).length === 0 ? entry : { ...entry, ...changes }
  }
}

interface OpenCall {
  readonly upstreamIndex: number | null
  index: number
  id: string
  /** Null where it has not come: nothing of the call has gone on then. Empty where it is no call of a function. */
  name: string | null
  /** The deltas before the name, as one. */
  held: JsonObject | null
  hasArguments: boolean
  readonly repairs: Set<RepairCode>
}

function lacksArguments({ name, hasArguments }: OpenCall): boolean {
  return name !== null && name !== '' && !hasArguments
}

function isFunction(entry: JsonObject): boolean {
  return (nonEmptyText(entry['type']) ?? 'function') === 'function'
}

function joined(held: JsonObject, entry: JsonObject): JsonObject {
  const json = argumentsOf(held) + argumentsOf(entry)
  return {
    ...held,
    ...entry,
    id: nonEmptyText(held['id']) ?? entry['id'],
    function: { ...functionOf(held), ...functionOf(entry), arguments: json },
  }
}

function hasArgumentValue(entry: JsonObject): boolean {
  const given = functionOf(entry)?.['arguments'] ?? ''
  return typeof given !== 'string'
}

function argumentsOf(entry: JsonObject | null): string {
  return entry === null ? '' : argumentsText(functionOf(entry)?.['arguments'])
}
