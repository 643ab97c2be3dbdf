import type { CallPolicy } from '../../../answer/calls/policy.ts'
import { argumentsText, OtherCall, StructuredCall } from '../../../answer/calls/structured-call.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { RawJson } from '../../../json/raw.ts'
import { callField } from '../../../request/reasoning-signature.ts'
import type { SaidDelta } from './delta.ts'

/** Reads what one choice says into its policy, delta by delta; a whole message is one delta. */
export class ChoiceReader {
  readonly policy: CallPolicy
  /** The calls that the entries of the last `tool_calls` belong to, by their places. */
  calls: readonly (StructuredCall | null)[] = none
  private readonly lookup = new CallLookup()
  /** Some servers write a call in both fields; whichever came first counts. */
  private callField: 'none' | 'tool_calls' | 'function_call' | 'both' = 'none'
  private legacyCall: StructuredCall | undefined
  private source: DeltaSource = nowhere
  private raw: RawJson | null = null

  constructor(policy: CallPolicy) {
    this.policy = policy
  }

  /**
   * In the order in which a client is to get it: reasoning, text, calls. `source` is where the delta stands as it was
   * written: arguments that are a value keep their digits there.
   */
  read(said: SaidDelta, source: DeltaSource): void {
    this.source = source
    const { policy } = this
    for (const piece of said.texts) {
      if (piece.is === 'text') policy.content(piece.text)
      else policy.reasoning(piece.text, piece.fields[0] ?? 'reasoning_content')
    }
    for (const proof of said.proofs) policy.proof(proof)
    this.calls = said.toolCalls === null ? none : this.readCalls(said.toolCalls)
    if (said.functionCall !== null) this.readLegacy(said.functionCall)
    // The text of an event is cut out of a chunk, and would keep all of it alive.
    this.source = nowhere
    this.raw = null
  }

  private readCalls(entries: readonly unknown[]): readonly (StructuredCall | null)[] {
    if (this.legacyCall !== undefined) {
      this.dropRepeated()
      return none
    }
    if (this.callField === 'none') this.callField = 'tool_calls'
    return entries.map((entry, at) => (isJsonObject(entry) ? this.readEntry(entry, at) : null))
  }

  private readEntry(entry: JsonObject, at: number): StructuredCall | null {
    const known = this.lookup.find(entry)
    if (known === undefined && saysNothing(entry)) return null
    if (known instanceof OtherCall || (known === undefined && !isFunction(entry))) {
      const other = known ?? new OtherCall(nonEmptyText(objectIn(entry, 'custom')['name']))
      this.policy.otherCall(entry, other, JSON.stringify(entry).length)
      this.lookup.remember(entry, other)
      return null
    }
    const call = known ?? this.policy.openCall(withoutArguments(entry))
    // Some servers number every call alike. An index that another call has cannot stay.
    if (known === undefined && this.lookup.hasIndexOf(entry)) {
      call.isFilled = true
      call.noteRepair('filled-field')
    }
    if (known !== undefined && call.index === null)
      call.source = { ...call.source, ...withoutArguments(entry) }
    call.addId(entry['id'])
    call.proof ??= proofIn(entry)
    const fn = functionOf(entry)
    if (fn !== null) this.addTo(call, fn, ['tool_calls', at, 'function'])
    this.lookup.remember(entry, call)
    this.policy.callGrew(call)
    return call
  }

  /** It has neither index nor id: all its deltas are one call. */
  private readLegacy(functionCall: JsonObject): void {
    if (this.callField === 'tool_calls' || (this.callField === 'both' && this.legacyCall === undefined)) {
      this.dropRepeated()
      return
    }
    this.callField = 'function_call'
    this.legacyCall ??= this.policy.openCall({})
    this.addTo(this.legacyCall, functionCall, ['function_call'])
    this.policy.callGrew(this.legacyCall)
  }

  private dropRepeated(): void {
    if (this.callField !== 'both') this.policy.repair('repeated-call')
    this.callField = 'both'
  }

