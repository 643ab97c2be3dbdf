import { CallExtent } from './call-extent.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'

/** Which call an entry of `tool_calls` belongs to: by its index, else its id, else the one before it. */
export class CallLookup<Call> {
  private last: Known<Call> | undefined
  private readonly byIndex = new Map<number, Known<Call>>()
  private readonly byId = new Map<string, Known<Call>>()

  /** `undefined`: the entry begins a call. */
  find(entry: JsonObject): Call | undefined {
    const index = indexOf(entry)
    const id = nonEmptyText(entry['id'])
    const isNamed = nonEmptyText(functionOf(entry)?.['name']) !== null
    if (index !== null) {
      const known = this.byIndex.get(index)
      return known === undefined || (isNamed && isAnother(known, id, entry)) ? undefined : known.call
    }
    if (id !== null) {
      const isLate = this.last?.id === null && !isNamed
      return this.byId.get(id)?.call ?? (isLate ? this.last?.call : undefined)
    }
    return isNamed ? undefined : this.last?.call
  }

  hasIndexOf(entry: JsonObject): boolean {
    const index = indexOf(entry)
    return index !== null && this.byIndex.has(index)
  }

  /** The entry is of this call: those that follow are found by what it says. */
  remember(entry: JsonObject, call: Call): void {
    const index = indexOf(entry)
    const id = nonEmptyText(entry['id'])
    let known = this.last?.call === call ? this.last : index === null ? undefined : this.byIndex.get(index)
    if (known?.call !== call) known = { call, id: null, extent: new CallExtent() }
    known.id ??= id
    if (known.id === null) known.extent.add(functionOf(entry))
    this.last = known
    if (index !== null) this.byIndex.set(index, known)
    if (id !== null && !this.byId.has(id)) this.byId.set(id, known)
  }
}

interface Known<Call> {
  readonly call: Call
  /** The upstream's, as soon as it came. */
  id: string | null
  /** As long as there is no id. */
  readonly extent: CallExtent
}

// Some servers number every call 0. A name beside another id opens a call; another id alone does not, for some
// servers make a new id for each delta.
function isAnother<Call>(known: Known<Call>, id: string | null, entry: JsonObject): boolean {
  if (known.id === null) return known.extent.isFollowedBy(functionOf(entry))
  return id !== null && id !== known.id
}

function indexOf(entry: JsonObject): number | null {
  const index = entry['index']
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : null
}

export function functionOf(entry: JsonObject): JsonObject | null {
  return isJsonObject(entry['function']) ? entry['function'] : null
}
