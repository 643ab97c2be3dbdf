import type { ModelPrice } from '../config/config.ts'
import { matchesName } from '../config/match-model.ts'

/** The tokens of a request, as far as they are paid for differently. */
export interface PaidTokens {
  /** All of the prompt. */
  readonly input: number
  /** The part of it that came from a cache. */
  readonly cached: number
  readonly output: number
}

/** Dollars are counted in billionths: whole numbers add up the same everywhere, and one token costs more than one of them. */
export const NANO = 1_000_000_000

/** What the tokens cost, in billionths of a dollar. A model without a price costs nothing. */
export function costOf(
  model: string,
  { input, cached, output }: PaidTokens,
  prices: readonly ModelPrice[],
): number {
  const price = prices.find(({ match }) => matchesName(model, match))
  if (price === undefined) return 0
  const dollarsAMillion =
    Math.max(0, input - cached) * price.input + cached * price.cacheRead + output * price.output
  return Math.round(dollarsAMillion * (NANO / 1_000_000))
}
