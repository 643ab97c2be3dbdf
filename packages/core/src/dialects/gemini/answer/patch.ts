import type { UpstreamCall } from '../../../answer/answer.ts'
import type { CallPolicy } from '../../../answer/calls/policy.ts'
import type { Failure } from '../../../answer/failure.ts'
import type { AnswerOutput } from '../../../answer/output.ts'
import { Comparison, type PatchOptions, type Piece } from '../../../answer/patch.ts'
import type { WireAnswer } from '../../../answer/stream.ts'
import { isJsonObject, nonEmptyText, objectIn, parseJson, type JsonObject } from '../../../json/objects.ts'
import type { SseEvent } from '../../../sse/items.ts'
import { geminiErrorEvent } from '../errors.ts'
import { decodeFinishReason, encodeFinishReason } from '../words.ts'
import {
  addedChunk,
  type CameChunk,
  CollectedPieces,
  joinedChunk,
  PartWriter,
  saysMore,
  writtenChunk,
} from './chunks.ts'
import { type CameCandidate, CandidateReader, failureOf, firstCandidate, type ReadPart } from './decode.ts'
import { dataLine } from '../line.ts'
import { PlainChunks } from './plain-chunks.ts'

/**
 * An answer on its way to a client of the same dialect. A chunk in which nothing has to change is written as it came;
 * otherwise its own JSON is edited. The first candidate is read; others pass as they came.
 */
export function patchGeminiAnswer(options: PatchOptions): WireAnswer {
  return new GeminiPatch(options)
}

/** How much the chunk that ends an answer may grow by those behind it. */
const longestEnd = 65_536

class GeminiPatch implements WireAnswer {
  failure: Failure | null = null
  private progress: 'new' | 'reading' | 'ended' = 'new'
  private readonly options: PatchOptions
  private readonly output: AnswerOutput
  private readonly made = new CollectedPieces()
  private readonly policy: CallPolicy
  private readonly reader: CandidateReader
  private readonly comparison = new Comparison<CameChunk>()
  private readonly writer = new PartWriter()
  private readonly plain = new PlainChunks()
  /** The chunk that says why the answer ended. It waits: nothing may follow it. */
  private last: CameChunk | null = null
  /** The chunk that came before, for what has to be said behind it. */
  private latest: CameChunk | null = null

  constructor(options: PatchOptions) {
    this.options = options
    this.output = options.output
    this.policy = options.openPolicy(this.made, 0)
    this.reader = new CandidateReader(this.policy, 'as they come')
  }

  get isStarted(): boolean {
    return this.progress !== 'new'
  }

  get isEnded(): boolean {
    return this.progress === 'ended'
  }

  get hasFinishReason(): boolean {
    return this.reader.hasEnd
  }

  get taken(): number {
    return this.plain.taken
  }

  /** Where known chunks only bring more text, and that goes on as it came, nothing is parsed and nothing written. */
  takeEvents(text: string, at: number, limit: number): number {
    const { plain, policy } = this
    if (this.progress !== 'reading' || this.last !== null || this.comparison.isWaiting) return at
    const next = plain.take(text, at, limit, (content, ends) => policy.countPassing(content, ends))
    if (next === at) return at
    policy.content(plain.content)
    this.made.take()
    this.output.pass(text, at, next)
    return next
  }

  read(chunk: JsonObject, event: SseEvent): void {
    if (this.progress === 'ended') return
    this.progress = 'reading'
    this.plain.learn(chunk, event)
    const first = firstCandidate(chunk)
    if (this.last !== null) {
      if (first === null) {
        this.reader.readAround(chunk)
        // What comes behind the end is counts, and little of it.
        if (this.last.event.data.length <= longestEnd) this.last = joinedChunk(this.last, { chunk, event })
        return
      }
      // Some servers say the reason with every chunk.
      this.releaseLast()
    }
    const hadEnd = this.reader.hasEnd
    const parts = this.reader.read(chunk, first, event)
    const ends = endsWith(first) || (!hadEnd && this.reader.hasEnd)
    const came: CameChunk = { event, chunk, first, parts, finish: 'as it came' }
    this.latest = came
    if (ends) this.last = came
    else this.compare(came)
    const failure = this.options.faults === 'fail' ? failureOf(this.reader.ending) : null
    if (failure !== null) this.fail(failure, null)
    this.failIfBroken()
  }

  // Comments and other lines stop clients of this dialect: they are no part of the answer, and left out.

  foreign(event: SseEvent, fault: string): void {
    this.options.onWarning?.(`${fault}; passed on as it came`)
    this.output.event(event)
  }

  finish(): void {
    if (this.progress === 'ended') return
    this.reader.readAround(this.plain.takeUncounted())
    this.reader.finish()
    const { ending } = this.made
    if (ending.is === 'failed') {
      this.endWith(ending.failure, null)
    } else if (ending.is === 'finished') {
      this.writeEnd(encodeFinishReason(ending.reason))
      this.progress = 'ended'
    }
  }

  fail(failure: Failure, event: SseEvent | null): void {
    if (this.progress === 'ended') return
    this.reader.readAround(this.plain.takeUncounted())
    this.policy.fail(failure)
    this.endWith(failure, event)
  }

  cutOff(): void {
    this.reader.readAround(this.plain.takeUncounted())
    this.policy.leave()
    this.settle()
    this.failIfBroken()
    this.progress = 'ended'
  }

