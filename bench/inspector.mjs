import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PIECES, streams } from './burst-streams.mjs'
import { median } from './measure.mjs'
import { file, start } from './program.mjs'
import { ask, configIn, inParallel } from './streams.mjs'
import { printTable, short } from './table.mjs'

const ROUNDS = 81
const WARM_UP = 2000
const MEASURED = 100

/**
 * What does it cost a burst that somebody may look, while nobody does? Three gateways take turns, two of them without the
 * inspector: by how much these two differ is what the machine adds by itself.
 */
export async function inspector() {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'))
  const upstream = start([file('./burst-upstream.mjs')])
  const port = await upstream.line(/^(\d+)$/m)
  const gateways = [false, false, true].map((enabled, at) => {
    const config = configIn(folder, port, { inspector: { enabled } }, `${at}.yaml`)
    return start([file('../packages/gateway/bin/dragoman.js'), 'serve', '--port', '0', '--config', config])
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  try {
    const sides = await Promise.all(
      gateways.map(async ({ pid, line }) => ({ pid, address: await line(/listening on (\S+)/) })),
    )
    const rows = []
    for (const dialect of Object.keys(streams)) {
      const samples = sides.map(() => [])
      for (const { address } of sides) await inParallel(() => ask(agent, address, dialect, dialect), WARM_UP)
      for (let round = 0; round < ROUNDS; round++) {
        // Who goes first changes, so that neither always has the warmer machine.
        for (const turn of sides.keys()) {
          const at = (turn + round) % sides.length
          const { pid, address } = sides[at]
          const before = processorMicroseconds(pid)
          await inParallel(() => ask(agent, address, dialect, dialect), MEASURED)
          samples[at].push((processorMicroseconds(pid) - before) / MEASURED / PIECES)
        }
      }
      const [off, again, on] = samples
      rows.push([dialect, short(median(off)), short(median(on)), more(off, again), more(off, on)])
    }
    printTable('An event of a burst, µs of processor time', ['', 'off', 'on', 'off, once more', 'on'], rows)
  } finally {
    agent.destroy()
    for (const each of [...gateways, upstream]) each.end()
    rmSync(folder, { recursive: true })
  }
}

/** By how much the second is dearer than the first, round by round. */
function more(base, other) {
  return `${((median(other.map((each, at) => each / base[at])) - 1) * 100).toFixed(1)} %`
}

/** Of all threads of the process. Two gateways differ by less than the hundredths of a second that `stat` counts in. */
function processorMicroseconds(pid) {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return times.reduce((sum, time) => sum + time, 0) / 1000
}
