import type { ReasoningRequest } from './conversation-request.ts'

/** How much a user wants a model to think. `auto` leaves it to the client; a number is a budget of tokens. */
export type ThinkingSetting = 'auto' | 'off' | 'low' | 'medium' | 'high' | number

/** The wish that takes the place of the client's; undefined where the client's own counts. */
export function wishOf(setting: ThinkingSetting): ReasoningRequest | undefined {
  if (setting === 'auto') return undefined
  if (setting === 'off' || setting === 0) return { mode: 'off' }
  return typeof setting === 'number' ? { mode: 'on', budgetTokens: setting } : { mode: 'on', effort: setting }
}
