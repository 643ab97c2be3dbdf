import type { DialectId } from '@dragoman/core'
import type { Refusal } from '../base/refusal.ts'
import type { AccountingConfig, ClientKey } from '../config/config.ts'
import { costOf, NANO } from './prices.ts'
import { limitHeaders, limitRefusal, storeGone } from './refusals.ts'
import {
  type Claim,
  type LimitName,
  type QuotaStore,
  type Settlement,
  StoreFault,
  type Taken,
  type UsageRow,
} from './store.ts'
import { Ticket } from './ticket.ts'

export interface QuotasOptions {
  readonly store: QuotaStore
  /** Milliseconds since 1970. */
  readonly today: () => number
  readonly observer: QuotaObserver
}

/** Is told what is counted. */
export interface QuotaObserver {
  used(row: UsageRow): void
  refused(key: string, by: LimitName | 'store'): void
  /** Use could not be written down. */
  lost(reason: string): void
}

export interface QuotaQuestion {
  readonly id: string
  /** Undefined where there are no keys. */
  readonly key: ClientKey | undefined
  /** As the upstream that is asked first calls it. */
  readonly model: string
  /** How many tokens the prompt is expected to take. */
  readonly tokens: number
  readonly dialect: DialectId
}

export type Admission =
  | {
      readonly is: 'admitted'
      readonly ticket: Ticket
      /** What the client is told of its limits. */
      readonly headers: Readonly<Record<string, string>>
    }
  | { readonly is: 'refused'; readonly refusal: Refusal }

/** How many different models are told apart: clients may make names up. */
const MOST_MODELS = 500
const OTHER_MODELS = '(other)'

/** Decides whether a key may ask now, and sees to it that what it used is counted. */
export class Quotas {
  private readonly options: QuotasOptions
  private readonly models = new Set<string>()
  private readonly settling = new Set<Promise<void>>()

  constructor(options: QuotasOptions) {
    this.options = options
  }

  get store(): QuotaStore {
    return this.options.store
  }

  async admit(question: QuotaQuestion, accounting: AccountingConfig): Promise<Admission> {
    const { store, observer, today } = this.options
    const { key, dialect } = question
    const claim = claimFor(question, accounting)
    try {
      const verdict = await store.claim(claim)
      if (verdict.is === 'refused') {
        observer.refused(claim.key, verdict.by)
        return { is: 'refused', refusal: limitRefusal(verdict, key ?? {}, dialect, today()) }
      }
      const headers = limitHeaders(verdict.left, dialect, today())
      return { is: 'admitted', ticket: this.ticketFor(claim, verdict.taken, accounting), headers }
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error
      observer.refused(claim.key, 'store')
      return { is: 'refused', refusal: storeGone }
    }
  }

  /** Waits until everything that was used is written down. */
  async close(): Promise<void> {
    await Promise.all(this.settling)
    await this.options.store.close()
  }

  private ticketFor(claim: Claim, taken: Taken, { prices }: AccountingConfig): Ticket {
    const { today, observer } = this.options
    return new Ticket({
      claim,
      taken,
      settle: (settlement) => this.settle(settlement),
      prices,
      today,
      modelLabel: (model) => this.labelOf(model),
      onUsed: (used) => observer.used(used),
    })
  }

  private settle(settlement: Settlement): void {
    const { store, observer } = this.options
    const settled = store
      .settle(settlement)
      .catch((error: unknown) => observer.lost(error instanceof Error ? error.message : String(error)))
      .finally(() => this.settling.delete(settled))
    this.settling.add(settled)
  }

  private labelOf(model: string): string {
    if (this.models.has(model)) return model
    if (this.models.size >= MOST_MODELS) return OTHER_MODELS
    this.models.add(model)
    return model
  }
}

/** Only the prompt is expected: how long an answer will be nobody knows, and the limit that agents set for it is never reached. */
function claimFor({ id, key, model, tokens }: QuotaQuestion, { prices }: AccountingConfig): Claim {
  const { name = '', limits = {}, budget } = key ?? {}
  return {
    id,
    key: name,
    limits,
    tokens,
    budget:
      budget === undefined
        ? null
        : {
            nano: Math.round(budget.usd * NANO),
            cost: costOf(model, { input: tokens, cached: 0, output: 0 }, prices),
            per: budget.per,
          },
  }
}
