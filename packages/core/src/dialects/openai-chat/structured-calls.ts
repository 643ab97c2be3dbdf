import type { AnswerIds } from '../answer-ids.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../json-object.ts'
import { argumentsText } from '../structured-call.ts'
import { CallLookup, functionOf, indexOf } from './call-lookup.ts'

/**
 * The structured calls of one choice. Fills in what a client needs to put the deltas together and an upstream
 * left out: an index, an id and a type on the first delta of each call, arguments as text.
 */
export class StructuredCalls {
  private readonly ids: AnswerIds
  private readonly calls: OpenCall[] = []
  private readonly byIndex = new Map<number, OpenCall>()
  private readonly lookup = new CallLookup<OpenCall>()
  private readonly usedIds = new Set<string>()
  private nextIndex = 0
  private legacyCall: OpenCall | undefined

  constructor(ids: AnswerIds) {
    this.ids = ids
  }

  /** The entries of one `tool_calls` field, or the array itself where nothing has to change. */
  read(entries: readonly unknown[]): readonly unknown[] {
    const read = entries.map((entry) => (isJsonObject(entry) ? this.readEntry(entry) : entry))
    return read.every((entry, at) => entry === entries[at]) ? entries : read
  }

  /** A `function_call` has neither index nor id: all its deltas are one call. */
  readLegacy(functionCall: JsonObject): readonly unknown[] {
    const isFirst = this.legacyCall === undefined
    this.legacyCall ??= this.open(null, null)
    const { index, id } = this.legacyCall
    const head = isFirst ? { index, id, type: 'function' } : { index }
    return [this.complete({ ...head, function: functionCall }, this.legacyCall, isFirst)]
  }

  /** Arguments for the calls that came without any: an empty text is not JSON. */
  missingArguments(): JsonObject[] {
    return this.calls
      .filter((call) => !call.hasArguments)
      .map(({ index }) => ({ index, function: { arguments: '{}' } }))
  }

  private readEntry(entry: JsonObject): JsonObject {
    const known = this.lookup.find(entry)
    const call = known ?? this.open(indexOf(entry), nonEmptyText(entry['id']))
    this.lookup.remember(entry, call)
    return this.complete(entry, call, known === undefined)
  }

  private open(upstreamIndex: number | null, upstreamId: string | null): OpenCall {
    const isFree = upstreamIndex !== null && !this.byIndex.has(upstreamIndex)
    const index = isFree ? upstreamIndex : this.nextIndex
    const call = { index, id: this.idFor(upstreamId), hasArguments: false }
    this.nextIndex = Math.max(this.nextIndex, index + 1)
    this.calls.push(call)
    this.byIndex.set(index, call)
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

  private complete(entry: JsonObject, call: OpenCall, isFirst: boolean): JsonObject {
    const changes: Record<string, unknown> = {}
    if (entry['index'] !== call.index) changes['index'] = call.index
    const id = nonEmptyText(entry['id'])
    if (isFirst ? id !== call.id : id !== null && id !== call.id) changes['id'] = call.id
    if (isFirst && nonEmptyText(entry['type']) === null) changes['type'] = 'function'

    const fn = functionOf(entry)
    const given = fn?.['arguments']
    const json = argumentsText(given)
    if (json.trim() !== '') call.hasArguments = true
    if (given !== undefined && given !== json) changes['function'] = { ...fn, arguments: json }
    return Object.keys(changes).length === 0 ? entry : { ...entry, ...changes }
  }
}

interface OpenCall {
  readonly index: number
  readonly id: string
  hasArguments: boolean
}
