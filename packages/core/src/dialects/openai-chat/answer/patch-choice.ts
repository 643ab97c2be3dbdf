import type { FinishReason, UpstreamCall } from '../../../answer/answer.ts'
import type { CallPolicy } from '../../../answer/calls/policy.ts'
import type { Failure } from '../../../answer/failure.ts'
import { Comparison, type Piece, type PieceCollector } from '../../../answer/patch.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import type { SseEvent } from '../../../sse/items.ts'
import { decodeFinishReason, encodeFinishReason, failureIfEmpty, isKnownFinishWord } from '../words.ts'
import { ChoiceReader } from './choice.ts'
import {
  addedChoices,
  editedChoices,
  emptiedChoice,
  finishChoice,
  type ReadChoice,
  saysMore,
  saysMoreThanChoices,
  withoutFinish,
} from './chunks.ts'
import { finishReasonOf, stopSequenceOf } from './decode.ts'
import { readDelta, type SaidDelta, SaidField } from './delta.ts'
import { entriesByIndex, SaidPieces } from './said-pieces.ts'

/** What a client is to get: an event as it came, or chunks with these choices in the place of one. */
export type Sent =
  | { readonly is: 'event'; readonly event: SseEvent }
  | {
      readonly is: 'choices'
      readonly event: Partial<SseEvent>
      readonly chunk: JsonObject
      readonly choices: readonly unknown[]
    }

export interface ChoicePatchOptions {
  /** A field that clients need was left out by the upstream, and was filled in. */
  readonly onFilled: () => void
  /** `later`: the end waits for text that some servers send behind it. */
  readonly ends: 'at once' | 'later'
}

interface ChoiceOfChunk {
  readonly chunk: JsonObject
  readonly choice: JsonObject
}

/** A chunk that came, and the choice in it. */
export interface CameChunk extends ReadChoice, ChoiceOfChunk {
  readonly event: SseEvent
  /** Whether the choice is the one of the chunk, as it came. */
  readonly isUntouched: boolean
  /** Whether it ends the choice, which is told apart then. */
  readonly ends: boolean
}

/** One choice of a stream in the dialect of its client: passed on, or edited where the policy made something else of it. */
export class ChoicePatch {
  private state: State = { at: 'start' }
  private readonly reader: ChoiceReader
  private readonly made: PieceCollector
  private readonly comparison = new Comparison<CameChunk>()
  private readonly options: ChoicePatchOptions
  private role: 'due' | 'told' = 'due'
  private readonly said = new SaidField()
  private readonly saidPieces = new SaidPieces()
  private reasoningFields: readonly string[] = ['reasoning_content']

  constructor(policy: CallPolicy, made: PieceCollector, options: ChoicePatchOptions) {
    this.reader = new ChoiceReader(policy)
    this.made = made
    this.options = options
  }

  /** Whether the upstream has said that it ends. */
  get hasFinishReason(): boolean {
    return this.state.at === 'finishing' || this.state.at === 'ended'
  }

  /** Whether content may go on as it came: no event before it waits. */
  get takesContent(): boolean {
    return !this.hasFinishReason && !this.comparison.isWaiting
  }

  get failure(): Failure | null {
    return this.made.ending.is === 'failed' ? this.made.ending.failure : null
  }

  /** A choice of a chunk, and its place there. `isAlone`: the chunk has no other. */
  take(event: SseEvent, chunk: JsonObject, given: JsonObject, position: number, isAlone: boolean): Sent[] {
    const came = this.withDelta(given)
    const word = nonEmptyText(came['finish_reason'])
    if (this.state.at === 'ended') return [late(event, chunk, came, came === given && isAlone, word)]
    // Some servers repeat the finish reason beside the usage. A client that is told twice may end twice.
    const isRepeated = word !== null && this.state.at === 'finishing'
    const choice = this.withRole(isRepeated ? withoutFinish(came) : came)
    const delta = isJsonObject(choice['delta']) ? choice['delta'] : {}
    const said = readDelta(delta)
    this.learnFields(said)
    this.reader.read(said, {
      json: event.data,
      path: ['choices', position, this.said.nameIn(given) ?? 'delta'],
    })
    const read: CameChunk = {
      event,
      chunk,
      choice,
      delta,
      said,
      entries: entriesByIndex(said, this.reader.calls),
      isUntouched: choice === given && isAlone,
      ends: word !== null && !isRepeated && this.options.ends === 'later',
    }
    if (word === null || isRepeated) {
      if (this.state.at !== 'finishing') this.state = { at: 'open', read: { chunk, choice } }
      return this.compare(read)
    }
    const state: Finishing = { at: 'finishing', read, word }
    if (this.options.ends === 'at once') return this.endAtOnce(state)
    this.state = state
    // Where the chunk says nothing but the end, it waits as a whole.
    return said.keys.length === 0 ? [] : this.compare(read)
  }

