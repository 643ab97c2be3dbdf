import { setFlagsFromString } from 'node:v8'

/**
 * How much a function has to run before V8 compiles it once more, with optimisations: from which request on, and how
 * much. Until the first step V8 has its own way, so that what runs only at the start is left alone.
 */
const budgets: ReadonlyMap<number, number> = new Map([
  // What runs once a request is worth it early: compiled, it takes two thirds of the time.
  [16, 15_000],
  // What is left runs too seldom to be compiled soon. With much more it never would: what is given has to be used up.
  [450, 200_000],
])

/**
 * From this version on V8 has a compiler in the middle, counts calls in place of what they run, and does well by
 * itself. It does not know the flag any more: given it, it would complain on standard error.
 */
const FIRST_WITHOUT_BUDGET = 12

/**
 * By how much the space for young objects grows, up to V8's own limit of 16 MB, when it turns out to be too small.
 * In a small one the texts of a few dozen streams are still in use when it is full, and are copied for nothing.
 */
const SEMI_SPACE_GROWTH = 16

/**
 * For a process that is all ours: it holds for everything that runs there. To be called before there is work to do;
 * what it returns is to be called for each request.
 */
export function tuneEngine(): () => void {
  setFlagsFromString(`--semi-space-growth-factor=${SEMI_SPACE_GROWTH}`)
  // What survives in it is little: to share that out among threads takes longer than to copy it.
  setFlagsFromString('--no-parallel-scavenge')
  const hasBudget = Number.parseInt(process.versions.v8, 10) < FIRST_WITHOUT_BUDGET
  return hasBudget ? followBudgets() : () => {}
}

function followBudgets(): () => void {
  let requests = 0
  return () => {
    const budget = budgets.get(++requests)
    if (budget !== undefined) setFlagsFromString(`--interrupt-budget=${budget}`)
  }
}
