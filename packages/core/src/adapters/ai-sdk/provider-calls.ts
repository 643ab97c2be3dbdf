import type { UpstreamCall } from '../../answer/answer.ts'
import type { CallPolicy } from '../../answer/calls/policy.ts'
import type { StructuredCall } from '../../answer/calls/structured-call.ts'
import { neverAsItCame, type Piece, SaidArguments } from '../../answer/patch.ts'
import { nonEmptyText, type JsonObject } from '../../json/objects.ts'
import type { Part } from './specification.ts'

/** A call that the provider read itself, with what its parts say around its id, its name and its input. */
export interface ProviderCall {
  readonly call: StructuredCall
  /** The id that the provider gave it. */
  readonly id: string
  /** Null for a call that comes as one part, without its input in pieces. */
  readonly start: Part | null
  inputEnd: Part | null
  /** The part that ends the call, without the input: that may be megabytes long. */
  whole: Part | null
}

/** What was read in a part. */
export type ReadPart =
  /** It is no part of a call that the client is to run. */
  | { readonly is: 'other' }
  /** It says nothing that has to go on by itself. */
  | { readonly is: 'kept' }
  /** `said` is what the part says of the call. */
  | { readonly is: 'call'; readonly of: ProviderCall; readonly said: readonly Piece[] }

/** Reads the parts of calls into the policy, and tells what each of them says by itself. */
export class ProviderCalls {
  /** Whether the provider has run a tool itself. */
  hasExecuted = false
  readonly #policy: CallPolicy
  readonly #open = new Map<string, ProviderCall>()
  /** The ids of open calls whose tool the provider runs itself. */
  readonly #executed = new Set<string>()
  readonly #said = new SaidArguments()
  readonly #byCall = new WeakMap<UpstreamCall, ProviderCall>()

  constructor(policy: CallPolicy) {
    this.#policy = policy
  }

  of(call: UpstreamCall): ProviderCall | null {
    return this.#byCall.get(call) ?? null
  }

  read(part: Part, fields: JsonObject): ReadPart {
    const id = nonEmptyText(fields[part.type === 'tool-call' ? 'toolCallId' : 'id']) ?? ''
    switch (part.type) {
      case 'tool-input-start':
        return fields['providerExecuted'] === true ? this.#execute(id) : this.#readStart(id, part, fields)
      case 'tool-input-delta':
        return this.#executed.has(id) ? { is: 'other' } : this.#readInput(id, fields)
      case 'tool-input-end':
        return this.#executed.has(id) ? { is: 'other' } : this.#readInputEnd(id, part)
      case 'tool-call':
        if (fields['providerExecuted'] === true) this.#execute(id)
        return this.#executed.delete(id) ? { is: 'other' } : this.#readWhole(id, part, fields)
      default:
        return { is: 'other' }
    }
  }

  #execute(id: string): ReadPart {
    this.hasExecuted = true
    this.#executed.add(id)
    return { is: 'other' }
  }

  #readStart(id: string, start: Part, fields: JsonObject): ReadPart {
    const of = this.#begin(id, start, fields)
    this.#open.set(id, of)
    this.#policy.callGrew(of.call)
    return { is: 'call', of, said: startPieces(id, of.call) }
  }

  #readInput(id: string, { delta }: JsonObject): ReadPart {
    const of = this.#open.get(id)
    // The part that ends the call says it again.
    if (of === undefined) return { is: 'kept' }
    const json = nonEmptyText(delta) ?? ''
    of.call.addArguments(json)
    this.#policy.callGrew(of.call)
    return { is: 'call', of, said: argumentPieces(this.#said.textOf(json, of.call), of.call) }
  }

  /** It goes out with the part that ends the call: arguments may be held until then. */
  #readInputEnd(id: string, part: Part): ReadPart {
    const of = this.#open.get(id)
    if (of !== undefined) of.inputEnd = part
    return { is: 'kept' }
  }

  #readWhole(id: string, part: Part, fields: JsonObject): ReadPart {
    const begun = this.#open.get(id)
    this.#open.delete(id)
    const of = begun ?? this.#begin(id, null, fields)
    const { call } = of
    const { input, ...whole }: Part & { readonly input?: unknown } = part
    of.whole = whole
    if (call.name === '') call.addName(nonEmptyText(fields['toolName']) ?? '')
    // Where the input came in pieces, this part only says it again.
    const given = call.hasArguments ? '' : input
    call.addArguments(given)
    call.isClosed = true
    this.#policy.callGrew(call)
    const start = begun === undefined ? startPieces(id, call) : []
    const said =
      typeof given === 'string' ? argumentPieces(this.#said.textOf(given, call), call) : [neverAsItCame]
    return { is: 'call', of, said: [...start, ...said, { is: 'call-end', index: call.ordinal }] }
  }

  #begin(id: string, start: Part | null, fields: JsonObject): ProviderCall {
    const call = this.#policy.openCall({})
    call.addId(id)
    call.addName(nonEmptyText(fields['toolName']) ?? '')
    const of: ProviderCall = { call, id, start, inputEnd: null, whole: null }
    this.#byCall.set(call, of)
    return of
  }
}

function startPieces(id: string, { name, ordinal }: StructuredCall): readonly Piece[] {
  return id === '' || name === '' ? [neverAsItCame] : [{ is: 'call', index: ordinal, id, name, call: null }]
}

function argumentPieces(json: string, { ordinal }: StructuredCall): readonly Piece[] {
  return json === '' ? [] : [{ is: 'arguments', index: ordinal, json }]
}
