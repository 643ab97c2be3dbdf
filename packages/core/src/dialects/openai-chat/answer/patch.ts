import type { Usage } from '../../../answer/answer.ts'
import type { CallPolicy } from '../../../answer/calls/policy.ts'
import { type Failure, tooManyOf } from '../../../answer/failure.ts'
import type { AnswerOutput } from '../../../answer/output.ts'
import { PieceCollector, type PatchOptions } from '../../../answer/patch.ts'
import type { WireAnswer } from '../../../answer/stream.ts'
import { isJsonObject, nonEmptyText, objectIn, parseJson, type JsonObject } from '../../../json/objects.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import type { SseComment, SseEvent, SseFields } from '../../../sse/items.ts'
import { chatErrorBody } from '../errors.ts'
import { usageOf, withoutUsage } from '../words.ts'
import { chunkWith, saysMoreThanChoices } from './chunks.ts'
import { choiceIndex, errorTextOf, failureOfChoice } from './decode.ts'
import { LearnedEnvelope } from './learned-envelope.ts'
import { ChoicePatch, type Sent } from './patch-choice.ts'

/**
 * A chat stream on its way to a client of the same dialect. An event in which nothing has to change is written as it
 * came; otherwise its own JSON is edited. Each choice has a policy of its own.
 *
 * Where faults pass, a choice without a `finish_reason` gets none made up, but for one case: `[DONE]` came and
 * there are calls. Then the upstream meant the answer to be whole, and a client that waits for `tool_calls` would stop.
 */
export function patchChatAnswer(options: PatchOptions): WireAnswer {
  return new ChatPatch(options)
}

const MOST_AT_ONCE = 1024

/** How many chunks without choices wait behind the end. */
const MOST_BEHIND = 16

/** A request may ask for 128. Each choice has a parser of its own, which takes many times what the choice itself does. */
const MOST_CHOICES = 128

class ChatPatch implements WireAnswer {
  taken = 0
  failure: Failure | null = null
  private progress: 'new' | 'reading' | 'done' | 'failed' = 'new'
  private readonly options: PatchOptions
  private readonly output: AnswerOutput
  private readonly isStrict: boolean
  private readonly envelope = new LearnedEnvelope()
  private readonly choices = new Map<number, PatchedChoice>()
  /** What came behind the end of every choice. */
  private readonly behindEnd: ChoicelessChunk[] = []
  /** How many known events are looked at together: more and more, until one of them has to change. */
  private atOnce = 1

  constructor(options: PatchOptions) {
    this.options = options
    this.output = options.output
    this.isStrict = options.faults === 'fail'
  }

  get isStarted(): boolean {
    return this.progress !== 'new'
  }

  get isEnded(): boolean {
    return this.progress === 'failed' || (this.progress === 'done' && this.isStrict)
  }

  get hasFinishReason(): boolean {
    for (const { patch } of this.choices.values()) if (!patch.hasFinishReason) return false
    return this.choices.size > 0
  }

  /** Where known events only bring more text, and that goes on as it came, nothing is parsed and nothing written. */
  takeEvents(text: string, at: number, limit: number): number {
    const patch = this.progress === 'reading' ? this.choices.get(0)?.patch : undefined
    if (patch === undefined || !patch.takesContent) return at
    const { envelope } = this
    let next = envelope.match(text, at, limit, this.atOnce)
    if (next === at) return at
    const count = envelope.ends.length
    const passing = count > 1 ? patch.countPassing(envelope.content, envelope.ends) : 1
    if (passing === count) {
      this.atOnce = Math.min(2 * this.atOnce, MOST_AT_ONCE)
    } else {
      // Something in the next may have to change: what was looked at behind it is looked at again.
      this.atOnce = 1
      next = envelope.keep(at, Math.max(1, passing))
    }
    this.taken += envelope.ends.length
    const pieces = patch.takeContent(envelope.content)
    if (pieces === null) {
      this.output.pass(text, at, next)
    } else {
      const chunk = parseJson(text.slice(at + 'data:'.length, next))
      if (isJsonObject(chunk)) this.sendChoices({}, chunk, patch.withPieces(chunk, pieces))
      this.failIfBroken()
    }
    return next
  }

  read(chunk: JsonObject, event: SseEvent): void {
    if (this.progress === 'done') {
      this.output.event(event)
      return
    }
    this.progress = 'reading'
    const came: readonly unknown[] = Array.isArray(chunk['choices']) ? chunk['choices'] : []
    const usage = usageOf(chunk)
    if (came.length > 0) {
      this.readChoices(chunk, event, came, usage)
      this.envelope.learn(event, chunk)
      return
    }
    if (usage !== null) this.earliest?.policy.usage(usage)
    if (this.failIfBroken()) return
    if (!this.isStrict && this.hasFinishReason) this.finishChoices()
    // Counts follow the end, which waits: an error may follow them, and no answer both ends well and fails.
    if (this.isStrict && this.hasFinishReason && this.behindEnd.length < MOST_BEHIND) {
      this.behindEnd.push({ chunk, event, usage })
    } else {
      this.passBeside({ chunk, event, usage })
    }
  }

  private passBeside({ chunk, event, usage }: ChoicelessChunk): void {
    if (usage === null || this.options.includeUsage) this.output.event(event)
    else this.passWithoutUsage(chunk, event)
  }

  beside(item: SseComment | SseFields): void {
    this.output.beside(item)
  }

  foreign(event: SseEvent, fault: string): void {
    if (this.progress === 'new') this.progress = 'reading'
    if (this.progress === 'reading') this.options.onWarning?.(`${fault}; passed on as it came`)
    this.output.event(event)
  }