  private addTo(
    call: StructuredCall,
    { name, arguments: given }: JsonObject,
    place: readonly (string | number)[],
  ): void {
    if (typeof name === 'string') call.addName(name)
    if (typeof given === 'string' || given === undefined || given === null) {
      call.addArguments(given)
      return
    }
    // Some servers send an object without members where the arguments are still to come as text.
    if (argumentsText(given).length > '{}'.length) call.noteRepair('encoded-arguments')
    this.raw ??= new RawJson(this.source.json)
    call.addArguments(this.raw.value([...this.source.path, ...place, 'arguments']) ?? given)
  }
}

/** Where a delta stands in the text of an event. */
export interface DeltaSource {
  readonly json: string
  readonly path: readonly (string | number)[]
}

const nowhere: DeltaSource = { json: '', path: [] }

const none: readonly (StructuredCall | null)[] = []

/** Which call an entry of `tool_calls` belongs to: by its index, else its id, else the one before it. */
class CallLookup {
  private last: KnownCall | undefined
  private readonly byIndex = new Map<number, KnownCall>()
  private readonly byId = new Map<string, KnownCall>()

  /** `undefined`: the entry begins a call. */
  find(entry: JsonObject): KnownCall | undefined {
    const index = indexOf(entry)
    const id = nonEmptyText(entry['id'])
    const isNamed = nonEmptyText(functionOf(entry)?.['name']) !== null
    if (index !== null) {
      const known = this.byIndex.get(index)
      return known === undefined || (isNamed && isAnother(known, id, entry)) ? undefined : known
    }
    if (id !== null) {
      const isLate = this.last instanceof StructuredCall && this.last.id === null && !isNamed
      return this.byId.get(id) ?? (isLate ? this.last : undefined)
    }
    return isNamed ? undefined : this.last
  }

  hasIndexOf(entry: JsonObject): boolean {
    const index = indexOf(entry)
    return index !== null && this.byIndex.has(index)
  }

  /** The entry is of this call: those that follow are found by what it says. */
  remember(entry: JsonObject, call: KnownCall): void {
    const index = indexOf(entry)
    const id = nonEmptyText(entry['id'])
    this.last = call
    if (index !== null) this.byIndex.set(index, call)
    if (id !== null && !this.byId.has(id)) this.byId.set(id, call)
  }
}

/** A call that is of no function only this dialect has. */
type KnownCall = StructuredCall | OtherCall

// Some servers number every call 0. A name beside another id opens a call; another id alone does not, for some
// servers make a new id for each delta. Without ids a name behind whole arguments does.
function isAnother(known: KnownCall, id: string | null, entry: JsonObject): boolean {
  if (known instanceof OtherCall) return true
  if (known.id !== null) return id !== null && id !== known.id
  if (id !== null && known.isWhole) return true
  const fn = functionOf(entry)
  return known.isFollowedBy(nonEmptyText(fn?.['name']) ?? '', argumentsText(fn?.['arguments']))
}

/** Some servers send entries without anything in them: they begin no call. */
function saysNothing(entry: JsonObject): boolean {
  const fn = functionOf(entry)
  return ![entry['id'], entry['type'], fn?.['name'], argumentsText(fn?.['arguments'])].some(nonEmptyText)
}

/** The arguments of a call that was passed on are not kept. */
function withoutArguments(entry: JsonObject): JsonObject {
  const fn = functionOf(entry)
  if (fn === null) return entry
  const { arguments: _, ...rest } = fn
  return { ...entry, function: rest }
}

function isFunction(entry: JsonObject): boolean {
  return (nonEmptyText(entry['type']) ?? 'function') === 'function'
}

function indexOf(entry: JsonObject): number | null {
  const index = entry['index']
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : null
}

/** Gemini signs the thought behind a call, and refuses the call when it comes back without. */
function proofIn({ extra_content: extra }: JsonObject): StructuredCall['proof'] {
  const isSaid = isJsonObject(extra) && Object.keys(extra).length > 0
  return isSaid ? { field: callField, text: JSON.stringify(extra) } : null
}

export function functionOf(entry: JsonObject): JsonObject | null {
  return isJsonObject(entry['function']) ? entry['function'] : null
}
