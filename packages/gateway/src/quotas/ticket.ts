import type { Usage } from '@dragoman/core'
import type { ModelPrice } from '../config/config.ts'
import { dayAt } from './budget-period.ts'
import { costOf, type PaidTokens } from './prices.ts'
import type { Claim, Settlement, Taken, UsageRow } from './store.ts'

/** Text has about so many characters a token, where nobody has counted. */
const CHARACTERS_PER_TOKEN = 3.5

export interface TicketOptions {
  readonly claim: Claim
  readonly taken: Taken
  readonly settle: (settlement: Settlement) => void
  readonly prices: readonly ModelPrice[]
  readonly today: () => number
  /** A name for the model of which there are not too many. */
  readonly modelLabel: (model: string) => string
  readonly onUsed: (used: UsageRow) => void
}

/** What became of a request. */
export interface Outcome {
  /** Where it went last; null where it reached no upstream. */
  readonly place: { readonly upstream: string; readonly model: string } | null
  /** What the upstream counted. Null where it did not. */
  readonly usage: Usage | null
  /** Whether the upstream began to answer. */
  readonly isAnswered: boolean
  /** Whether the upstream said that its answer is over. Otherwise it may have counted only the beginning. */
  readonly isFinished: boolean
  readonly problems: number
  readonly isFailed: boolean
}

/** The right of one request to be answered, until what it used is put in the place of what was expected. */
export class Ticket {
  private readonly options: TicketOptions
  private characters = 0
  private state: 'open' | 'settled' = 'open'

  constructor(options: TicketOptions) {
    this.options = options
  }

  /** The model wrote so many characters of an answer. */
  wrote(characters: number): void {
    this.characters += characters
  }

  /** What was written so far is no answer to the request: another upstream is asked. */
  startAnew(): void {
    this.characters = 0
  }

  /** The request is over, however it ended. */
  settle(outcome: Outcome): void {
    if (this.state === 'settled') return
    this.state = 'settled'
    const { claim, taken, settle, onUsed } = this.options
    const paid = this.paidTokens(outcome)
    const used = this.usedBy(outcome, paid)
    if (used !== null) onUsed(used)
    // A prompt that came from a cache is hardly any work for the server.
    const tokens = paid.input - paid.cached + paid.output
    settle({ claim, taken, tokens, used })
  }

  private paidTokens({ usage, isAnswered, isFinished }: Outcome): PaidTokens {
    const written = Math.ceil(this.characters / CHARACTERS_PER_TOKEN)
    if (usage === null) {
      // An upstream that counts nothing has read the prompt all the same, if it answers.
      const input = isAnswered && (isFinished || written > 0) ? this.options.claim.tokens : 0
      return { input, cached: 0, output: written }
    }
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage
    return {
      input: inputTokens + cacheReadTokens + cacheWriteTokens,
      cached: cacheReadTokens,
      output: isFinished ? outputTokens : Math.max(outputTokens, written),
    }
  }

  private usedBy({ place, usage, problems, isFailed }: Outcome, paid: PaidTokens): UsageRow | null {
    if (place === null) return null
    const { claim, prices, today, modelLabel } = this.options
    return {
      day: dayAt(today()),
      key: claim.key,
      model: modelLabel(place.model),
      upstream: place.upstream,
      requests: 1,
      ...paid,
      reasoning: usage?.reasoningTokens ?? 0,
      cost: costOf(place.model, paid, prices),
      problems,
      failures: isFailed ? 1 : 0,
    }
  }
}
