import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../test/server/scripted-upstream.ts'
import { dialectNames, requests, said, Speech, text, unended } from './dialects.ts'
import { FaultWorld, type Got, slack } from './fault-world.ts'
import type { Wire } from './raw-upstream.ts'

// The life of the program: it is asked to end, killed, configured anew and left without a place for its log, while
// clients of every dialect have streams.

const worlds: FaultWorld[] = []

async function start(settings: Readonly<Record<string, unknown>> = {}): Promise<FaultWorld> {
  const world = await FaultWorld.start({}, settings)
  worlds.push(world)
  return world
}

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.stop()
})

const speech = new Speech('openai-chat')
const half = speech.events(unended([text('Paris is ')]))
const rest = speech.events(said([text('sunny.')])).slice(1)

/** A stream in each dialect that has begun, and how it goes on. */
async function streamsIn(
  world: FaultWorld,
  name: string,
): Promise<readonly { client: string; got: Promise<Got>; finish: () => void }[]> {
  const streams = dialectNames.map((client) => {
    const model = `openai-chat.${name}-${client}`
    let wire: Wire | null = null
    world.upstream.play(model, (own) => {
      wire = own.stream().send(...half)
    })
    const got = world.ask({ client, wants: 'stream', model })
    got.catch(() => {})
    return { client, model, got, finish: () => wire?.send(...rest).end() }
  })
  await until(() => streams.every(({ model }) => world.upstream.countOf(model) === 1))
  await sleep(50)
  return streams
}

describe('a program that is asked to end', () => {
  it('lets streams end that do so in time, tells the others, and exits with 0', async () => {
    const world = await start({ timeouts: { drain: '1500ms', idle: '20s' } })
    const ending = await streamsIn(world, 'ending')
    const lasting = await streamsIn(world, 'lasting')
    world.program.child.kill('SIGTERM')
    const began = performance.now()
    await sleep(100)
    const ready = await world.send({ method: 'GET', path: '/health/ready', body: '' })
    expect(ready.status).toBe(503)
    for (const { finish } of ending) finish()
    for (const { client, got } of ending) {
      const { view } = await got
      expect(view, client).toMatchObject({ text: 'Paris is sunny.', finish: 'stop', failure: null })
    }
    for (const { client, got } of lasting) {
      const { view, end } = await got
      expect(view, client).toMatchObject({ text: 'Paris is ', finish: null, failure: { kind: 'overloaded' } })
      expect(end, client).toBe('whole')
    }
    expect(await world.program.exit).toBe(0)
    expect(performance.now() - began).toBeLessThan(1500 + slack)
  })

  it('ends at once when it is asked again', async () => {
    const world = await start({ timeouts: { drain: '60s', idle: '60s' } })
    await streamsIn(world, 'lasting')
    world.program.child.kill('SIGTERM')
    await sleep(200)
    const again = performance.now()
    world.program.child.kill('SIGTERM')
    await world.program.exit
    expect(performance.now() - again).toBeLessThan(slack)
  })
})

describe('a program that is killed', () => {
  it('leaves no stream that looks whole', async () => {
    const world = await start({ timeouts: { idle: '60s' } })
    const answers = dialectNames.map((client) => {
      const model = `openai-chat.killed-${client}`
      world.upstream.play(model, (wire) => wire.stream().send(...half))
      return world.send(requests[client](model, 'stream'))
    })
    await until(() =>
      dialectNames.every((client) => world.upstream.countOf(`openai-chat.killed-${client}`) === 1),
    )
    await sleep(100)
    world.program.child.kill('SIGKILL')
    for (const { status, end, body } of await Promise.all(answers)) {
      expect(status).toBe(200)
      expect(end).toBe('cut')
      expect(body).not.toMatch(/\[DONE\]|message_stop|response\.completed|finishReason/)
    }
  })
})

describe('a program that gets another configuration', () => {
  it('ends what runs under the old one, and begins under the new', async () => {
    const world = await start({ timeouts: { idle: '60s' } })
    const running = await streamsIn(world, 'running')
    world.reconfigure((config) => ({ ...config, limits: { bodyBytes: 10 } }))
    await until(
      () => world.program.stderr().includes('configuration') || world.log().includes('configuration'),
      5000,
    )
    const model = 'openai-chat.new'
    await expect
      .poll(async () => (await world.send(requests['openai-chat'](model, 'whole'))).status, { timeout: 5000 })
      .toBe(413)
    for (const { finish } of running) finish()
    for (const { client, got } of running) {
      expect((await got).view, client).toMatchObject({
        text: 'Paris is sunny.',
        finish: 'stop',
        failure: null,
      })
    }
  })

  it('keeps the old one where the new one is wrong', async () => {
    const world = await start()
    const model = 'openai-chat.kept'
    world.upstream.play(model, (wire) =>
      wire.answer(200, 'application/json', speech.whole(said([text('Sunny.')]))),
    )
    world.reconfigure((config) => ({ ...config, limits: { bodyBytes: 'many' } }))
    await until(() => `${world.program.stderr()}${world.log()}`.includes('the old one stays'), 5000)
    for (const client of dialectNames) {
      expect((await world.ask({ client, wants: 'whole', model })).view).toMatchObject({ text: 'Sunny.' })
    }
  })
})

describe('a program whose log finds no room', () => {
  it.each(['/dev/full', '/proc/no-such-folder/dragoman.log'])('serves all the same: %s', async (file) => {
    const world = await start({ log: { level: 'debug', file } })
    const model = 'openai-chat.unlogged'
    world.upstream.play(model, (wire) =>
      wire
        .stream()
        .send(...half, ...rest)
        .end(),
    )
    for (const client of dialectNames) {
      const { view } = await world.ask({ client, wants: 'stream', model })
      expect(view, client).toMatchObject({ text: 'Paris is sunny.', finish: 'stop' })
    }
    expect(world.program.child.exitCode).toBeNull()
  })
})
