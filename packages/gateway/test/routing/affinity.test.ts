import { afterEach, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/simulator/server.ts'
import { inTurn, readAnswer } from '../server/ask.ts'
import { type RunningGateway, startGateway, stopGateways } from '../server/running-gateway.ts'
import { isThorough } from '../thorough.ts'
import {
  chunk,
  json,
  completion,
  sse,
  startUpstream,
  stopUpstreams,
  until,
} from '../server/scripted-upstream.ts'

const started: Simulator[] = []

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
  await Promise.all(started.splice(0).map((simulator) => simulator.close()))
})

interface Farm {
  readonly gateways: readonly RunningGateway[]
  readonly simulators: Simulator[]
  readonly ports: readonly number[]
}

const names = ['gpu1', 'gpu2', 'gpu3']

/** Three simulated servers in one pool, behind gateways that do not know of each other. */
async function farm(routing: object = {}, gatewayCount = 1, pace = 0): Promise<Farm> {
  const simulators = names.map(() => createSimulator({ prefixes: true, pace }))
  started.push(...simulators)
  const urls = await Promise.all(simulators.map((simulator) => simulator.listen()))
  const upstreams = Object.fromEntries(names.map((name, at) => [name, { url: urls[at], kind: 'other' }]))
  const settings = {
    upstreams,
    models: [{ match: '*', upstream: [names], model: 'standard' }],
    routing: { outAfter: 2, outFor: '200ms', ...routing },
  }
  const gateways = await Promise.all(
    Array.from({ length: gatewayCount }, () => startGateway({ upstream: urls[0] ?? '', settings })),
  )
  return { gateways, simulators, ports: urls.map((url) => Number(new URL(url).port)) }
}

interface Message {
  readonly role: string
  readonly content: string
}

/** One conversation, as a client has it that sends all of it with every turn. */
class Talk {
  /** Which upstream answered each turn. */
  readonly places: string[] = []
  private readonly messages: Message[]