  /** Content in pieces that end there: how many of them, from the first on, go to the client as they are. */
  countPassing(text: string, ends: readonly number[]): number {
    return this.reader.policy.countPassing(text, ends)
  }

  /** A delta of content alone. Null where it goes to the client as it came. */
  takeContent(text: string): readonly Piece[] | null {
    if (text === '') return null
    this.reader.policy.content(text)
    const made = this.takeMade()
    const [only] = made
    return made.length === 1 && only?.is === 'text' && only.text === text ? null : made
  }

  /** The choices to send in place of the one in a chunk whose content became these pieces. */
  withPieces(chunk: JsonObject, pieces: readonly Piece[]): JsonObject[] {
    const choices = chunk['choices']
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
    const delta = isJsonObject(choice) ? choice['delta'] : undefined
    if (!isJsonObject(choice) || !isJsonObject(delta)) return []
    const read = { choice, delta, said: readDelta(delta), entries: new Map<number, JsonObject>() }
    return this.edited(read, pieces, chunk)
  }

  /** The answer is over: what was held back, then the end. `makesUp`: an end that the upstream left out is filled in. */
  finish(makesUp: boolean): Sent[] {
    const { state } = this
    if (state.at === 'start' || state.at === 'ended') return []
    const word = state.at === 'finishing' ? state.word : null
    const told = this.finishPolicy(state.read.choice, word)
    const sent = this.rest(state.read)
    this.state = { at: 'ended' }
    if (told === null || (word === null && !makesUp && told === 'stop')) return sent
    sent.push(ended(state, told))
    return sent
  }

  /** The answer has failed, or was cut off: what was held back goes out, and no end. */
  abandon(failure: Failure | null): Sent[] {
    const { state } = this
    if (state.at === 'start' || state.at === 'ended') return []
    this.state = { at: 'ended' }
    if (failure === null) this.reader.policy.leave()
    else this.reader.policy.fail(failure)
    return this.rest(state.read)
  }

  /** The chunk as it came where neither what it says nor its end has to change. */
  private endAtOnce(state: Finishing): Sent[] {
    const { read, word } = state
    const told = this.finishPolicy(read.choice, word)
    this.state = { at: 'ended' }
    if (told === null)
      return read.said.keys.length === 0 ? this.rest(read) : this.compare({ ...read, ends: true })
    const own = this.piecesSaid(read)
    const verdict = this.comparison.take(read, own, this.takeMade())
    if (verdict.is === 'pass' && told === word) return verdict.events.flatMap((event) => this.asCame(event))
    const edited = verdict.is === 'edit' ? verdict : { silent: [], pieces: own }
    const choices = editedChoices(read, edited.pieces, this.reasoningFields)
    return [
      ...edited.silent.flatMap((event) => this.emptied(event)),
      { is: 'choices', event: read.event, chunk: { ...read.chunk, usage: undefined }, choices },
      ended(state, told),
    ]
  }

  /** The word for the end that the client is told; null where the answer has failed. */
  private finishPolicy(choice: JsonObject, word: string | null): string | null {
    const sequence = stopSequenceOf(choice)
    this.reader.policy.finish(finishReasonOf(word, sequence), sequence, failureIfEmpty(word))
    const { ending } = this.made
    return ending.is === 'finished' ? wordFor(ending.reason, word) : null
  }

  private rest(read: ChoiceOfChunk): Sent[] {
    const verdict = this.comparison.settle(this.takeMade())
    if (verdict.is === 'pass') return verdict.events.flatMap((event) => this.asCame(event))
    const sent = verdict.silent.flatMap((event) => this.emptied(event))
    const choices = addedChoices(read.choice, verdict.pieces, this.reasoningFields)
    if (choices.length > 0)
      sent.push({ is: 'choices', event: {}, chunk: { ...read.chunk, usage: undefined }, choices })
    return sent
  }

  private compare(read: CameChunk): Sent[] {
    const verdict = this.comparison.take(read, this.piecesSaid(read), this.takeMade())
    switch (verdict.is) {
      case 'wait':
        return []
      case 'pass':
        return verdict.events.flatMap((event) => this.asCame(event))
      case 'edit': {
        const sent = verdict.silent.flatMap((event) => this.emptied(event))
        const choices = this.edited(read, verdict.pieces, read.chunk)
        // The usage of a chunk that ends the choice goes with its end.
        const chunk = read.ends ? { ...read.chunk, usage: undefined } : read.chunk
        if (choices.length > 0) sent.push({ is: 'choices', event: read.event, chunk, choices })
        return sent
      }
    }
  }

  private asCame({ isUntouched, ends, event, chunk, choice }: CameChunk): Sent[] {
    if (ends) {
      return [
        { is: 'choices', event, chunk: { ...chunk, usage: undefined }, choices: [withoutFinish(choice)] },
      ]
    }
    return [isUntouched ? { is: 'event', event } : { is: 'choices', event, chunk, choices: [choice] }]
  }

