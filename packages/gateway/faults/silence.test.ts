import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DialectName } from '../../core/test/clients-agree/answer.ts'
import { until } from '../test/server/scripted-upstream.ts'
import { dialectNames, requests, said, Speech, text, unended } from './dialects.ts'
import { FaultWorld, slack } from './fault-world.ts'
import { requestBytes } from './raw-client.ts'
import type { Script } from './raw-upstream.ts'
import { inEveryVariant, nameOf, variants } from './variants.ts'

// While an upstream is silent its client hears that the gateway lives, in signs that its dialect has a place for. Silence
// ends all the same, and what follows the signs is as legal as it is without them.

const patience = { ping: 80, idle: 1200, headers: 1200 }

let world: FaultWorld

beforeAll(async () => {
  const times = Object.entries(patience).map(([name, milliseconds]) => [name, `${milliseconds}ms`])
  world = await FaultWorld.start({}, { timeouts: { ...Object.fromEntries(times), drain: '500ms' } })
})

afterAll(async () => {
  await world.stop()
})

/** What a client hears while nothing comes. */
const signs: Readonly<Record<DialectName, RegExp>> = {
  'openai-chat': /^: keep-alive$/gm,
  'anthropic-messages': /^event: ping$/gm,
  'openai-responses': /^event: keepalive$|^: /gm,
  gemini: /(?<=^|\n\n)\n/g,
}

const streaming = variants.filter(({ wants }) => wants === 'stream')
const half = unended([text('Paris is ')])

const silences: readonly { when: string; script: (speech: Speech) => Script; before: string }[] = [
  { when: 'before its answer', script: () => () => {}, before: '' },
  {
    when: 'in the middle of its answer',
    script: (speech) => (wire) => wire.stream().send(...speech.events(half)),
    before: 'Paris is ',
  },
]

describe('an upstream that goes silent', () => {
  it.each(silences)('$when', async ({ script, before }) => {
    for (const variant of await inEveryVariant(world, script, streaming)) {
      const { got, client } = variant
      const name = `${nameOf(variant)}\n${got.body}`
      expect(got.status, name).toBe(200)
      expect(got.end, name).toBe('whole')
      expect(got.view, name).toMatchObject({ text: before, finish: null, failure: { kind: 'timeout' } })
      expect(got.body.match(signs[client])?.length ?? 0, name).toBeGreaterThan(0)
      expect(got.milliseconds, name).toBeLessThan(patience.idle + slack)
    }
    await world.expectCalm()
  })

  it('and then goes on loses nothing', async () => {
    const answer = said([text('Paris is ', 'sunny.')])
    const script = (speech: Speech): Script => {
      const events = speech.events(answer)
      const middle = events.findIndex((event) => event.includes('Paris is ')) + 1
      return (wire) => {
        wire.stream().send(...events.slice(0, middle))
        setTimeout(() => wire.send(...events.slice(middle)).end(), 400)
      }
    }
    for (const variant of await inEveryVariant(world, script, streaming)) {
      const name = `${nameOf(variant)}\n${variant.got.body}`
      expect(variant.got.view, name).toMatchObject({
        text: 'Paris is sunny.',
        finish: 'stop',
        failure: null,
      })
    }
    await world.expectCalm()
  })
})

describe.each(dialectNames)('a client of %s that sends nonsense behind its request', (client) => {
  it('is left, and so is what was asked for it', async () => {
    const events = new Speech('openai-chat').events(half)
    const model = `openai-chat.nonsense-${client}`
    world.upstream.play(model, (wire) => wire.stream().send(...events))
    const socket = connect(world.port, '127.0.0.1').on('error', () => {})
    socket.write(requestBytes(world.port, { ...requests[client](model, 'stream'), headers: world.keyHeader }))
    await until(() => world.upstream.countOf(model) === 1)
    await sleep(50)
    const sent = performance.now()
    socket.resume().write('NONSENSE\r\n\r\n')
    await until(() => socket.destroyed && world.upstream.openRequests === 0, slack)
    // Before the silence of the upstream would have ended it.
    expect(performance.now() - sent).toBeLessThan(patience.idle - 100)
    await world.expectCalm()
  })
})