  /** The upstream's own word where it means the same. */
  private writeEnd(word: string): void {
    const { last } = this
    if (last === null) {
      this.settle()
      if (this.latest !== null) this.send(addedChunk(this.latest, [], word))
      return
    }
    this.last = null
    const own = nonEmptyText(last.first?.candidate['finishReason'])
    const isSame = own === null || meansTheSame(own, word)
    const ended: CameChunk = { ...last, finish: isSame ? 'as it came' : { word } }
    this.compare(ended)
    this.settleInto(ended)
  }

  /** The chunk that was to be the last one is not: it goes on without its end. */
  private releaseLast(): void {
    const { last } = this
    this.last = null
    if (last !== null) this.compare({ ...last, finish: 'left out' })
  }

  private compare(came: CameChunk): void {
    const verdict = this.comparison.take(came, came.parts.flatMap(piecesSaid), this.takeMade())
    if (verdict.is === 'pass') for (const each of verdict.events) this.passOn(each)
    if (verdict.is !== 'edit') return
    for (const each of verdict.silent) this.sendEdited(each, [])
    this.sendEdited(came, verdict.pieces)
  }

  /** Nothing more is said in the chunks that wait. What is left to say is said behind the last chunk. */
  private settle(): void {
    this.releaseLast()
    const verdict = this.comparison.settle(this.takeMade())
    if (verdict.is === 'pass') {
      for (const each of verdict.events) this.passOn(each)
      return
    }
    for (const each of verdict.silent) this.sendEdited(each, [])
    const parts = this.writer.write(verdict.pieces, [])
    if (parts.length > 0 && this.latest !== null) this.send(addedChunk(this.latest, parts, null))
  }

  /** The same where the chunk that ends the answer is among those that wait. */
  private settleInto(last: CameChunk): void {
    if (!this.comparison.isWaiting) return
    const verdict = this.comparison.settle([])
    if (verdict.is === 'pass') {
      for (const each of verdict.events) this.passOn(each)
      return
    }
    for (const each of verdict.silent.slice(0, -1)) this.sendEdited(each, [])
    this.sendEdited(last, verdict.pieces)
  }

  private passOn(came: CameChunk): void {
    if (came.finish === 'as it came') this.send(came.event.data)
    else this.send(writtenChunk(came, 'as they came'))
  }

  private sendEdited(came: CameChunk, pieces: readonly Piece[]): void {
    const parts = this.writer.write(pieces, came.parts)
    const isEnd = came.finish !== 'left out' && endsWith(came.first)
    if (parts.length > 0 || isEnd || saysMore(came)) this.send(writtenChunk(came, parts))
  }

  private send(json: string): void {
    this.output.push(dataLine(json))
  }

  /** What the policy made since the last time. In this dialect calls have no numbers, and need no ids. */
  private takeMade(): readonly Piece[] {
    return this.made.take().map(inThisDialect)
  }

  private failIfBroken(): void {
    const { ending } = this.made
    if (ending.is === 'failed' && this.progress !== 'ended') this.endWith(ending.failure, null)
  }

  /** Nothing follows: a client that misses the error must not take a cut answer for a whole one. */
  private endWith(failure: Failure, event: SseEvent | null): void {
    this.settle()
    this.progress = 'ended'
    this.failure = failure
    const isTold = event !== null && isWholeError(event)
    this.output.error(isTold ? dataLine(event.data) : geminiErrorEvent(failure))
  }
}

function endsWith(first: CameCandidate | null): boolean {
  return nonEmptyText(first?.candidate['finishReason']) !== null
}

function inThisDialect(piece: Piece): Piece {
  if (piece.is === 'other') return { ...piece, index: null }
  return piece.is === 'call' && isWithoutId(piece.call) ? { ...piece, id: '' } : piece
}

/** Whether the upstream has left the id out. An empty one is none, and is filled in. */
function isWithoutId(call: UpstreamCall | null): boolean {
  return call !== null && objectIn(call.source, 'functionCall')['id'] === undefined
}

/** What a part says, in the words of the policy. */
function piecesSaid({ is, part, call, args }: ReadPart): Piece[] {
  const text = nonEmptyText(part['text'])
  if (is === 'text' || is === 'reasoning') return text === null ? [] : [{ is, text }]
  if (call === null) return [{ is: 'other', item: part, index: null }]
  const { id, name } = objectIn(part, 'functionCall')
  const index = call.ordinal
  // An id that is there and says nothing is never what the policy makes.
  const ownId = id === undefined ? '' : (nonEmptyText(id) ?? 'none')
  return [
    { is: 'call', index, id: ownId, name: nonEmptyText(name) ?? '', call: null },
    { is: 'arguments', index, json: args === null ? '' : /^\{\s*\}$/.test(args) ? '{}' : args },
    { is: 'call-end', index },
  ]
}

/** Whether the upstream's word for the end may stay. One that nobody knows, or an error that passes, stays as it is. */
function meansTheSame(own: string, word: string): boolean {
  const reason = decodeFinishReason(own)
  return reason === 'error' || reason === 'unknown' || encodeFinishReason(reason) === word
}

/** Whether the upstream's own error says all that clients of the dialect look for. */
function isWholeError({ data }: SseEvent): boolean {
  const value = parseJson(data)
  const { code, message, status } = isJsonObject(value) ? objectIn(value, 'error') : {}
  return typeof code === 'number' && nonEmptyText(message) !== null && nonEmptyText(status) !== null
}