  /** The choice with these pieces in place of its own; an emptied one where what it says beside them would be lost. */
  private edited(read: ReadChoice, pieces: readonly Piece[], chunk: JsonObject): JsonObject[] {
    const choices = editedChoices(read, pieces, this.reasoningFields)
    if (choices.length > 0) return choices
    return saysMore(read) || saysMoreThanChoices(chunk) ? [emptiedChoice(read)] : []
  }

  private emptied(read: CameChunk): Sent[] {
    const choices = this.edited(read, [], read.chunk)
    return choices.length === 0 ? [] : [{ is: 'choices', event: read.event, chunk: read.chunk, choices }]
  }

  /** What the policy made since the last time. The dialect has no end of a call. */
  private takeMade(): readonly Piece[] {
    const made = this.made.take()
    let ends = 0
    for (const piece of made) {
      if (piece.is === 'call-end') ends++
      else if (piece.is === 'call' && piece.call !== null) this.tellFilled(piece, piece.call)
    }
    return ends === 0 ? made : made.filter(({ is }) => is !== 'call-end')
  }

  private tellFilled(piece: Extract<Piece, { is: 'call' }>, call: UpstreamCall): void {
    if (call.isFilled || !isFilled(piece, call)) return
    call.isFilled = true
    this.reader.policy.repair('filled-field')
  }

  private piecesSaid({ said }: CameChunk): Piece[] {
    return this.saidPieces.of(said, this.reader.calls, this.comparison.isWaiting)
  }

  private learnFields({ texts }: SaidDelta): void {
    const reasoning = texts.find((piece) => piece.is === 'reasoning')
    if (reasoning?.is === 'reasoning') this.reasoningFields = reasoning.fields
  }

  /** Clients look for what a stream says in `delta`, and nowhere else. */
  private withDelta(choice: JsonObject): JsonObject {
    if (this.said.nameIn(choice) !== 'message' || !isJsonObject(choice['message'])) return choice
    this.options.onFilled()
    const { message, delta, ...rest } = choice
    return { ...rest, delta: isJsonObject(delta) ? { ...delta, ...choice['message'] } : message }
  }

  /** A client that puts the deltas together refuses a message without a role, and takes it from the first. */
  private withRole(choice: JsonObject): JsonObject {
    const { delta } = choice
    if (this.role === 'told' || !isJsonObject(delta)) return choice
    this.role = 'told'
    if (nonEmptyText(delta['role']) !== null) return choice
    this.options.onFilled()
    return { ...choice, delta: { ...delta, role: 'assistant' } }
  }
}

type State =
  | { readonly at: 'start' }
  /** With the last chunk that had a part of the choice. Its event is cut out of what came, and would keep all of that alive. */
  | { readonly at: 'open'; readonly read: ChoiceOfChunk }
  | Finishing
  | { readonly at: 'ended' }

/** The upstream has said why it ends. Text may still follow, which belongs before the end. */
interface Finishing {
  readonly at: 'finishing'
  readonly read: CameChunk
  readonly word: string
}

/** Whether a client needs an index, an id or a type that the upstream left out, or that could not stay. */
function isFilled({ id }: Extract<Piece, { is: 'call' }>, { source, ordinal }: UpstreamCall): boolean {
  if (!('function' in source)) return false
  return source['index'] !== ordinal || source['id'] !== id || nonEmptyText(source['type']) === null
}

/** The upstream's own word where it means the same and clients know it. An error that passes stays one. */
function wordFor(reason: FinishReason, came: string | null): string {
  if (came === null || !isKnownFinishWord(came)) return encodeFinishReason(reason)
  const means = decodeFinishReason(came)
  return means === plain(reason) || means === 'error' ? came : encodeFinishReason(reason)
}

/** The dialect has no word for a stop sequence. */
function plain(reason: FinishReason): FinishReason {
  return reason === 'stop-sequence' ? 'stop' : reason
}

function ended(state: Extract<State, { at: 'open' | 'finishing' }>, word: string): Sent {
  const { chunk, choice } = state.read
  if (state.at === 'open') {
    return {
      is: 'choices',
      event: {},
      chunk: { ...chunk, usage: undefined },
      choices: [finishChoice(choice, word)],
    }
  }
  const { event, isUntouched, said } = state.read
  if (said.keys.length > 0) return { is: 'choices', event, chunk, choices: [finishChoice(choice, word)] }
  if (isUntouched && choice['finish_reason'] === word) return { is: 'event', event }
  return { is: 'choices', event, chunk, choices: [{ ...choice, finish_reason: word }] }
}

/** Behind the end the client was told nothing changes any more. */
function late(
  event: SseEvent,
  chunk: JsonObject,
  choice: JsonObject,
  isUntouched: boolean,
  word: string | null,
): Sent {
  if (word === null && isUntouched) return { is: 'event', event }
  return { is: 'choices', event, chunk, choices: [word === null ? choice : withoutFinish(choice)] }
}
