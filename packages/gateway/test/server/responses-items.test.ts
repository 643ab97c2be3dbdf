import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { ItemCache } from '../../src/exchange/item-cache.ts'
import { at, post } from './ask.ts'
import { type RunningGateway, startGateway, stopGateways } from './running-gateway.ts'
import {
  chunk,
  json,
  type ScriptedUpstream,
  sse,
  startUpstream,
  stopUpstreams,
  until,
} from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

interface Setup extends RunningGateway {
  readonly upstream: ScriptedUpstream
}

async function setup(settings: Readonly<Record<string, unknown>>): Promise<Setup> {
  const upstream = await startUpstream((response) => {
    sse(response, chunk({ content: 'The bridge has two pillars.' }, 'stop'), '[DONE]')
    response.end()
  })
  return { upstream, ...(await startGateway({ upstream: upstream.url, settings })) }
}

const kept = { responses: { itemCache: {} } }

/** Asks, and resolves to the id of the message that came. */
async function messageFrom(address: string, stream: boolean, headers: Record<string, string> = {}) {
  const body = { model: 'kimi-k2', input: 'Hi', stream }
  const text = await (await post(address, '/v1/responses', body, { headers })).text()
  const last = stream
    ? (text.match(/^data: (\{.*response\.completed.*)$/m)?.[1] ?? '')
    : `{"response":${text}}`
  return String(at(JSON.parse(last), 'response', 'output', 0, 'id'))
}

async function askAbout(address: string, id: string, headers: Record<string, string> = {}): Promise<number> {
  const input = [
    { type: 'item_reference', id },
    { role: 'user', content: 'How many?' },
  ]
  return (await post(address, '/v1/responses', { model: 'kimi-k2', input }, { headers })).status
}

function lastBody({ upstream }: Setup): string {
  return upstream.requests.at(-1)?.body ?? ''
}

describe('an item that a client names', () => {
  it.each([true, false])(
    'is what an earlier answer held, where items are kept (stream: %s)',
    async (stream) => {
      const running = await setup(kept)
      const id = await messageFrom(running.address, stream)
      expect(await askAbout(running.address, id)).toBe(200)
      expect(at(JSON.parse(lastBody(running)), 'messages', 0)).toMatchObject({
        role: 'assistant',
        content: 'The bridge has two pillars.',
      })
    },
  )

  it('10. is dropped with a note where nothing is kept, which is the default', async () => {
    const running = await setup({})
    const id = await messageFrom(running.address, true)
    expect(await askAbout(running.address, id)).toBe(200)
    expect(lastBody(running)).not.toContain('pillars')
    await until(() => JSON.stringify(running.requestLine()?.['changed'] ?? '').includes('input[0]'))
  })

  it('is dropped with a note where nobody has heard of it', async () => {
    const running = await setup(kept)
    expect(await askAbout(running.address, 'msg_unknown')).toBe(200)
    expect(JSON.parse(lastBody(running)).messages).toHaveLength(1)
  })

  it('belongs to the key that asked for it: no other key reads it', async () => {
    const names = ['ada', 'bob']
    const keys = names.map((name) => ({
      name,
      sha256: createHash('sha256').update(`the-key-of-${name}`).digest('hex'),
    }))
    const running = await setup({ ...kept, keys })
    const [ada, bob] = names.map((name) => ({ authorization: `Bearer the-key-of-${name}` }))
    const id = await messageFrom(running.address, true, ada)
    expect(await askAbout(running.address, id, bob)).toBe(200)
    expect(lastBody(running)).not.toContain('pillars')
    expect(await askAbout(running.address, id, ada)).toBe(200)
    expect(lastBody(running)).toContain('pillars')
  })

  it('of an answer that broke off is not kept', async () => {
    const upstream = await startUpstream((response, nth) => {
      if (nth > 1) json(response, 500, {})
      else {
        sse(response, chunk({ content: 'The bridge' }))
        response.end()
      }
    })
    const { address } = await startGateway({ upstream: upstream.url, settings: kept })
    const body = { model: 'kimi-k2', input: 'Hi', stream: true }
    const stream = await (await post(address, '/v1/responses', body)).text()
    const id = stream.match(/"(msg_\w+)"/)?.[1] ?? ''
    await askAbout(address, id)
    expect(upstream.requests.at(-1)?.body).not.toContain('The bridge')
  })

  it('does not make up for an answer that is named as a whole', async () => {
    const { address } = await setup(kept)
    const body = { model: 'kimi-k2', input: 'Hi', previous_response_id: 'resp_1' }
    const answer = await post(address, '/v1/responses', body)
    expect([answer.status, at(await answer.json(), 'error', 'code')]).toEqual([
      400,
      'previous_response_not_found',
    ])
  })
})

describe('kept items', () => {
  it('are at most so many: what was used longest ago goes first', () => {
    const cache = new ItemCache({ items: 2, bytes: 10_000 })
    cache.keep(null, 'a', { n: 1 })
    cache.keep(null, 'b', { n: 2 })
    expect(cache.find(null, 'a')).toEqual({ n: 1 })
    cache.keep(null, 'c', { n: 3 })
    expect([cache.find(null, 'a'), cache.find(null, 'b'), cache.find(null, 'c')]).toEqual([
      { n: 1 },
      undefined,
      { n: 3 },
    ])
  })

  it('are at most so large together, and one that is too large is not kept', () => {
    const cache = new ItemCache({ items: 100, bytes: 200 })
    cache.keep(null, 'a', { text: 'x'.repeat(120) })
    cache.keep(null, 'b', { text: 'y'.repeat(120) })
    expect([cache.find(null, 'a'), cache.find(null, 'b')]).toEqual([undefined, { text: 'y'.repeat(120) }])
    cache.keep(null, 'c', { text: 'z'.repeat(300) })
    expect(cache.find(null, 'c')).toBeUndefined()
    expect(cache.find(null, 'b')).toBeDefined()
  })

  it('become fewer when the configuration says so', () => {
    const cache = new ItemCache({ items: 10, bytes: 1000 })
    for (const id of ['a', 'b', 'c']) cache.keep('ada', id, { id })
    cache.limit({ items: 1, bytes: 1000 })
    expect([cache.find('ada', 'b'), cache.find('ada', 'c')]).toEqual([undefined, { id: 'c' }])
  })
})
