// The gateway for a while under load: paced streams of all dialects, clients that leave, that read slowly, that ask for much.
// Each part has a gateway of its own, in a process of its own, and a scripted upstream in another. Needs a build and Linux.
//   --minutes N    how long the paced streams run (0.4)
//   --streams N    how many at a time (1000)
//   --pause MS     between two pieces of a stream (200)
//   --aborts N     how many clients leave in the middle (5000)
//   --only PART    streams, aborts, slow, large, letters, latency or drain alone
//   --rounds N     how often each large request is sent (1)
//   --load N       requests a second for the latency under load (50)
//   --load-seconds N  for so long (5)
//   --series FILE  writes the memory of the gateway there, second by second
// Prints the figures, and exits with 1 where one of them is not as it has to be.
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { abortStreams } from './soak/aborts.mjs'
import { drainWith } from './soak/drain.mjs'
import { askLarge } from './soak/large-requests.mjs'
import { addedLatency, underLoad } from './soak/latency.mjs'
import { readLetters } from './soak/letters.mjs'
import { endAll, startGateway, startUpstream } from './soak/programs.mjs'
import { readSlowly } from './soak/slow-readers.mjs'
import { soak } from './soak/streams.mjs'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '0.4' },
    streams: { type: 'string', default: '1000' },
    pause: { type: 'string', default: '200' },
    aborts: { type: 'string', default: '5000' },
    load: { type: 'string', default: '50' },
    'load-seconds': { type: 'string', default: '5' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string' },
    series: { type: 'string' },
  },
})

/** The least time after which the growth of the memory says something: until then the heap takes its size. */
const MINUTES_TO_JUDGE = 10
/** MB in ten minutes. */
const MOST_SLOPE = 25
/** MB by which what is held after a collection may differ, with as many streams open. */
const MOST_GROWTH = 8
const MOST_RESIDENT = 350
/** MB for a hundred slow readers. 64 are aimed at; what garbage waits to be collected differs from run to run. */
const MOST_SLOW = 96
const LONGEST_HOLD_UP_MS = 50
/** A team's gateway has no inspector unless somebody wants one. With it, 32 MiB of exchanges are kept. */
const team = { inspector: { enabled: false } }

const parts = { streams, aborts, slow, large, letters, latency, drain }
/** What the gateway of a part is told beside that. */
const settings = { drain: { timeouts: { drain: '3s', drainGrace: '0ms' } } }
const failures = []

if (values.only !== undefined && !(values.only in parts)) {
  console.error(`There is no part "${values.only}".`)
  process.exit(1)
}

