import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AnswerTranslation } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import { ClientAnswer } from '../../src/exchange/client-answer.ts'
import { Exchange } from '../../src/exchange/exchange.ts'
import type { UpstreamListener } from '../../src/upstream/client.ts'
import { readAnswer } from '../server/ask.ts'

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

const unobserved = {
  firstByte() {},
  clientStalled() {},
  bug() {},
  failed() {},
}

/** Serves one exchange, with a translation that a test makes and an upstream that it plays. */
async function serve(
  translation: AnswerTranslation,
  play: (listener: UpstreamListener) => void,
  bugs: unknown[],
) {
  const handle = (response: ServerResponse): void => {
    const observer = { ...unobserved, bug: (error: unknown) => bugs.push(error) }
    const exchange = new Exchange({
      client: new ClientAnswer({
        response,
        dialect: 'openai-chat',
        requestId: 'id',
        redact: (text) => text,
        observer,
      }),
      observer,
      finishGrace: () => 1000,
      ping: 1000,
      clientStall: 1000,
      responseBytes: 1000,
      wants: 'stream',
      callUpstream: (listener) => {
        setImmediate(() => play(listener))
        return { pause() {}, resume() {}, abort() {} }
      },
      open: () => translation,
    })
    exchange.start()
  }
  const server = createServer((_request, response) => handle(response))
  servers.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

const working: AnswerTranslation = {
  state: 'reading',
  failure: null,
  isStarted: false,
  push: () => '',
  end: () => '',
}

function fails(): never {
  throw new Error('a bug of ours')
}

describe('a bug of ours in one answer', () => {
  it.each([
    ['while a chunk is read', { ...working, push: fails }],
    ['at the end', { ...working, end: fails }],
  ] as const)('%s ends that answer with a 500, and nothing else', async (_when, translation) => {
    const bugs: unknown[] = []
    const url = await serve(
      translation,
      (listener) => {
        listener.onHeaders(200, { 'content-type': 'text/event-stream' })
        listener.onData(Buffer.from('data: {}\n\n'))
        setImmediate(() => listener.onEnd())
      },
      bugs,
    )
    const answer = await readAnswer(await fetch(url))
    expect(answer).toMatchObject({ status: 500, error: { code: 'internal_error' } })
    expect(answer.body).not.toContain('a bug of ours')
    expect(bugs).toEqual([new Error('a bug of ours')])
  })
})
