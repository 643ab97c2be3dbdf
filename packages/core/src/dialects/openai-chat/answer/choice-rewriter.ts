import { repairEvent } from '../../../events.ts'
import type { Failure } from '../../../answer/answer.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import {
  emptiedChoice,
  finishChoice,
  piecesAlone,
  saysMore,
  splitChoice,
  type ReadChoice,
} from './choice-chunks.ts'
import { ChoiceReader, type ChoiceReaderOptions, type UpstreamEnd } from './choice-reader.ts'
import { chunkWith, saysMoreThanChoices } from './chunk.ts'
import { joinPieces, readDelta, saysTheSame, type Piece } from './delta.ts'
import { SaidField } from './said-field.ts'

export interface RewrittenChoice {
  /** What to send in place of the choice; the very object that came where nothing has to change. */
  readonly choices: readonly JsonObject[]
  readonly failure: Failure | null
  readonly reasoningFields: readonly string[]
}

/** Writes one choice of a stream anew, chunk by chunk. */
export class ChoiceRewriter {
  private readonly reader: ChoiceReader
  private readonly record: ChoiceReaderOptions['record']
  private state: State = { at: 'start' }
  private role: 'due' | 'told' = 'due'
  private readonly said = new SaidField()
  private filled: 'nothing' | 'told' = 'nothing'

  constructor(options: ChoiceReaderOptions) {
    this.record = options.record
    this.reader = new ChoiceReader(options)
  }

  get isEnded(): boolean {
    return this.state.at === 'ended'
  }

  /** Why the answer cannot become a whole one any more. */
  get failure(): Failure | null {
    return this.reader.failure
  }

  /** The one that the client was sent. */
  get finishReason(): string | null {
    return this.state.at === 'ended' ? this.state.finishReason : null
  }

  /** `reasoningFields`: where this stream has its reasoning. */
  take(given: JsonObject, chunk: JsonObject, reasoningFields: readonly string[]): RewrittenChoice {
    const came = this.withDelta(given)
    const finishReason = nonEmptyText(came['finish_reason'])
    if (this.state.at === 'ended') {
      return {
        choices: [late(came, finishReason)],
        failure: null,
        reasoningFields,
      }
    }
    const choice = this.withRole(came)
    this.state = { at: 'open', choice, chunk }
    const delta = isJsonObject(choice['delta']) ? choice['delta'] : {}
    const parts = readDelta(delta)
    const fields = parts.reasoningFields.length > 0 ? parts.reasoningFields : reasoningFields
    const read: ReadChoice = { choice, delta, parts, reasoningFields: fields }

    const pieces = this.reader.read(parts)
    if (finishReason === null) {
      const choices = saysTheSame(parts, pieces) ? [choice] : replaced(read, pieces, chunk)
      return { choices, failure: this.reader.failure, reasoningFields: fields }
    }
    return this.finish(read, pieces, finishReason)
  }

  /** Content in pieces that end there: how many of them, from the first on, go to the client as they are. */
  countPassing(text: string, ends: readonly number[]): number {
    return this.reader.countPassing(text, ends)
  }

  /** A delta of content alone. Null where it goes to the client as it came. */
  takeContent(text: string): readonly Piece[] | null {
    return this.reader.readContent(text)
  }

  /** The choices to send in place of the one in a chunk whose content became these pieces. */
  withPieces(
    chunk: JsonObject,
    pieces: readonly Piece[],
    reasoningFields: readonly string[],
  ): readonly JsonObject[] {
    const choices = chunk['choices']
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
    const delta = isJsonObject(choice) ? choice['delta'] : undefined
    if (!isJsonObject(choice) || !isJsonObject(delta)) return []
    return replaced({ choice, delta, parts: readDelta(delta), reasoningFields }, pieces, chunk)
  }

  /** Ends a choice that got no finish reason. It is built on the last chunk that had a part of it. */
  endWithout(
    upstream: UpstreamEnd,
    reasoningFields: readonly string[],
  ): { chunks: JsonObject[]; failure: Failure | null } {
    if (this.state.at !== 'open') return { chunks: [], failure: null }
    const { choice, chunk } = this.state
    const { pieces, finishReason, failure } = this.reader.end(upstream)
    this.state = { at: 'ended', finishReason }
    const choices = piecesAlone({ choice, reasoningFields }, joinPieces(pieces))
    if (finishReason !== null) choices.push(finishChoice(choice, finishReason))
    return { chunks: choices.map((sent) => chunkWith(chunk, sent, false)), failure }
  }

  /** Clients look for what a stream says in `delta`, and nowhere else. */
  private withDelta(choice: JsonObject): JsonObject {
    if (this.said.nameIn(choice) !== 'message' || !isJsonObject(choice['message'])) return choice
    this.tellFilled()
    const { message, delta, ...rest } = choice
    return { ...rest, delta: isJsonObject(delta) ? { ...delta, ...choice['message'] } : message }
  }

  /** A client that puts the deltas together refuses a message without a role, and takes it from the first. */
  private withRole(choice: JsonObject): JsonObject {
    const { delta } = choice
    if (this.role === 'told' || !isJsonObject(delta)) return choice
    this.role = 'told'
    if (nonEmptyText(delta['role']) !== null) return choice
    this.tellFilled()
    return { ...choice, delta: { ...delta, role: 'assistant' } }
  }

  private tellFilled(): void {
    if (this.filled === 'nothing') this.record(repairEvent('filled-field'))
    this.filled = 'told'
  }

  private finish(read: ReadChoice, pieces: readonly Piece[], came: string): RewrittenChoice {
    const end = this.reader.end({ by: 'finish-reason', reason: came })
    const finishReason = end.finishReason ?? came
    this.state = { at: 'ended', finishReason }
    const all = joinPieces([...pieces, ...end.pieces])
    const { failure } = end
    const choices = failure === null ? finished(read, all, came, finishReason) : splitChoice(read, all)
    return { choices, failure, reasoningFields: read.reasoningFields }
  }
}

type State =
  | { readonly at: 'start' }
  /** With the last chunk that had a part of the choice, and that part. */
  | { readonly at: 'open'; readonly choice: JsonObject; readonly chunk: JsonObject }
  | { readonly at: 'ended'; readonly finishReason: string | null }

/** The last choices of an answer: these pieces, then the finish reason. */
function finished(
  read: ReadChoice,
  pieces: readonly Piece[],
  came: string,
  finishReason: string,
): readonly JsonObject[] {
  const { choice, parts } = read
  const withFinish = finishReason === came ? choice : { ...choice, finish_reason: finishReason }
  if (saysTheSame(parts, pieces)) return [withFinish]
  if (parts.keys.length === 0) return [...piecesAlone(read, pieces), withFinish]
  if (pieces.length === 0) return [{ ...emptiedChoice(read), finish_reason: finishReason }]
  return [...splitChoice(read, pieces), finishChoice(choice, finishReason)]
}

/** The choice with these pieces in place of its own parts. */
function replaced(read: ReadChoice, pieces: readonly Piece[], chunk: JsonObject): JsonObject[] {
  if (pieces.length > 0) return splitChoice(read, joinPieces(pieces))
  return saysMore(read) || saysMoreThanChoices(chunk) ? [emptiedChoice(read)] : []
}

// Some servers repeat the finish reason beside the usage. A client that is told twice may end twice.
function late(choice: JsonObject, came: string | null): JsonObject {
  return came === null ? choice : { ...choice, finish_reason: null }
}
