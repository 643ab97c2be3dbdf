import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../test/server/scripted-upstream.ts'
import { answered, half, readiness, speech, startWorld, stopWorlds, streamsIn } from './begun-streams.ts'
import { dialectNames, requests, said, text } from './dialects.ts'
import { slack } from './fault-world.ts'

// The life of the program: it is asked to end, killed and configured anew, while clients of every dialect have streams.

afterEach(stopWorlds)

describe('a program that is asked to end', () => {
  it('lets streams end that do so in time, tells the others, and exits with 0', async () => {
    const world = await startWorld({ timeouts: { drain: '1500ms', idle: '20s' } })
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

  it.each(['SIGTERM', 'SIGINT'] as const)('ends at once when it is asked again, by %s', async (signal) => {
    const world = await startWorld({ timeouts: { drain: '60s', idle: '60s' } })
    await streamsIn(world, 'lasting')
    world.program.child.kill('SIGTERM')
    await sleep(200)
    const again = performance.now()
    world.program.child.kill(signal)
    await world.program.exit
    expect(performance.now() - again).toBeLessThan(slack)
  })

  it('is not ready from the first moment, serves for a while who has not noticed, and then refuses', async () => {
    const world = await startWorld({ timeouts: { drain: '20s', drainGrace: '1500ms', idle: '20s' } })
    const running = await streamsIn(world, 'running')
    const model = 'openai-chat.late'
    world.upstream.play(model, answered)
    world.program.child.kill('SIGTERM')
    await expect.poll(() => readiness(world), { timeout: 1000 }).toBe(503)
    for (const client of dialectNames) {
      for (const wants of ['stream', 'whole'] as const) {
        const got = await world.ask({ client, wants, model })
        expect(got.view, client).toMatchObject({ text: 'Sunny.', finish: 'stop', failure: null })
        expect(got.head).toMatch(/^connection: close$/im)
      }
    }
    const asked = world.upstream.countOf(model)
    await expect
      .poll(async () => (await world.ask({ client: 'openai-chat', wants: 'whole', model })).status, {
        timeout: 5000,
      })
      .toBe(503)
    for (const client of dialectNames) {
      const { status, view } = await world.ask({ client, wants: 'stream', model })
      expect([503, 529], client).toContain(status)
      expect(view.failure, client).toMatchObject({ kind: 'overloaded' })
    }
    expect(world.upstream.countOf(model)).toBeLessThan(asked + 50)
    for (const { finish } of running) finish()
    for (const { client, got } of running) {
      expect((await got).view, client).toMatchObject({ text: 'Paris is sunny.', finish: 'stop' })
    }
    expect(await world.program.exit).toBe(0)
  })
})

describe('a program that is killed', () => {
  it('leaves no stream that looks whole', async () => {
    const world = await startWorld({ timeouts: { idle: '60s' } })
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
    const world = await startWorld({ timeouts: { idle: '60s' } })
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
    const world = await startWorld()
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
