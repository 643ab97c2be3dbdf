import { setFlagsFromString } from 'node:v8'

/**
 * When V8 compiles a function once more, with optimisations: from which request on, and how. Until the first step it
 * has its own way, so that what runs only at the start is left alone.
 */
const steps: ReadonlyMap<number, readonly string[]> = new Map([
  // What each request runs is worth it early: compiled, it takes two thirds of the time. Small functions are compiled
  // as a part of those that call them; each by itself, at its first chance, they kept the compiler busy for long.
  [16, ['--interrupt-budget=15000', '--max-bytecode-size-for-early-opt=0']],
  // What is left then pays only after many thousand requests: the few hundred of one person's day should not bear it.
  [450, ['--interrupt-budget=67584', '--ticks-before-optimization=20']],
  // A process that has come so far will serve those thousands: V8's own way is the best one in the long run.
  [2000, ['--ticks-before-optimization=3', '--max-bytecode-size-for-early-opt=81']],
])

/**
 * From this version on V8 has a compiler in the middle, counts calls in place of what they run, and does well by
 * itself. It does not know the first of these flags any more: given it, it would complain on standard error.
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
  return hasBudget ? followSteps() : () => {}
}

function followSteps(): () => void {
  let requests = 0
  return () => {
    for (const flag of steps.get(++requests) ?? []) setFlagsFromString(flag)
  }
}
