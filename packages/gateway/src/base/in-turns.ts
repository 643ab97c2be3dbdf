import { setImmediate as nextTurn } from 'node:timers/promises'

/** How many bytes or characters long work may handle in one turn of the event loop: a millisecond or two. */
export const TURN = 262_144

/**
 * Does work that may take long. It yields how many bytes it has handled since it yielded last; after a turn's worth everything
 * else has its turn. Done at once, it would stop every stream meanwhile.
 */
export function inTurns<Result>(work: Generator<number, Result, void>): Promise<Result> {
  return new Promise((resolve, fail) => {
    const takeTurn = (): void => {
      try {
        let handled = 0
        for (let step = work.next(); ; step = work.next()) {
          if (step.done === true) {
            resolve(step.value)
            return
          }
          handled += step.value
          if (handled >= TURN) break
        }
        setImmediate(takeTurn)
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)))
      }
    }
    takeTurn()
  })
}

/** Lets everything else have its turn. */
export async function breathe(): Promise<void> {
  await nextTurn()
}
