import { setFlagsFromString } from 'node:v8'

/**
 * How much a function has to run before it is compiled once more, with optimisations; V8's own default is a third.
 * What runs for each event of a stream gets there within seconds all the same. What runs once a request does not
 * before some thousand requests: until then compiling it costs more than it saves, and that at a time when every
 * other function wants to be compiled too.
 */
const INTERRUPT_BUDGET = 400_000

/**
 * By how much the space for young objects grows, up to V8's own limit of 16 MB, when it turns out to be too small.
 * In a small one the texts of a few dozen streams are still in use when it is full, and are copied for nothing.
 */
const SEMI_SPACE_GROWTH = 16

/** For a process that is all ours: it holds for everything that runs there. To be called before there is work to do. */
export function tuneEngine(): void {
  setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`)
  setFlagsFromString(`--semi-space-growth-factor=${SEMI_SPACE_GROWTH}`)
}
