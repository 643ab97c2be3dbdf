import type { CallPolicy } from '../../../answer/calls/policy.ts'
import { OtherCall, type StructuredCall } from '../../../answer/calls/structured-call.ts'
import { type Failure, missingEnd } from '../../../answer/failure.ts'
import type { WireAnswer } from '../../../answer/stream.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import {
  hasOtherFields,
  isJsonObject,
  nonEmptyText,
  objectIn,
  type JsonObject,
} from '../../../json/objects.ts'
import { RawJson } from '../../../json/raw.ts'
import { callField } from '../../../request/reasoning-signature.ts'
import type { SseEvent } from '../../../sse/items.ts'
import { decodeFinishReason, decodeGeminiUsage } from '../words.ts'
import { PartialArgs } from './partial-args.ts'
import { PlainChunks } from './plain-chunks.ts'

/** Reads the chunks of an answer into the policy of another dialect's client; of several candidates the first. */
export function decodeGeminiAnswer(policy: CallPolicy): WireAnswer {
  return new GeminiAnswer(policy)
}

class GeminiAnswer implements WireAnswer {
  private readonly policy: CallPolicy
  private readonly reader: CandidateReader
  private readonly plain = new PlainChunks()
  private otherCandidates: 'none' | 'told' = 'none'

  constructor(policy: CallPolicy) {
    this.policy = policy
    this.reader = new CandidateReader(policy, 'joined')
  }

  get failure(): Failure | null {
    return this.policy.failure
  }

  get isStarted(): boolean {
    return this.policy.isStarted
  }

  get isEnded(): boolean {
    return this.policy.isEnded
  }

  get hasFinishReason(): boolean {
    return this.reader.hasEnd
  }

  get taken(): number {
    return this.plain.taken
  }

  /** What one read brings is one text: each chunk by itself would cost the client as much as us. */
  takeEvents(text: string, at: number, limit: number): number {
    if (!this.policy.joinsContent) return at
    const next = this.plain.take(text, at, limit)
    if (next > at) this.policy.content(this.plain.content)
    return next
  }

  read(chunk: JsonObject, event: SseEvent): void {
    this.plain.learn(chunk, event)
    const first = firstCandidate(chunk)
    const parts = this.reader.read(chunk, first, event)
    for (const { is, part } of parts) if (is === 'other') this.warnOfDropped(part)
    if (candidatesIn(chunk).length > (first === null ? 0 : 1)) this.dropCandidate()
    const failure = failureOf(this.reader.ending)
    if (failure !== null) this.policy.fail(failure)
  }

  foreign(_event: SseEvent, fault: string): void {
    this.policy.warn(`${fault}; left out`)
  }

  finish(): void {
    this.reader.readAround(this.plain.takeUncounted())
    this.reader.finish()
  }

  fail(failure: Failure): void {
    this.reader.readAround(this.plain.takeUncounted())
    this.policy.fail(failure)
  }

  private warnOfDropped(part: JsonObject): void {
    const kind = Object.keys(part).find((field) => field !== 'thoughtSignature') ?? 'nothing'
    this.policy.warnOnce(`a part with ${kind} has no place in the client's dialect; dropped`)
  }

  /** Every chunk may bring more of it: it is told once. */
  private dropCandidate(): void {
    if (this.otherCandidates === 'none') this.policy.repair('dropped-choice')
    this.otherCandidates = 'told'
  }
}

/** A candidate of a chunk, and its place there. */
export interface CameCandidate {
  readonly candidate: JsonObject
  readonly position: number
}

/** The candidate whose number is 0; where candidates have no numbers, the first. */
export function firstCandidate(chunk: JsonObject): CameCandidate | null {
  for (const [position, candidate] of candidatesIn(chunk).entries()) {
    if (!isJsonObject(candidate)) continue
    const { index } = candidate
    if ((typeof index === 'number' ? index : position) === 0) return { candidate, position }
  }
  return null
}

function candidatesIn({ candidates }: JsonObject): readonly unknown[] {
  return Array.isArray(candidates) ? candidates : []
}

