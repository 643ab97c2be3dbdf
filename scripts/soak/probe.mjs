// Is loaded into the gateway that is tested (`node --import`), and tells its parent what only the process itself can see: how
// long it held up its own event loop, and how much memory is left after a collection of garbage.
import { readFileSync } from 'node:fs'

/** Timers come once a turn of the event loop, so that the time between two of them is that of a turn at least. */
const STEP_MS = 2

let longest = { wall: 0, processor: 0 }
let before = now()
setInterval(() => {
  const after = now()
  const wall = after.wall - before.wall - STEP_MS
  const processor = after.processor - before.processor
  if (wall > longest.wall) longest.wall = wall
  if (processor > longest.processor) longest.processor = processor
  before = after
}, STEP_MS).unref()

process.on('message', ({ probe }) => {
  if (probe === 'collect') {
    globalThis.gc()
    globalThis.gc()
  }
  const { heapUsed, external } = process.memoryUsage()
  process.send({ longest, heapUsed, external })
  longest = { wall: 0, processor: 0 }
})
process.channel?.unref()

/**
 * The time on the clock, and how much of it this thread had the processor, in milliseconds. On a machine that is busy with
 * other things the second alone says what the gateway does to its streams.
 */
function now() {
  const processor = Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6
  return { wall: performance.now(), processor }
}
