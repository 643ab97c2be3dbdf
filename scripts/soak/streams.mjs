import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, faultOf } from './ask.mjs'
import { dialectNames, smallRequest } from './dialects.mjs'
import { slope } from './figures.mjs'

/** Of a hundred streams. */
const WITH_CALL = 20
const ABORTING = 5

/**
 * Many clients of all dialects read paced streams for a while, one after the other each; some leave in the middle. Resolves
 * to what became of them, and how the memory of the gateway went.
 */
export async function soak(gateway, { streams, seconds, pause, onSample = () => {} }) {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  const outcomes = { whole: 0, calls: 0, left: 0, pieces: 0, faults: [] }
  const began = performance.now()
  const isOver = () => performance.now() - began > seconds * 1000
  // A stream takes up to a third of a short run, and half a minute of a long one.
  const longest = Math.max(10, Math.min(150, Math.floor((seconds * 1000) / 3 / pause)))
  const clients = Array.from({ length: streams }, async (_, number) => {
    await sleep((number / streams) * Math.min(5000, seconds * 80))
    for (let round = 0; !isOver(); round++)
      await readOne(gateway, agent, number + round, { pause, longest, outcomes })
  })
  const samples = []
  const sampling = setInterval(() => {
    const sample = { seconds: (performance.now() - began) / 1000, resident: gateway.resident }
    samples.push(sample)
    onSample(sample, outcomes)
  }, 1000)
  // Early enough for the memory to be as large as ever again when its growth is measured.
  await sleep((seconds * 1000) / 5)
  const before = await heldBy(gateway)
  await sleep(began + seconds * 1000 - performance.now())
  const after = await heldBy(gateway)
  clearInterval(sampling)
  await Promise.all(clients)
  agent.destroy()
  return { ...outcomes, ...memoryIn(samples, seconds), held: { before, after }, samples }
}

/** What is left after a collection, in MB. */
async function heldBy(gateway) {
  const { heap, external } = await gateway.look({ collect: true })
  return heap + external
}

async function readOne(gateway, agent, number, { pause, longest, outcomes }) {
  const dialect = dialectNames[number % dialectNames.length]
  const pieces = Math.ceil(longest / 3 + Math.random() * longest * (2 / 3))
  const script = { pieces, pause, call: Math.random() * 100 < WITH_CALL ? 1 : 0 }
  const leavesAfter = Math.random() * 100 < ABORTING ? Math.ceil(Math.random() * pieces) : Infinity
  let heard = 0
  let asked
  try {
    const answer = await ask(gateway.port, dialect, smallRequest(dialect, script), {
      agent,
      onSent: (request) => (asked = request),
      onPiece: () => {
        if (++heard >= leavesAfter) asked.destroy()
      },
    })
    const fault = faultOf(dialect, answer, script)
    if (heard >= leavesAfter) {
      // It left when all that was to come had come. Node says then that the answer is over, and holds back the rest of it.
      outcomes.left++
    } else if (fault === null) {
      outcomes.whole++
      outcomes.calls += script.call
      outcomes.pieces += pieces
    } else {
      outcomes.faults.push(`${dialect}: ${fault}`)
    }
  } catch (error) {
    if (heard >= leavesAfter) outcomes.left++
    else outcomes.faults.push(`${dialect}: ${String(error)}`)
  }
}

/**
 * The memory behind the first third, in which caches fill and code is compiled. `slope` is by how many MB it grows in ten
 * minutes. Between two collections of garbage it goes up and down by a third, so that in a short run this says little.
 */
function memoryIn(samples, seconds) {
  const late = samples.filter((sample) => sample.seconds > seconds / 3)
  return {
    most: Math.max(...samples.map(({ resident }) => resident)),
    slope: slope(late.map((sample) => [sample.seconds / 600, sample.resident])),
  }
}