/** A part of a candidate, as it was understood. */
export interface ReadPart {
  readonly is: 'text' | 'reasoning' | 'call' | 'other'
  readonly part: JsonObject
  /** The call that the part is, where it is one. */
  readonly call: StructuredCall | null
  /** Its arguments as they were written; null where there are none. */
  readonly args: string | null
}

/** How the upstream has ended its answer, in its own words. */
export type UpstreamEnd =
  | { readonly is: 'open' }
  | { readonly is: 'finished'; readonly word: string; readonly message: string | null }
  /** The prompt was refused: there is no candidate. */
  | { readonly is: 'blocked' }

/** Reads what the first candidate says into a policy, chunk by chunk; a whole answer is one chunk. */
export class CandidateReader {
  ending: UpstreamEnd = { is: 'open' }
  readonly policy: CallPolicy
  private readonly partials: 'joined' | 'as they come'
  /** The call whose arguments come value by value. */
  private partial: { readonly call: StructuredCall; readonly args: PartialArgs } | null = null
  private otherCall: OtherCall | null = null

  /** `partials`: what becomes of calls whose arguments come value by value, which only this dialect has. */
  constructor(policy: CallPolicy, partials: 'joined' | 'as they come') {
    this.policy = policy
    this.partials = partials
  }

  get hasEnd(): boolean {
    return this.ending.is !== 'open'
  }

  /** `first` is the candidate of the chunk that is read, `event` what the chunk stood in. */
  read(chunk: JsonObject, first: CameCandidate | null, { data }: SseEvent): ReadPart[] {
    const { policy } = this
    if (!policy.isStarted)
      policy.start(nonEmptyText(chunk['responseId']), nonEmptyText(chunk['modelVersion']))
    this.readAround(chunk)
    if (first === null) {
      if (nonEmptyText(objectIn(chunk, 'promptFeedback')['blockReason']) !== null && !this.hasEnd)
        this.ending = { is: 'blocked' }
      return []
    }
    const { candidate, position } = first
    const raw = new RawJson(data)
    const parts = partsOf(candidate).map((part, at) =>
      this.readPart(
        part,
        raw.value(['candidates', position, 'content', 'parts', at, 'functionCall', 'args']) ?? null,
      ),
    )
    const word = nonEmptyText(candidate['finishReason'])
    // Some servers say the reason with every chunk.
    if (word !== null) {
      this.ending = { is: 'finished', word, message: nonEmptyText(candidate['finishMessage']) }
    }
    return parts
  }

  /** What a chunk says beside its candidates. Counts are of all that has come so far. */
  readAround(chunk: JsonObject | null): void {
    const usage = decodeGeminiUsage(chunk?.['usageMetadata'])
    if (usage !== null) this.policy.usage(usage)
  }

  /** An answer without a reason for its end was cut off, whatever else says that it is over. */
  finish(): void {
    const { ending, policy } = this
    switch (ending.is) {
      case 'open':
        policy.fail(missingEnd(true, false))
        break
      case 'blocked':
        policy.finish('content-filter', null)
        break
      case 'finished': {
        const reason = decodeFinishReason(ending.word)
        const isOrdinary = reason === 'error' || reason === 'unknown'
        policy.finish(isOrdinary ? 'stop' : reason, null, failureIfEmpty(ending))
      }
    }
  }

  private readPart(part: JsonObject, args: string | null): ReadPart {
    const { policy } = this
    const signature = nonEmptyText(part['thoughtSignature'])
    const { text, functionCall } = part
    if (isJsonObject(functionCall)) {
      if (this.partials === 'as they come' && this.isPartial(functionCall))
        return this.passPartial(part, functionCall)
      return { is: 'call', part, call: this.readCall(part, functionCall, signature, args), args }
    }
    if (typeof text !== 'string' && hasOtherFields(part, signatureAlone)) {
      policy.other(part)
      if (signature !== null) policy.proof(signature)
      return { is: 'other', part, call: null, args: null }
    }
    const is = part['thought'] === true ? 'reasoning' : 'text'
    const said = typeof text === 'string' ? text : ''
    if (is === 'text') policy.content(said)
    else policy.reasoning(said, 'thought')
    if (signature !== null) policy.proof(signature)
    return { is, part, call: null, args: null }
  }

