// Fifty clients of two dialects on three gateways behind nginx, with three upstreams and one to fall back on, while upstreams,
// a gateway and Redis fail. Takes about a minute and a half. Needs a build, nginx and redis-server. With --haproxy, HAProxy
// stands in the place of nginx.
// Prints what docs/teams.md holds, and exits with 1 where something failed that had anywhere to go.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, conversation, dialectNames } from './team/conversations.mjs'
import { busyAtTimes, endAll, freePort, gateway, haproxy, nginx, redis, simulator } from './team/machines.mjs'

const CLIENTS = 50
const SECONDS = 72
const LIMIT = 600
const ASKED_A_SECOND = 12
const MINUTE = 60_000
const UPSTREAM_KILLED = 'upstream 1 is killed'
const GATEWAY_KILLED = 'gateway 2 is killed with -9'
/** What was killed was not asked any more when this much had passed, and what it was sending has ended. */
const AFTERMATH = 3000
const keys = { team: 'the-key-of-the-team-0123456789', limited: 'the-key-with-a-limit-0123456789' }

const proxy = process.argv.includes('--haproxy')
  ? { program: 'haproxy', make: haproxy }
  : { program: 'nginx', make: nginx }

for (const program of [proxy.program, 'redis-server']) {
  if (spawnSync(program, ['-v']).error !== undefined) {
    console.error(`${program} is not installed.`)
    process.exit(1)
  }
}

const failures = []
/** Every turn that was asked, with what became of it. */
const turns = []
/** When what happened, in milliseconds of the clock. */
const happened = new Map()
const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
let began = 0
const isOver = () => performance.now() > began + SECONDS * 1000

try {
  await run()
} catch (error) {
  failures.push(error.stack)
} finally {
  await endAll()
  agent.destroy()
}
for (const failure of failures.slice(0, 10)) console.error(`FAILED: ${failure}`)
process.exitCode = failures.length > 0 ? 1 : 0

async function run() {
  const ports = await Promise.all(Array.from({ length: 9 }, freePort))
  const [front, redisPort, ...rest] = ports
  const gatewayPorts = rest.slice(0, 3)
  const simulatorPorts = rest.slice(3)
  const simulators = simulatorPorts.map((port) => simulator(port))
  await Promise.all(simulators.map((each) => each.start()))
  const busy = await busyAtTimes(simulatorPorts[2])
  const store = await redis(redisPort).start()
  const config = configuration(
    [simulatorPorts[0], simulatorPorts[1], busy.port, simulatorPorts[3]],
    redisPort,
  )
  const gateways = gatewayPorts.map((port, index) => gateway(`gateway-${index + 1}`, port, config))
  await Promise.all(gateways.map((each) => each.start()))
  await proxy.make(front, gatewayPorts).start()

  began = performance.now()
  const clients = Array.from({ length: CLIENTS }, (_, number) =>
    converse(front, dialectNames[number % 2], number),
  )
  const limited = floodLimited(front)

  await whenAt(6, UPSTREAM_KILLED, () => simulators[0].end('SIGKILL'))
  await whenAt(12, 'upstream 3 says 429, and to come back in 5 s', () => (busy.state.isBusy = true))
  await whenAt(20, 'Redis is restarted', async () => {
    await store.end()
    await store.start()
  })
  await whenAt(26, 'upstream 3 has time again, upstream 1 is back', async () => {
    busy.state.isBusy = false
    await simulators[0].start()
  })
  await whenAt(32, GATEWAY_KILLED, () => gateways[1].end('SIGKILL'))
  await whenAt(40, 'gateway 2 is back', () => gateways[1].start())
  await whenAt(46, 'gateways 1 and 3 are restarted, one after the other', async () => {
    for (const each of [gateways[0], gateways[2]]) {
      await each.end()
      await each.start()
    }
  })
  await whenAt(SECONDS, 'the end', () => {})
  await Promise.all(clients)
  const flood = await limited
  busy.stop()
  report(flood, busy.state.refused, `127.0.0.1:${gatewayPorts[1]}`)
}

function configuration([one, two, three, fallback], redisPort) {
  return {
    listen: { allowedHosts: ['gateway.example'] },
    upstreams: {
      one: serverAt(one),
      two: serverAt(two),
      three: serverAt(three),
      fallback: serverAt(fallback),
    },
    models: [
      {
        match: 'team-*',
        // Another model in another format: a conversation moves there and back.
        upstream: [['one', 'two', 'three'], { name: 'fallback', model: 'qwen3-coder' }],
        model: 'kimi-k2',
      },
    ],
    routing: { retries: 3, retryWithin: '10s', outAfter: 3, outFor: '5s' },
    keys: [
      { name: 'team', sha256: hash(keys.team) },
      { name: 'limited', sha256: hash(keys.limited), limits: { requestsPerMinute: LIMIT } },
    ],
    store: `redis://127.0.0.1:${redisPort}/0`,
    timeouts: { drain: '20s', drainGrace: '500ms' },
    limits: { authFailuresPerMinute: 10_000 },
    log: { level: 'warn' },
  }
}

function serverAt(port) {
  return { url: `http://127.0.0.1:${port}/v1`, kind: 'other' }
}

function hash(key) {
  return createHash('sha256').update(key).digest('hex')
}

