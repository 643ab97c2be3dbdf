import { setTimeout as sleep } from 'node:timers/promises'
import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { afterAll, describe, expect, it } from 'vitest'
import { MemoryStore } from '../../src/quotas/memory-store.ts'
import { type RunningGateway, startGateway, stopGateways } from '../server/running-gateway.ts'
import { completion, json, startUpstream, stopUpstreams, until } from '../server/scripted-upstream.ts'
import { keyFor } from './keys-and-digests.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

interface Limited extends RunningGateway {
  /** Lets time pass for the limit alone. */
  pass(milliseconds: number): void
  /** How each request was answered, once so many were. */
  statuses(count: number): Promise<unknown[]>
}

/** A gateway that lets one request a minute through, by a clock that begins with a second. */
async function limited(more: object = { limits: { requestsPerMinute: 1 } }): Promise<Limited> {
  const upstream = await startUpstream((response) =>
    json(response, 200, { ...completion('Hello'), usage: { prompt_tokens: 900, completion_tokens: 100 } }),
  )
  const began = performance.now()
  let passed = 0
  const now = (): number => performance.now() - began + passed
  const gateway = await startGateway({
    upstream: upstream.url,
    settings: { keys: [keyFor('ada', more)], prices: { m: { input: 1000, output: 1000 } } },
    openStore: () => new MemoryStore({ now, today: Date.now }),
  })
  const answered = () => gateway.lines.filter(({ msg }) => msg === 'request')
  return {
    ...gateway,
    pass: (milliseconds) => {
      passed += milliseconds
    },
    statuses: async (count) => {
      await until(() => answered().length >= count)
      return answered().map(({ status }) => status)
    },
  }
}

const apiKey = 'the-key-of-ada'
const messages = [{ role: 'user' as const, content: 'Hi' }]

/** Each SDK asks once, as its users do. */
const sdks: Readonly<Record<string, (gateway: RunningGateway) => Promise<unknown>>> = {
  'openai, chat': ({ address }) =>
    new OpenAI({ baseURL: `${address}/v1`, apiKey }).chat.completions.create({ model: 'm', messages }),
  'openai, chat in a stream': async ({ address }) => {
    const client = new OpenAI({ baseURL: `${address}/v1`, apiKey })
    const stream = await client.chat.completions.create({ model: 'm', messages, stream: true })
    for await (const _ of stream);
  },
  'openai, responses': ({ address }) =>
    new OpenAI({ baseURL: `${address}/v1`, apiKey }).responses.create({ model: 'm', input: 'Hi' }),
  '@anthropic-ai/sdk': ({ address }) =>
    new Anthropic({ baseURL: address, apiKey }).messages.create({ model: 'm', max_tokens: 99, messages }),
}

// Side by side, as each waits for seconds with a gateway of its own.
describe.concurrent('a client at its limit', () => {
  it.each(Object.entries(sdks))('%s waits as long as it was told, and is let through', async (_, ask) => {
    const gateway = await limited()
    await ask(gateway)
    // The minute is over in less than three seconds.
    gateway.pass(57_000)
    const began = performance.now()
    await ask(gateway)
    const waited = performance.now() - began
    expect(waited).toBeGreaterThan(1900)
    expect(waited).toBeLessThan(4500)
    expect(await gateway.statuses(3)).toEqual([200, 429, 200])
    const told = gateway.lines.find(({ status }) => status === 429)
    const seconds = Number(/try again in (\d+)s/.exec(String(told?.['failure']))?.[1])
    expect(waited).toBeGreaterThanOrEqual(seconds * 1000 - 50)
    expect(waited).toBeLessThan(seconds * 1000 + 1000)
  })

  it('@google/genai asks again only if told to, and hands on the time to wait, as the command line of Gemini reads it', async () => {
    const gateway = await limited()
    const ai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.address } })
    const ask = () => ai.models.generateContent({ model: 'm', contents: 'Hi' })
    await ask()
    gateway.pass(57_000)
    const error: unknown = await ask().catch((thrown: unknown) => thrown)
    if (!(error instanceof ApiError)) throw new TypeError('no error of the SDK')
    expect(error.status).toBe(429)
    const seconds = Number(/"retryDelay":"(\d+)s"/.exec(error.message)?.[1])
    expect(seconds).toBeGreaterThanOrEqual(2)
    expect(seconds).toBeLessThanOrEqual(3)
    await sleep(seconds * 1000)
    expect((await ask()).text).toBe('Hello')
  })

  it.each(Object.entries(sdks))('%s does not ask again where the budget is spent', async (_, ask) => {
    const gateway = await limited({ budget: { usd: 1, per: 'day' } })
    await ask(gateway)
    expect(await gateway.statuses(1)).toEqual([200])
    await expect(ask(gateway)).rejects.toThrow(
      /The budget of this key is spent: 1 USD a day\. It begins anew at/,
    )
    expect(await gateway.statuses(2)).toEqual([200, 429])
  })
})