  finish(event: SseEvent | null): void {
    if (this.progress !== 'done') this.finishChoices()
    if (this.failIfBroken()) return
    this.progress = 'done'
    for (const chunk of this.behindEnd.splice(0)) this.passBeside(chunk)
    if (event !== null) this.output.event(event)
    else if (this.isStrict) this.output.push(encodeSse({ data: '[DONE]' }))
    if (this.isStrict) this.output.close()
  }

  fail(failure: Failure, event: SseEvent | null): void {
    if (this.progress === 'done') return
    this.endWith(failure, event)
  }

  cutOff(): void {
    if (this.progress === 'done') return
    for (const { patch } of this.choices.values()) this.send(patch.abandon(null))
    if (!this.failIfBroken()) this.progress = 'done'
  }

  /** The counts that only we asked for stay here. What a server tells beside them, such as its timings, goes on. */
  private passWithoutUsage(chunk: JsonObject, event: SseEvent): void {
    const rest = withoutUsage(chunk)
    if (saysMoreThanChoices(rest)) this.output.eventWith(event, JSON.stringify(rest))
  }

  private get earliest(): PatchedChoice | undefined {
    for (const choice of this.choices.values()) return choice
    return undefined
  }

  private readChoices(
    chunk: JsonObject,
    event: SseEvent,
    came: readonly unknown[],
    usage: Usage | null,
  ): void {
    const isAlone = came.length === 1
    const sent: Sent[] = []
    for (const [position, choice] of came.entries()) {
      if (!isJsonObject(choice)) {
        sent.push({ is: 'choices', event, chunk, choices: [choice] })
        continue
      }
      const at = choiceIndex(choice, position)
      if (this.choices.size >= MOST_CHOICES && !this.choices.has(at)) {
        this.send(sent)
        this.endWith(tooManyOf('choices', MOST_CHOICES), null)
        return
      }
      const { patch, policy } = this.choiceAt(chunk, at)
      const errorText = this.isStrict ? errorTextOf(choice) : null
      if (errorText !== null) {
        policy.fail(errorText)
        continue
      }
      if (usage !== null && policy === this.earliest?.policy) policy.usage(usage)
      const own = position === came.length - 1 ? chunk : { ...chunk, usage: undefined }
      sent.push(...patch.take(event, own, choice, position, isAlone))
      const failure = this.isStrict ? failureOfChoice(choice) : null
      if (failure !== null) policy.fail(failure)
    }
    if (saysTheSame(sent, came)) this.output.event(event)
    else this.send(sent)
    this.failIfBroken()
  }

  private choiceAt(chunk: JsonObject, index: number): PatchedChoice {
    let known = this.choices.get(index)
    if (known === undefined) {
      const made = new PieceCollector('as the client')
      const policy = this.options.openPolicy(made, index)
      policy.start(nonEmptyText(chunk['id']), nonEmptyText(chunk['model']))
      let filled: 'nothing' | 'told' = 'nothing'
      const onFilled = (): void => {
        if (filled === 'nothing') policy.repair('filled-field')
        filled = 'told'
      }
      known = {
        policy,
        patch: new ChoicePatch(policy, made, { onFilled, ends: this.isStrict ? 'later' : 'at once' }),
      }
      this.choices.set(index, known)
    }
    return known
  }

  private finishChoices(): void {
    for (const { patch } of this.choices.values()) this.send(patch.finish(this.isStrict))
  }

  private send(sent: readonly Sent[]): void {
    for (const each of sent) {
      if (each.is === 'event') this.output.event(each.event)
      else this.sendChoices(each.event, each.chunk, each.choices)
    }
  }

  private sendChoices(event: Partial<SseEvent>, chunk: JsonObject, choices: readonly unknown[]): void {
    for (const [at, choice] of choices.entries()) {
      this.output.eventWith(event, JSON.stringify(chunkWith(chunk, choice, at === choices.length - 1)))
    }
  }

  private failIfBroken(): boolean {
    if (this.progress === 'failed') return true
    for (const { patch } of this.choices.values()) {
      if (patch.failure === null) continue
      this.endWith(patch.failure, null)
      return true
    }
    return false
  }

  /** Nothing follows: a client that misses the error must not take a cut answer for a whole one. */
  private endWith(failure: Failure, event: SseEvent | null): void {
    for (const { patch } of this.choices.values()) this.send(patch.abandon(failure))
    for (const chunk of this.behindEnd.splice(0)) this.passBeside(chunk)
    this.progress = 'failed'
    this.failure = failure
    const isTold = event !== null && isWholeError(event)
    this.output.error(isTold ? event.source : encodeSse({ data: JSON.stringify(chatErrorBody(failure)) }))
  }
}

/** A chunk beside the choices: with counts, or with what a server tells of itself. */
interface ChoicelessChunk {
  readonly chunk: JsonObject
  readonly event: SseEvent
  readonly usage: Usage | null
}

interface PatchedChoice {
  readonly policy: CallPolicy
  readonly patch: ChoicePatch
}

function saysTheSame(sent: readonly Sent[], came: readonly unknown[]): boolean {
  if (came.length < 2 || sent.length !== came.length) return false
  return sent.every(
    (each, at) => each.is === 'choices' && each.choices.length === 1 && each.choices[0] === came[at],
  )
}

/** Whether the upstream's own error says all that clients of the dialect look for. */
function isWholeError({ data }: SseEvent): boolean {
  const value = parseJson(data)
  const error = isJsonObject(value) ? objectIn(value, 'error') : {}
  const { code } = error
  const hasCode = typeof code === 'string' || typeof code === 'number'
  return nonEmptyText(error['message']) !== null && nonEmptyText(error['type']) !== null && hasCode
}