async function whenAt(second, what, act) {
  await sleep(Math.max(0, began + second * 1000 - performance.now()))
  console.log(`${String(second).padStart(3)} s  ${what}`)
  happened.set(what, performance.now())
  await act()
}

/** Talks until the end. A turn that broke is asked again, as people do, and has to come then. */
async function converse(front, dialect, number) {
  await sleep(number * 40)
  for (let round = 0; !isOver(); round++) {
    const talk = conversation(dialect, `City${number}x${round}`)
    const first = await turn(front, dialect, talk.opening)
    if (first === undefined) continue
    const second = talk.goOn(first)
    if (second === undefined) failures.push(`${dialect}: no call in ${first.slice(0, 500)}`)
    else await turn(front, dialect, second)
  }
}

async function turn(front, dialect, body) {
  for (let tries = 1; tries <= 4; tries++) {
    const answer = await ask(front, dialect, body, keys.team, agent)
    turns.push(answer)
    if (answer.is === 'whole') return answer.got
    if (answer.is === 'refused')
      failures.push(`${dialect}: status ${answer.status}: ${answer.got.slice(0, 300)}`)
    if (answer.is === 'unanswered') failures.push(`${dialect}: no answer: ${answer.got}`)
    if (answer.is === 'false end')
      failures.push(`${dialect}: it looks over and is not: ${answer.got.slice(-300)}`)
  }
  failures.push(`${dialect}: a turn broke four times`)
  return undefined
}

/** Twelve requests a second where ten are allowed, by the clock: what a busy machine made late is made up for. */
async function floodLimited(front) {
  const asking = []
  const { opening } = conversation('openai-chat', 'Paris')
  const from = performance.now()
  while (!isOver()) {
    asking.push(ask(front, 'openai-chat', opening, keys.limited, agent))
    await sleep(Math.max(0, from + (asking.length * 1000) / ASKED_A_SECOND - performance.now()))
  }
  return Promise.all(asking)
}

function report(flood, busyRefusals, killedGateway) {
  console.log(`turns: ${countsOf(turns.map(({ is }) => is))}`)
  console.log(`answered by: ${countsOf(turns.map(({ upstream }) => upstream))}`)
  console.log(`upstream 3 said 429 ${busyRefusals} times`)
  if (busyRefusals === 0) failures.push('upstream 3 was never asked while it had no time')
  for (const name of ['one', 'two', 'three']) {
    if (!turns.some(({ is, upstream: by }) => is === 'whole' && by === name))
      failures.push(`upstream ${name} never answered`)
  }
  judgeBroken([...turns, ...flood], killedGateway)
  judgeLimit(flood)
}

/** Only what was killed may break an answer: the upstream, which the gateway tells, and the gateway, of which only HTTP tells. */
function judgeBroken(all, killedGateway) {
  const told = all.filter(({ is }) => is === 'told')
  const cut = all.filter(({ is }) => is === 'cut')
  for (const { upstream: by, endedAt, got } of told) {
    if (by !== 'one' || !isAftermath(UPSTREAM_KILLED, endedAt))
      failures.push(`an answer of ${by} broke ${secondsAt(endedAt)}: ${got.slice(-300)}`)
  }
  for (const { gateway: by, endedAt } of cut) {
    // Where nginx had to ask several, the last of them is the one that answered.
    if (by?.split(', ').at(-1) !== killedGateway || !isAftermath(GATEWAY_KILLED, endedAt))
      failures.push(`an answer of the gateway at ${by} was cut ${secondsAt(endedAt)}`)
  }
  if (told.length === 0) failures.push('no answer broke with its upstream, which was killed for nothing')
  if (cut.length === 0) failures.push('no answer broke with its gateway, which was killed for nothing')
}

function isAftermath(what, time) {
  const at = happened.get(what) ?? Infinity
  return time > at - 1000 && time < at + AFTERMATH
}

/** A request was let in at some time between its question and the first of its answer. */
function judgeLimit(flood) {
  const from = Math.min(...flood.map(({ askedAt }) => askedAt))
  const asked = flood.filter(({ askedAt }) => askedAt < from + MINUTE)
  const letIn = asked.filter(({ is }) => is !== 'refused' && is !== 'unanswered')
  const surely = letIn.filter(({ answeredAt }) => answeredAt < from + MINUTE)
  console.log(
    `let in within the first minute, of ${LIMIT} allowed and ${asked.length} asked: ${letIn.length}`,
  )
  if (surely.length > LIMIT * 1.01) failures.push(`the limit let in ${surely.length}`)
  if (letIn.length < LIMIT * 0.99) failures.push(`the limit let in only ${letIn.length}`)
  for (const { is, status, got, answered } of flood) {
    if (is === 'unanswered' || is === 'false end') failures.push(`limited: ${is}: ${got.slice(-300)}`)
    if (is === 'refused' && status !== 429) failures.push(`limited: status ${status}: ${got.slice(0, 300)}`)
    if (is === 'refused' && status === 429 && answered['retry-after'] === undefined)
      failures.push('limited: a 429 without Retry-After')
  }
}

function countsOf(names) {
  const counts = new Map()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ')
}

function secondsAt(time) {
  return `after ${((time - began) / 1000).toFixed(1)} s`
}
