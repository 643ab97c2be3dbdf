import type { FinishReason } from '../../../answer/answer.ts'
import type { CallPolicy } from '../../../answer/calls/policy.ts'
import type { Failure } from '../../../answer/failure.ts'
import type { WireAnswer } from '../../../answer/stream.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject, wordOf } from '../../../json/objects.ts'
import type { SseEvent } from '../../../sse/items.ts'
import { decodeFinishReason, failureIfEmpty, saysErrorAsText, usageOf } from '../words.ts'
import { ChoiceReader } from './choice.ts'
import { otherParts, readDelta, SaidField } from './delta.ts'
import { LearnedEnvelope } from './learned-envelope.ts'

/** Reads the events of a chat completion into the policy of another dialect's client; of several choices the first. */
export function decodeChatAnswer(policy: CallPolicy): WireAnswer {
  return new ChatAnswer(policy)
}

class ChatAnswer implements WireAnswer {
  taken = 0
  private readonly policy: CallPolicy
  private readonly choice: ChoiceReader
  private readonly envelope = new LearnedEnvelope()
  private readonly said = new SaidField()
  private finishWord: string | null = null
  private stopSequence: string | null = null
  private otherChoices: 'none' | 'told' = 'none'
  /** Where the first choice stands among those of the chunk. */
  private position = 0

  constructor(policy: CallPolicy) {
    this.policy = policy
    this.choice = new ChoiceReader(policy)
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
    return this.finishWord !== null
  }

  /** What one read brings is one text: each event by itself would cost the client as much as us. */
  takeEvents(text: string, at: number, limit: number): number {
    const { envelope } = this
    if (!this.policy.joinsContent) return at
    const next = envelope.match(text, at, limit)
    if (next === at) return at
    this.taken += envelope.ends.length
    this.policy.content(envelope.content)
    return next
  }

  read(chunk: JsonObject, event: SseEvent): void {
    const { policy } = this
    this.envelope.learn(event, chunk)
    if (!policy.isStarted) policy.start(nonEmptyText(chunk['id']), nonEmptyText(chunk['model']))
    const choices = chunk['choices']
    const choice = Array.isArray(choices) ? this.firstOf(choices) : undefined
    const usage = usageOf(chunk)
    if (usage !== null) policy.usage(usage)
    if (choice !== undefined) this.readChoice(choice, event)
  }

  foreign(_event: SseEvent, fault: string): void {
    this.policy.warn(`${fault}; left out`)
  }

  finish(): void {
    const { finishWord, stopSequence } = this
    this.policy.finish(finishReasonOf(finishWord, stopSequence), stopSequence, failureIfEmpty(finishWord))
  }

  fail(failure: Failure): void {
    this.policy.fail(failure)
  }

  private readChoice(choice: JsonObject, { data }: SseEvent): void {
    const errorText = errorTextOf(choice)
    if (errorText !== null) {
      this.fail(errorText)
      return
    }
    const field = this.said.nameIn(choice)
    const said = field === null ? undefined : choice[field]
    if (field !== null && isJsonObject(said)) {
      this.choice.read(readDelta(said), { json: data, path: ['choices', this.position, field] })
      this.warnOfDropped(said)
    }
    const word = nonEmptyText(choice['finish_reason'])
    if (word === null) return
    this.finishWord ??= word
    this.stopSequence ??= stopSequenceOf(choice)
    const failure = failureOfChoice(choice)
    if (failure !== null) this.fail(failure)
  }

  private warnOfDropped(delta: JsonObject): void {
    for (const field of droppedFields) {
      if (isThere(delta[field]))
        this.policy.warnOnce(`${field} has no place in the client's dialect; dropped`)
    }
    const calls: readonly unknown[] = Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : []
    for (const call of calls) {
      const type = isJsonObject(call) ? nonEmptyText(call['type']) : null
      if (type !== null && type !== 'function') this.policy.warnOnce(`a call of type ${type} was dropped`)
    }
    for (const part of otherParts(delta['content'])) {
      const type = isJsonObject(part) ? part['type'] : part
      this.policy.warnOnce(`a content part of type ${wordOf(type)} was dropped`)
    }
  }

  private firstOf(choices: readonly unknown[]): JsonObject | undefined {
    let first: JsonObject | undefined
    for (const [at, choice] of choices.entries()) {
      if (!isJsonObject(choice)) continue
      if (first === undefined && choiceIndex(choice, at) === 0) {
        first = choice
        this.position = at
      } else {
        this.dropChoice()
      }
    }
    return first
  }

  /** Every chunk may bring more of it: it is told once. */
  private dropChoice(): void {
    if (this.otherChoices === 'none') this.policy.repair('dropped-choice')
    this.otherChoices = 'told'
  }
}

/** The number of a choice; its place where it has none. */
export function choiceIndex({ index }: JsonObject, position: number): number {
  return typeof index === 'number' ? index : position
}

/** Some servers tell in the choice which stop sequence was met; a number is the id of a token. */
export function stopSequenceOf(choice: JsonObject): string | null {
  return nonEmptyText(choice['stop_reason'])
}

/** Why the upstream ended; null where it did not say. */
export function finishReasonOf(word: string | null, stopSequence: string | null): FinishReason | null {
  const reason = word === null ? null : decodeFinishReason(word)
  if (reason === 'error') return null
  return reason === 'stop' && stopSequence !== null ? 'stop-sequence' : reason
}

/** The failure that a choice tells in place of the model's text, or null. */
export function errorTextOf(choice: JsonObject): Failure | null {
  const word = nonEmptyText(choice['finish_reason'])
  if (word === null || !saysErrorAsText(word)) return null
  const { content } = { ...objectIn(choice, 'message'), ...objectIn(choice, 'delta') }
  return failureFromError({ code: word, message: nonEmptyText(content) ?? endedWith(word) })
}

/** Why a choice that says it has ended is no answer, or null. */
export function failureOfChoice(choice: JsonObject): Failure | null {
  const word = nonEmptyText(choice['finish_reason'])
  if (word === null) return null
  if (isErrorValue(choice)) return failureFromError(choice)
  if (decodeFinishReason(word) !== 'error') return null
  return failureFromError({ code: word, message: endedWith(word) })
}

function endedWith(word: string): string {
  return `The upstream ended its answer with "${word}".`
}

/** What some gateways wrap around an answer taken off: `{"data": {…}, "success": true}`, `[{"error": …}]`. */
export function unwrapEnvelope(value: unknown): unknown {
  if (Array.isArray(value) && value.length === 1) return unwrapEnvelope(value[0])
  if (!isJsonObject(value) || 'choices' in value) return value
  const { data } = value
  return isJsonObject(data) && ('choices' in data || isErrorValue(data)) ? data : value
}

const droppedFields = ['audio', 'annotations', 'images'] as const

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}
