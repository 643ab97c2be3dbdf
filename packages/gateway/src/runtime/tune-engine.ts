import { setFlagsFromString } from 'node:v8'

/**
 * How much a function has to run before it is compiled once more, with optimisations. At first twice as much as V8
 * would ask: what runs for each event of a stream gets there within a few streams all the same, and to optimise what
 * runs once a request takes as much time as it saves in two thousand of them.
 */
const BUDGET_AT_FIRST = 130_000

/** A process that has served so many will serve many more: from then on what runs once a request is worth it too. */
const BUSY_AFTER_REQUESTS = 2000
const BUDGET_WHEN_BUSY = 10_000

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
  setFlagsFromString(`--interrupt-budget=${BUDGET_AT_FIRST}`)
  let requests = 0
  return () => {
    if (++requests === BUSY_AFTER_REQUESTS) setFlagsFromString(`--interrupt-budget=${BUDGET_WHEN_BUSY}`)
  }
}
