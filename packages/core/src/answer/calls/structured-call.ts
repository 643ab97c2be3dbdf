import type { JsonObject } from '../../json/objects.ts'
import type { ProblemCode, RepairCode } from '../../problems.ts'
import { HeldText } from '../../text/held-text.ts'
import { isBlank } from '../../text/space.ts'
import type { UpstreamCall } from '../answer.ts'
import { CallArguments } from './arguments.ts'
import { withoutTokens } from './names.ts'

/** A call that comes in fields of its own, as far as it has come. A decoder fills it; the policy sends it on. */
export class StructuredCall implements UpstreamCall {
  name = ''
  source: JsonObject
  readonly ordinal: number
  proof: UpstreamCall['proof'] = null
  /** Its place among the calls of the answer; null before the client has been told of it. */
  index: number | null = null
  /** The upstream has said that nothing more of it follows. */
  isClosed = false
  hasArguments = false
  /** The upstream has said that the call has no arguments, unless some follow. */
  takesNone = false
  /** How much of it was counted as held. */
  countedBytes = 0
  isFilled = false
  /** The client does not let the model call this tool. Nothing of the call is kept. */
  isForbidden = false
  /** What was put right in its arguments. A call that is left out as a repetition tells nothing. */
  readonly notes: ArgumentNote[] = []
  private upstreamId: string | null = null
  /** Undefined before its end. */
  private fault: ArgumentFault | null | undefined
  private readonly arguments = new CallArguments(this.notes)
  /** Arguments that are certain and were not sent. */
  private readonly ready = new HeldText()

  constructor(source: JsonObject, ordinal: number) {
    this.source = source
    this.ordinal = ordinal
  }

  get id(): string | null {
    return this.upstreamId
  }

  /** Whether its arguments are no JSON, whatever follows. */
  get isBroken(): boolean {
    return this.arguments.isBroken
  }

  get isWhole(): boolean {
    return this.arguments.isWhole
  }

  /** Whether its arguments have begun, and the JSON of them is not at its end. */
  get isHalf(): boolean {
    return this.hasArguments && !this.isWhole && !this.isBroken
  }

  /** Whether an object without members is all that has come of its arguments. */
  get isEmpty(): boolean {
    return this.arguments.mayStillBegin
  }

  /** How many bytes were taken in and not sent on. */
  get heldBytes(): number {
    return this.ready.bytes + this.arguments.heldLength
  }

  /** The first id stays: some servers make another for each delta. */
  addId(id: unknown): void {
    if (typeof id === 'string' && id !== '') this.upstreamId ??= id
  }

  /** Most servers send the name once, some with each delta, some in pieces, some in growing pieces. */
  addName(name: string): void {
    if (this.index === null) this.name = joinedName(this.name, name)
  }

  /** A repair is told once for each call. */
  noteRepair(code: RepairCode): void {
    if (!this.notes.some((note) => note.code === code)) this.notes.push({ is: 'repair', code })
  }

  /** Text, or the value itself. */
  addArguments(given: unknown): void {
    const text = this.isForbidden ? '' : argumentsText(given)
    if (text === '') return
    this.hasArguments = true
    this.ready.add(this.arguments.push(text))
  }

  /**
   * Whether a delta with this name and these arguments is of another call, where nothing else tells calls apart. Some
   * servers say the name, or all of a call, once more at its end.
   */
  isFollowedBy(name: string, json: string): boolean {
    if (!this.isWhole) return false
    if (withoutTokens(name) !== withoutTokens(this.name)) return true
    return !isBlank(json) && !this.arguments.mayStillBegin && !this.arguments.areRepeatedIn(json)
  }

  /** The arguments that may be sent, in pieces of some kilobytes. */
  takeReady(): readonly string[] {
    return this.ready.takePieces()
  }

  peekReady(): readonly string[] {
    return this.ready.peekPieces()
  }

  /** Nothing follows. Says why this is no call, or null; what is still to be sent is ready then. */
  end(isCut: boolean): ArgumentFault | null {
    if (this.fault !== undefined) return this.fault
    if (this.takesNone && !this.hasArguments && !isCut) this.addArguments('{}')
    const end = this.arguments.end(isCut)
    if (typeof end !== 'string') this.ready.add(end.rest)
    this.fault = typeof end === 'string' ? end : null
    return this.fault
  }

  /** Text that came behind the whole arguments, and is no part of them. */
  takeTextBehind(): string {
    return this.arguments.takeTextBehind()
  }
}

/** A call that only the upstream's dialect has. */
export class OtherCall {
  /** Whether it was counted among the calls of the answer: it may come in many parts. */
  isCounted = false
  /** The tool that it calls, where that is known. */
  readonly name: string | null
  /** The client does not let the model call this tool. */
  isForbidden = false
  /** Its place among the calls of the answer; null before the client has been told of it. */
  index: number | null = null

  constructor(name: string | null = null) {
    this.name = name
  }
}

/** `cut`: the JSON is not at its end. `invalid`: it is none. */
export type ArgumentFault = 'cut' | 'invalid'

export type ArgumentNote =
  | { readonly is: 'problem'; readonly code: ProblemCode; readonly source: string }
  | { readonly is: 'repair'; readonly code: RepairCode }

/** A name with what a later delta says of it: again the same, the next piece, or the name so far. */
function joinedName(before: string, name: string): string {
  if (name === before) return before
  return before !== '' && name.startsWith(before) ? name : before + name
}

/** Arguments as text, whatever they came as. */
export function argumentsText(given: unknown): string {
  if (typeof given === 'string') return given
  return given === undefined || given === null ? '' : JSON.stringify(given)
}
