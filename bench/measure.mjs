/** A round shorter than this drowns in the clock and in what else the machine does. */
const ROUND_MS = 8
const ROUNDS = 15
const WARM_UP_MS = 120

/**
 * Times several tasks side by side: in every round each of them runs once, so that a busy moment of the
 * machine slows all of them down alike. Returns the median nanoseconds a run takes, by name.
 */
export async function sideBySide(tasks, { rounds = ROUNDS } = {}) {
  const names = Object.keys(tasks)
  const repeats = {}
  for (const name of names) repeats[name] = await repeatsFor(tasks[name])
  const samples = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      samples[name].push((await timeOf(tasks[name], repeats[name])) / repeats[name])
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(samples[name]) * 1e6]))
}

export function median(samples) {
  const sorted = samples.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** How often a task has to run to fill a round, once the compiler has seen enough of it. */
async function repeatsFor(task) {
  const deadline = performance.now() + WARM_UP_MS
  let repeats = 1
  let elapsed = 0
  while (performance.now() < deadline || elapsed < ROUND_MS) {
    elapsed = await timeOf(task, repeats)
    if (elapsed < ROUND_MS) repeats *= 2
  }
  return Math.max(1, Math.round((repeats * ROUND_MS) / elapsed))
}

/**
 * Milliseconds of processor time: on a machine that is busy with other things the clock on the wall tells
 * more about them than about the task. A task that returns a promise is waited for.
 */
async function timeOf(task, repeats) {
  const started = processorTime()
  for (let run = 0; run < repeats; run++) {
    const pending = task()
    if (pending !== undefined) await pending
  }
  return processorTime() - started
}

function processorTime() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
