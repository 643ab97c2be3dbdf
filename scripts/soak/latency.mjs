import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, faultOf } from './ask.mjs'
import { dialectNames, smallRequest } from './dialects.mjs'
import { percentile } from './figures.mjs'

/** What the gateway adds to the first byte and to the time between two, one stream at a time, in turns with the upstream itself. */
export async function addedLatency(gateway, upstream, rounds) {
  const agent = new Agent({ keepAlive: true })
  const script = { pieces: 5, pause: 2 }
  const samples = { gateway: [], upstream: [] }
  for (let round = 0; round < rounds; round++) {
    for (const [who, { port }] of Object.entries({ gateway, upstream })) {
      samples[who].push(await timed(port, script, agent))
    }
  }
  agent.destroy()
  const settled = (who) => samples[who].slice(rounds / 3)
  const added = (what) => ({
    median: percentile(settled('gateway').map(what), 50) - percentile(settled('upstream').map(what), 50),
    p99: percentile(settled('gateway').map(what), 99) - percentile(settled('upstream').map(what), 99),
  })
  return { first: added(({ first }) => first), gap: added(({ gap }) => gap) }
}

async function timed(port, script, agent) {
  const began = performance.now()
  const at = []
  await ask(port, 'openai-chat', smallRequest('openai-chat', script), {
    agent,
    onPiece: () => at.push(performance.now()),
  })
  return { first: at[0] - began, gap: (at.at(-1) - at[0]) / Math.max(1, at.length - 1) }
}

/**
 * So many requests a second, whether those before are answered or not, in these dialects in turn. Resolves to how much longer they take
 * than the script. A part of that is the upstream's own: its timers are late, each by a little.
 */
export async function underLoad({ port }, { rate, seconds, dialects = dialectNames }) {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  const script = { pieces: 20, pause: 10 }
  const longer = []
  const faults = []
  const asking = []
  const began = performance.now()
  for (let number = 0; number < rate * seconds; number++) {
    await sleep(Math.max(0, began + (number * 1000) / rate - performance.now()))
    asking.push(one(dialects[number % dialects.length]))
  }
  await Promise.all(asking)
  agent.destroy()
  const mean = longer.reduce((sum, each) => sum + each, 0) / longer.length
  return { asked: asking.length, faults, mean, p95: percentile(longer, 95), p99: percentile(longer, 99) }

  async function one(dialect) {
    const from = performance.now()
    try {
      const fault = faultOf(
        dialect,
        await ask(port, dialect, smallRequest(dialect, script), { agent }),
        script,
      )
      if (fault === null) longer.push(performance.now() - from - (script.pieces + 1) * script.pause)
      else faults.push(`${dialect}: ${fault}`)
    } catch (error) {
      faults.push(`${dialect}: ${String(error)}`)
    }
  }
}