  private readCall(
    part: JsonObject,
    functionCall: JsonObject,
    signature: string | null,
    rawArgs: string | null,
  ): StructuredCall {
    const { id, name, args } = functionCall
    const isMore = this.partial !== null && nonEmptyText(name) === null
    const call =
      isMore && this.partial !== null ? this.partial.call : this.openCall(part, functionCall, signature)
    call.addId(id)
    if (typeof name === 'string') call.addName(name)
    if (this.isPartial(functionCall)) this.readPartial(call, functionCall)
    else {
      // Read as a value, a number that is too long for ours would lose its digits.
      call.addArguments(typeof args === 'string' ? args : (rawArgs ?? args))
      call.isClosed = true
    }
    this.policy.callGrew(call)
    return call
  }

  private openCall(part: JsonObject, functionCall: JsonObject, signature: string | null): StructuredCall {
    this.partial = null
    // The arguments of a call that was passed on are not kept.
    const { args: _, ...rest } = functionCall
    const call = this.policy.openCall({ ...part, functionCall: rest })
    call.proof = signature === null ? null : callProof(signature)
    return call
  }

  private isPartial({ willContinue, partialArgs }: JsonObject): boolean {
    return (
      willContinue === true || partialArgs !== undefined || this.partial !== null || this.otherCall !== null
    )
  }

  /**
   * The object is open until the last of its values has come: a call that is cut off before is half a call. A value whose
   * place cannot be read makes the arguments none.
   */
  private readPartial(call: StructuredCall, { partialArgs, willContinue }: JsonObject): void {
    if (this.partial === null) {
      this.partial = { call, args: new PartialArgs() }
      call.addArguments('{')
    }
    const { args } = this.partial
    if (!args.add(partialArgs)) call.addArguments('?')
    if (willContinue === true) return
    this.partial = null
    call.addArguments(args.json().slice(1))
    call.isClosed = true
  }

  private passPartial(part: JsonObject, { name, willContinue }: JsonObject): ReadPart {
    if (this.otherCall === null || nonEmptyText(name) !== null) this.otherCall = new OtherCall()
    this.policy.otherCall(part, this.otherCall)
    if (willContinue !== true) this.otherCall = null
    return { is: 'other', part, call: null, args: null }
  }
}

const signatureAlone: ReadonlySet<string> = new Set(['thoughtSignature', 'thought'])

function partsOf(candidate: JsonObject): JsonObject[] {
  const { parts } = objectIn(candidate, 'content')
  return Array.isArray(parts) ? parts.map((part: unknown) => (isJsonObject(part) ? part : {})) : []
}

/** What the upstream wants back with a call: said as in the chat dialect, where servers of both have a place for it. */
function callProof(signature: string): NonNullable<StructuredCall['proof']> {
  return { field: callField, text: JSON.stringify({ google: { thought_signature: signature } }) }
}

/** Why an answer that has ended is none, whatever came before; null where it may be one. */
export function failureOf(ending: UpstreamEnd): Failure | null {
  return ending.is === 'finished' && decodeFinishReason(ending.word) === 'error' ? endedWith(ending) : null
}

/** Some ends mean nothing by themselves: behind nothing they are no end of an answer. */
function failureIfEmpty(ending: Extract<UpstreamEnd, { is: 'finished' }>): Failure | null {
  return decodeFinishReason(ending.word) === 'unknown' ? endedWith(ending) : null
}

function endedWith({ word, message }: Extract<UpstreamEnd, { is: 'finished' }>): Failure {
  const told = `The upstream ended its answer with "${word}".`
  return failureFromError({ code: word, message: message === null ? told : `${told} ${message}` })
}

/** What some servers wrap around a chunk taken off: `{"response": {…}}`, `[{"error": …}]`. */
export function unwrapEnvelope(value: unknown): unknown {
  if (Array.isArray(value) && value.length === 1) return unwrapEnvelope(value[0])
  if (!isJsonObject(value) || 'candidates' in value || isErrorValue(value)) return value
  const { response } = value
  return isJsonObject(response) ? response : value
}
