import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PIECES } from './burst-streams.mjs'
import { median } from './measure.mjs'
import { file, start, startGateway } from './program.mjs'
import { ask, configIn, inParallel } from './streams.mjs'
import { printTable, short } from './table.mjs'

const PROCESSES = 2
const ROUNDS = 4
const WARM_UP = 3000
/** The first thousand exchanges are kept whole, and their code is compiled: what a flood costs is seen some way behind them. */
const SETTLING = 2500
const MEASURED = 1000
const RELOAD_MS = 300

/** A client of a dialect, and the upstream that answers it. */
const pairings = [
  ['openai-chat', 'openai-chat'],
  ['anthropic-messages', 'anthropic-messages'],
  ['anthropic-messages', 'openai-chat'],
  ['openai-responses', 'openai-responses'],
  ['gemini', 'gemini'],
]

/** The same process serves with the inspector and without: `off again` shows what a reload alone makes of the same. */
const modes = { off: false, 'off again': false, on: true }

/**
 * What does it cost a burst that somebody may look, while nobody does? Two processes of one program differ by more than that. So
 * each gateway is its own measure: its configuration turns the inspector on and off, round after round.
 */
export async function inspector() {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'))
  const upstream = start([file('./burst-upstream.mjs')])
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  try {
    const port = await upstream.line(/^(\d+)$/m)
    const rows = []
    for (const [client, from] of pairings) {
      const samples = Object.fromEntries(Object.keys(modes).map((mode) => [mode, []]))
      for (let run = 0; run < PROCESSES; run++) {
        await oneProcess({ agent, folder, port, client, from, samples })
      }
      const { off, on } = samples
      const ratios = [more(off, samples['off again']), more(off, on)]
      rows.push([`${client} client, ${from} upstream`, short(median(off)), short(median(on)), ...ratios])
    }
    printTable('An event of a burst, µs of processor time', ['', 'off', 'on', 'off again', 'on'], rows)
  } finally {
    agent.destroy()
    upstream.end()
    rmSync(folder, { recursive: true })
  }
}

async function oneProcess({ agent, folder, port, client, from, samples }) {
  const configure = (enabled) => configIn(folder, port, { inspector: { enabled } })
  const gateway = startGateway('--config', configure(false))
  try {
    const address = await gateway.address()
    const load = (count) => inParallel(() => ask(agent, address, client, from), count)
    await load(WARM_UP)
    const names = Object.keys(modes)
    for (let round = 0; round < ROUNDS; round++) {
      // Who goes first changes, so that none always has the warmer machine.
      for (const turn of names.keys()) {
        const mode = names[(turn + round) % names.length]
        configure(modes[mode])
        process.kill(gateway.pid, 'SIGHUP')
        await sleep(RELOAD_MS)
        await load(SETTLING)
        const before = processorMicroseconds(gateway.pid)
        await load(MEASURED)
        samples[mode].push((processorMicroseconds(gateway.pid) - before) / MEASURED / PIECES)
      }
    }
  } finally {
    gateway.end()
  }
}

/** By how much the second is dearer than the first, round by round. */
function more(base, other) {
  return `${((median(other.map((each, at) => each / base[at])) - 1) * 100).toFixed(1)} %`
}

/** Of all threads of the process. What is compared differs by less than the hundredths of a second that `stat` counts in. */
function processorMicroseconds(pid) {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return times.reduce((sum, time) => sum + time, 0) / 1000
}
