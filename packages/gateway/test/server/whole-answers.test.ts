import { afterAll, describe, expect, it } from 'vitest'
import { ask, clientDialects, inTurn } from './ask.ts'
import { says, shortTimeouts } from './faults.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import {
  chunk,
  completion,
  json,
  type Script,
  sse,
  startUpstream,
  stopUpstreams,
  until,
} from './scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

const endings: readonly {
  upstream: string
  script: Script
  text: string
  finish: readonly [string, string]
}[] = [
  {
    upstream: 'leaves out [DONE]',
    script: (response) => {
      sse(response, says, chunk({}, 'stop'))
      response.end()
    },
    text: 'Paris is',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'gives no finish_reason but [DONE]',
    script: (response) => {
      sse(response, says, '[DONE]')
      response.end()
    },
    text: 'Paris is',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'finishes twice',
    script: (response) => {
      sse(response, says, chunk({}, 'stop'), chunk({}, 'stop'), '[DONE]')
      response.end()
    },
    text: 'Paris is',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'goes on after it has finished',
    script: (response) => {
      sse(response, says, chunk({}, 'stop'), chunk({ content: ' nice' }), '[DONE]')
      response.end()
    },
    text: 'Paris is nice',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'goes on after it has finished beside text',
    script: (response) => {
      sse(response, chunk({ content: 'Paris is' }, 'stop'), chunk({ content: ' nice' }), '[DONE]')
      response.end()
    },
    text: 'Paris is nice',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'keeps the connection open behind its last word',
    script: (response) => sse(response, says, chunk({}, 'stop')),
    text: 'Paris is',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'breaks off behind its last word',
    script: (response) => {
      sse(response, says, chunk({}, 'stop'))
      response.write('\n', () => response.destroy())
    },
    text: 'Paris is',
    finish: ['end_turn', 'stop'],
  },
  {
    upstream: 'answers with plain JSON',
    script: (response) => json(response, 200, completion('Paris is')),
    text: 'Paris is',
    finish: ['end_turn', 'stop'],
  },
]

/** It must not be the silence that ends an answer which is whole. */
const timeouts = { ...shortTimeouts, idle: '10s' }

describe.each(clientDialects)('an odd but whole answer, for a client of %s', (dialect) => {
  for (const stream of [true, false]) {
    it.concurrent.each(endings)(`$upstream (stream: ${stream})`, async ({ script, text, finish }) => {
      const upstream = await startUpstream(script)
      const { address } = await startGateway({
        upstream: upstream.url,
        settings: { timeouts },
      })
      const started = performance.now()
      const answer = await ask(address, dialect, { stream })
      expect(performance.now() - started).toBeLessThan(3000)
      expect(answer).toMatchObject({ status: 200, error: undefined, text, isMarkedDone: stream })
      expect(answer.finish).toBe(finish[dialect === 'anthropic' ? 0 : 1])
      if (dialect === 'anthropic' && stream)
        expect(answer.body.match(/event: message_(?:delta|stop)/g)).toHaveLength(2)
      if (dialect === 'openai' && stream)
        expect(answer.body).toMatch(/"finish_reason":"stop"[^\n]*\n\ndata: \[DONE\]\n\n$/)
      await until(() => upstream.openRequests === 0, 1000)
    })
  }
})

describe('a connection that is used again', () => {
  it('may have died meanwhile: the request is sent once more on a new one', async () => {
    const upstream = await startUpstream((response, nth) => {
      if (nth === 2) response.socket?.resetAndDestroy()
      else json(response, 200, completion(`answer ${nth}`))
    })
    const { address } = await startGateway({ upstream: upstream.url, settings: { timeouts: shortTimeouts } })
    expect((await ask(address, 'openai', { stream: false })).text).toBe('answer 1')
    expect(await ask(address, 'openai', { stream: false })).toMatchObject({ status: 200, text: 'answer 3' })
    expect(upstream.requests).toHaveLength(3)
  })

  it('is tried once more only, and a new one that dies not at all', async () => {
    const upstream = await startUpstream((response, nth) => {
      if (nth > 1) response.socket?.destroy()
      else json(response, 200, completion('first'))
    })
    const { address } = await startGateway({ upstream: upstream.url, settings: { timeouts: shortTimeouts } })
    await ask(address, 'openai', { stream: false })
    expect(await ask(address, 'openai', { stream: false })).toMatchObject({ status: 502 })
    expect(upstream.requests).toHaveLength(3)
    expect(await ask(address, 'openai', { stream: false })).toMatchObject({ status: 502 })
    expect(upstream.requests).toHaveLength(4)
  })

  it('serves one stream after the other', async () => {
    const ports = new Set<number | undefined>()
    const upstream = await startUpstream((response) => {
      ports.add(response.socket?.remotePort)
      sse(response, says, chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url, settings: { timeouts: shortTimeouts } })
    await inTurn([1, 2, 3, 4], async () => {
      expect(await ask(address, 'anthropic')).toMatchObject({ text: 'Paris is' })
    })
    expect(ports.size).toBe(1)
  })
})
