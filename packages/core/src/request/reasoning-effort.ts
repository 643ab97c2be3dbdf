/** Dialects that count tokens and dialects that name an effort, in each other's terms. */
export function effortOfBudget(budgetTokens: number): string {
  if (budgetTokens < 4096) return 'low'
  return budgetTokens < 16_384 ? 'medium' : 'high'
}

export function budgetOfEffort(effort: string | undefined): number {
  return budgets.get(effort ?? 'medium') ?? 24_576
}

/** The three efforts that every upstream with efforts has. */
export function commonEffort(effort: string): string {
  if (effort === 'low' || effort === 'minimal') return 'low'
  return effort === 'medium' ? 'medium' : 'high'
}

const budgets: ReadonlyMap<string, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
  ['high', 24_576],
])