try {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`)
  for (const [name, part] of Object.entries(parts)) {
    if (values.only !== undefined && values.only !== name) continue
    const upstream = await startUpstream()
    const gateway = await startGateway(upstream.port, { ...team, ...settings[name] })
    const began = performance.now()
    console.log(`\n${name}`)
    await part(gateway, upstream)
    must(name === 'drain' || gateway.isAlive, `${name}: the gateway ended: ${gateway.complaints}`)
    console.log(`  (${((performance.now() - began) / 1000).toFixed(0)} s)`)
    await endAll()
  }
} finally {
  await endAll()
}
for (const failure of failures) console.error(`FAILED: ${failure}`)
process.exitCode = failures.length > 0 ? 1 : 0

async function streams(gateway, upstream) {
  const seconds = Number(values.minutes) * 60
  const result = await soak(gateway, {
    streams: Number(values.streams),
    seconds,
    pause: Number(values.pause),
    onSample: ({ seconds: at, resident }, { whole }) => {
      if (Math.round(at) % 60 === 0) tell(`${Math.round(at)} s`, `${mb(resident)}, ${whole} streams whole`)
    },
  })
  const { whole, calls, left, pieces, faults, most, slope, held, samples } = result
  if (values.series !== undefined) writeFileSync(values.series, samples.map(asRow).join(''))
  const { open } = await upstream.state()
  const { heap } = await gateway.look({ collect: true })
  tell(
    'streams',
    `${whole} whole, ${calls} of them with a call, ${left} left by their client; ${faults.length} faults`,
  )
  tell('pieces', `${pieces}, ${(pieces / seconds).toFixed(0)} a second`)
  tell('memory', `${mb(most)} at most`)
  const isJudged = Number(values.minutes) >= MINUTES_TO_JUDGE
  const sloping = isJudged ? `; ${mb(slope)} more in ten minutes, over the last two thirds` : ''
  const growth = `${mb(held.before)} held after a fifth of the time, ${mb(held.after)} at its end${sloping}`
  tell('growth', growth)
  tell(
    'afterwards',
    `${mb(heap)} of heap after a collection, ${mb(gateway.resident)} in all, ${open} requests open`,
  )
  for (const fault of faults.slice(0, 5)) failures.push(`streams: ${String(fault)}`)
  must(whole > 0 && left > 0 && calls > 0, 'streams: nothing was read')
  must(most <= MOST_RESIDENT, `streams: the gateway had ${mb(most)}`)
  must(open === 0, `streams: ${open} requests are open at the upstream`)
  must(held.after - held.before <= MOST_GROWTH, `streams: more and more is held: ${growth}`)
  must(!isJudged || slope <= MOST_SLOPE, `streams: the memory grows: ${growth}`)
}

async function aborts(gateway, upstream) {
  const sockets = gateway.sockets.all
  // The first requests pay for code that is loaded once.
  await abortStreams(gateway, upstream, 500)
  const before = await gateway.memory()
  const left = await abortStreams(gateway, upstream, Number(values.aborts))
  const { open, clients } = left
  // Connections to the upstream are kept for some seconds, for the next requests.
  await sleep(5500)
  const { all, upstream: kept } = gateway.sockets
  const after = await gateway.memory()
  const more = after.held - before.held
  tell('clients that left', left.count)
  tell('a second later', `${open} requests open at the upstream, ${clients} connections of clients`)
  tell(
    'the upstream knew',
    `${left.noticed} times: after ${left.median} ms (median), ${left.p99} ms (p99), ${left.latest} ms (latest)`,
  )
  tell('six seconds later', `${kept} connections to the upstream, ${all - sockets} sockets more than before`)
  tell(
    'memory',
    `${mb(more)} more held, ${mb(after.resident - before.resident)} more in all after a collection`,
  )
  must(left.noticed > left.count / 4, `aborts: only ${left.noticed} streams were cut off at the upstream`)
  must(open === 0, `aborts: ${open} requests are open at the upstream`)
  must(clients === 0, `aborts: ${clients} connections of clients are left`)
  must(kept === 0, `aborts: ${kept} connections to the upstream are left`)
  must(all <= sockets, `aborts: ${all - sockets} sockets are left`)
  must(more <= 15, `aborts: ${mb(more)} more are held`)
}

async function slow(gateway) {
  // The first stream pays for code that is loaded once, and for the size that the heap takes.
  await readSlowly(gateway, { readers: 1, seconds: 0, bytesPerSecond: 0 })
  const one = await readSlowly(gateway, { readers: 1, seconds: 2, bytesPerSecond: 65_536 })
  tell('one slow reader of 100 MB', `${grown(one)}; it got ${mb(one.bytes / 1_048_576)} in the end`)
  must(one.isWhole && one.bytes > 104_857_600, `slow: the stream was not whole after ${one.bytes} bytes`)
  must(one.held <= 16, `slow: for one reader ${mb(one.held)} are held`)
  const many = await readSlowly(gateway, { readers: 100, seconds: 5, bytesPerSecond: 65_536 })
  tell('100 of them at once', grown(many))
  must(many.held <= 64, `slow: for 100 readers ${mb(many.held)} are held`)
  must(many.most <= MOST_SLOW, `slow: 100 readers took ${mb(many.most)}`)
}

function grown({ held, resident, most }) {
  return `${mb(held)} held, ${mb(resident)} more memory after a collection, ${mb(most)} more at most`
}

async function large(gateway) {
  const { figures, faults } = await askLarge(gateway, { rounds: Number(values.rounds) })
  for (const { kind, processor, wall, gap } of figures) {
    tell(
      kind,
      `others wait for ${ms(processor)} of processor time, ${ms(wall)} by the clock; the next client saw a gap of ${ms(gap)}`,
    )
    must(processor <= LONGEST_HOLD_UP_MS, `large: ${kind} held everything up for ${ms(processor)}`)
  }
  for (const fault of faults) failures.push(`large: ${fault}`)
}

async function letters(gateway) {
  const { figures, faults } = await readLetters(gateway, 120_000)
  for (const { dialect, seconds } of figures) {
    tell(`120,000 letters, ${dialect}`, `${seconds.toFixed(1)} s`)
    must(seconds <= 8, `letters: ${dialect} took ${seconds.toFixed(1)} s`)
  }
  for (const fault of faults) failures.push(`letters: ${fault}`)
}

async function latency(gateway, upstream) {
  const { first, gap } = await addedLatency(gateway, upstream, 120)
  tell('first byte, one stream at a time', `${late(first)} later than from the upstream itself`)
  tell('time between two pieces', `${late(gap)} longer`)
  const load = { rate: Number(values.load), seconds: Number(values['load-seconds']) }
  const direct = await underLoad(upstream, { ...load, dialects: ['openai-chat'] })
  const through = await underLoad(gateway, load)
  const { asked, faults } = through
  tell(`${load.rate} requests a second`, `${asked - faults.length} of ${asked} whole`)
  tell('longer than the script, through the gateway', spread(through))
  tell('longer than the script, the upstream itself', spread(direct))
  for (const fault of faults.slice(0, 5)) failures.push(`latency: ${String(fault)}`)
}

function spread({ mean, p95, p99 }) {
  return `${fine(mean)} (mean), ${fine(p95)} (p95), ${fine(p99)} (p99)`
}

function late({ median, p99 }) {
  return `${fine(median)} (median), ${fine(p99)} (p99)`
}

async function drain(gateway) {
  const { whole, told, other, code, seconds } = await drainWith(gateway, { ending: 60, staying: 40 })
  tell(
    '100 streams, of which 60 end in time',
    `${whole} whole, ${told} told; exit code ${code} after ${seconds.toFixed(1)} s, 3 allowed`,
  )
  must(whole === 60 && told === 40, `drain: ${whole} whole, ${told} told, ${other.join('; ').slice(0, 600)}`)
  // A second is for the last bytes, and one more for a machine that has other things to do.
  must(code === 0 && seconds <= 5, `drain: exit code ${code} after ${seconds.toFixed(1)} s`)
}

function asRow({ seconds, resident }) {
  return `${seconds.toFixed(0)} ${resident.toFixed(1)}\n`
}

function tell(what, value) {
  console.log(`  ${what}: ${value}`)
}

function must(holds, failure) {
  if (!holds) failures.push(failure)
}

function mb(number) {
  return `${number.toFixed(number < 10 ? 1 : 0)} MB`
}

function ms(number) {
  return `${number.toFixed(0)} ms`
}

function fine(number) {
  return `${number.toFixed(1)} ms`
}