  constructor(nth: number) {
    this.messages = [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: `Task ${nth}: say something.` },
    ]
  }

  async turn({ address }: RunningGateway): Promise<void> {
    const response = await fetch(`${address}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', stream: true, messages: this.messages }),
    })
    expect(response.status).toBe(200)
    this.places.push(response.headers.get('x-dragoman-upstream') ?? '')
    const { text } = await readAnswer(response)
    this.messages.push(
      { role: 'assistant', content: text },
      { role: 'user', content: `Go on, ${this.places.length}.` },
    )
  }
}

function talks(count: number): Talk[] {
  return Array.from({ length: count }, (_, nth) => new Talk(nth))
}

/** The same every time, and in no order that a person would make. */
function shuffled<Each>(items: readonly Each[], seed: number): Each[] {
  const random = (at: number): number => Math.imul(at ^ (seed * 0x5bd1e995), 0x9e3779b1) >>> 0
  return items
    .map((item, at) => ({ item, weight: random(random(at) >>> 7) }))
    .toSorted((a, b) => a.weight - b.weight)
    .map(({ item }) => item)
}

/** One turn of every conversation, so many of them at a time. */
async function round(
  all: readonly Talk[],
  gateways: readonly RunningGateway[],
  atOnce: number,
): Promise<void> {
  const waiting = all.map((talk, at) => ({ talk, gateway: gateways[at % gateways.length] }))
  const worker = async (): Promise<void> => {
    const next = waiting.shift()
    if (next?.gateway === undefined) return
    await next.talk.turn(next.gateway)
    await worker()
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** The part of the turns behind the first that met a warm cache. */
function warmth(simulators: readonly Simulator[]): number {
  const sum = (of: 'warm' | 'cold'): number =>
    simulators.reduce((all, { prefixCounts }) => all + prefixCounts[of], 0)
  return sum('warm') / (sum('warm') + sum('cold'))
}

/** The part of the turns that went where most turns of their conversation went. */
function faithfulness(all: readonly Talk[]): number {
  const most = all.map(({ places }) =>
    Math.max(...names.map((name) => places.filter((each) => each === name).length)),
  )
  return most.reduce((sum, count) => sum + count, 0) / all.reduce((sum, { places }) => sum + places.length, 0)
}

function show(what: string, part: number): void {
  if (process.env['SHOW_AFFINITY'] !== undefined)
    process.stderr.write(`${what}: ${(100 * part).toFixed(1)} %\n`)
}

const CONVERSATIONS = isThorough ? 200 : 80

/** So slow that as many requests are under way as are asked at a time. */
const PACE = 3

describe(`${CONVERSATIONS} conversations on three servers`, () => {
  it.each(isThorough ? [8, 16, 24, 32] : [32])(
    'meet a warm cache in 95 turns of 100, %i of them at a time',
    async (atOnce) => {
      const { gateways, simulators } = await farm({}, 1, PACE)
      const all = talks(CONVERSATIONS)
      await inTurn([1, 2, 3, 4], (turn) => round(shuffled(all, turn), gateways, atOnce))
      show(`${atOnce} at a time, warm`, warmth(simulators))
      show(`${atOnce} at a time, faithful`, faithfulness(all))
      expect(warmth(simulators)).toBeGreaterThanOrEqual(0.95)
    },
    60_000,
  )

  it('stay with their server in 95 turns of 100 where so many are under way that some have to move', async () => {
    const { gateways, simulators } = await farm({}, 1, PACE)
    const all = talks(CONVERSATIONS)
    await inTurn([1, 2, 3, 4], (turn) => round(shuffled(all, turn), gateways, 50))
    show('50 at a time, warm', warmth(simulators))
    show('50 at a time, faithful', faithfulness(all))
    expect(faithfulness(all)).toBeGreaterThanOrEqual(0.95)
    expect(warmth(simulators)).toBeGreaterThanOrEqual(0.9)
  }, 60_000)

  it('do so for three gateways that do not know of each other', async () => {
    const { gateways, simulators } = await farm({}, 3, PACE)
    const all = talks(CONVERSATIONS)
    await inTurn([0, 1, 2], (turn) => round(all, [...gateways.slice(turn), ...gateways.slice(0, turn)], 8))
    show('three gateways, warm', warmth(simulators))
    expect(warmth(simulators)).toBeGreaterThanOrEqual(0.95)
  }, 60_000)

  it('do so a third of the time if servers take turns', async () => {
    const { gateways, simulators } = await farm({ balance: 'round-robin' })
    const all = talks(CONVERSATIONS)
    await inTurn([1, 2, 3, 4], (turn) => round(shuffled(all, turn), gateways, 8))
    show('round-robin, warm', warmth(simulators))
    expect(warmth(simulators)).toBeGreaterThan(0.2)
    expect(warmth(simulators)).toBeLessThan(0.5)
  }, 60_000)
})

describe('where one of three servers dies', () => {
  it('only its conversations move, and only they return when it is back', async () => {
    const { gateways, simulators, ports } = await farm()
    const all = talks(CONVERSATIONS)
    await round(all, gateways, 1)
    const home = all.map(({ places }) => places[0])
    expect(new Set(home)).toEqual(new Set(names))

    await simulators[1]?.close()
    await round(all, gateways, 1)
    const away = all.map(({ places }) => places[1])
    expect(away).not.toContain('gpu2')
    expect(away.filter((place, at) => place !== home[at])).toHaveLength(
      home.filter((place) => place === 'gpu2').length,
    )

    const back = createSimulator({ prefixes: true, pace: 0 })
    started.push(back)
    await back.listen(ports[1])
    await new Promise((resolve) => setTimeout(resolve, 220))
    await round(all, gateways, 1)
    expect(all.map(({ places }) => places[2])).toEqual(home)
  }, 60_000)
})

function body(text: string): string {
  return JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }] })
}

describe('a conversation that its client names', () => {
  it.each([
    { 'x-session-id': 'one' },
    { 'x-claude-code-session-id': 'one' },
    { session_id: 'one' },
    { 'session-id': 'one' },
  ])('stays where it is, whatever it begins with: %j', async (headers) => {
    const { gateways } = await farm()
    const places = await Promise.all(
      Array.from({ length: 12 }, async (_, nth) => {
        const response = await fetch(`${gateways[0]?.address}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: body(`Compacted for the ${nth}th time.`),
        })
        await response.text()
        return response.headers.get('x-dragoman-upstream')
      }),
    )
    expect(new Set(places).size).toBe(1)
  })

  it('stays where it is by its prompt_cache_key', async () => {
    const { gateways } = await farm()
    const places = new Set<string | null>()
    await inTurn([1, 2, 3, 4, 5, 6, 7, 8], async (nth) => {
      const response = await fetch(`${gateways[0]?.address}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', input: `Number ${nth}`, prompt_cache_key: 'thread-7' }),
      })
      await response.text()
      places.add(response.headers.get('x-dragoman-upstream'))
    })
    expect(places.size).toBe(1)
  })

  it('is named to the upstream in the header of its choice, by a key that gives nothing away', async () => {
    const upstream = await startUpstream((response) => json(response, 200, completion('Hi')))
    const { address } = await startGateway({
      upstream: upstream.url,
      settings: { upstreams: { lab: { url: upstream.url, kind: 'other', sessionHeader: 'X-User-Session' } } },
    })
    const turn = async (headers: Record<string, string>, text: string): Promise<void> => {
      await fetch(`${address}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: body(text),
      })
    }
    await turn({ 'x-session-id': 'alice-and-bob' }, 'Hello')
    await turn({ 'x-session-id': 'alice-and-bob' }, 'Something else')
    await turn({}, 'Hello')
    await turn({}, 'Hello')
    const [first, second, third, fourth] = upstream.requests.map(({ headers }) => headers['x-user-session'])
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
    expect(fourth).toBe(third)
  })
})

describe('the load of a pool', () => {
  it('is spread where one conversation asks too often at once', async () => {
    const waiting: (() => void)[] = []
    const farmed = await Promise.all(
      names.map(() =>
        startUpstream((response) => {
          waiting.push(() => {
            sse(response, chunk({ content: 'done' }), chunk({}, 'stop'), '[DONE]')
            response.end()
          })
        }),
      ),
    )
    const { address } = await startGateway({
      upstream: farmed[0]?.url ?? '',
      settings: {
        upstreams: Object.fromEntries(
          names.map((name, at) => [name, { url: farmed[at]?.url, kind: 'other' }]),
        ),
        models: [{ match: '*', upstream: [names] }],
      },
    })
    const asked = Array.from({ length: 60 }, () =>
      fetch(`${address}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'the same' }] }),
      }),
    )
    await until(() => waiting.length === 60)
    const load = farmed.map(({ requests }) => requests.length)
    expect(Math.max(...load)).toBeLessThanOrEqual(Math.ceil(1.25 * 20))
    const { upstreams } = await (await fetch(`${address}/status`)).json()
    expect(upstreams.map(({ inFlight }: { inFlight: number }) => inFlight)).toEqual(load)
    for (const go of waiting) go()
    await Promise.all(asked.map(async (each) => (await each).text()))
  })
})
