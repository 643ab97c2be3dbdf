import { once } from 'node:events'
import { GoogleGenAI } from '@google/genai'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/simulator/server.ts'
import { at, post } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { chunk, json, type Script, sse, startUpstream, stopUpstreams } from './scripted-upstream.ts'

const simulator = createSimulator({ strict: true })

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
  await simulator.close()
})

const contents = [{ role: 'user', parts: [{ text: 'What is the weather in Paris?' }] }]
const streamed = '/v1beta/models/kimi-k2:streamGenerateContent'

async function gatewayFor(script: Script, settings: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const upstream = await startUpstream(script)
  const { address } = await startGateway({ upstream: upstream.url, settings })
  return address
}

const failing: Script = (response) => {
  sse(response, chunk({ role: 'assistant', content: 'Hi' }), {
    error: { message: 'busy', type: 'server_error', code: 500 },
  })
  response.end()
}

const late: Script = async (response) => {
  sse(response, chunk({ role: 'assistant', content: 'Hi' }))
  await sleep(200)
  sse(response, chunk({}, 'stop'), '[DONE]')
  response.end()
}

describe('a stream for a client of the Gemini dialect', () => {
  it('is one array for who does not ask for events, an element as soon as it is there', async () => {
    const reading = new AbortController()
    const isRead = once(reading.signal, 'abort')
    const address = await gatewayFor(async (response) => {
      sse(response, chunk({ role: 'assistant', content: 'H' }))
      await isRead
      sse(response, chunk({ content: 'i' }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const response = await post(address, streamed, { contents })
    expect(response.headers.get('content-type')).toContain('application/json')
    let text = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true })
      // The upstream says no more before this has come.
      if (text.includes('"text":"H"')) reading.abort()
    }
    const array: unknown = JSON.parse(text)
    expect(array).toHaveLength(3)
    expect(at(array, 0, 'candidates', 0, 'content', 'parts', 0, 'text')).toBe('H')
  })

  it('ends in an array with the error as its last element', async () => {
    const response = await post(await gatewayFor(failing), streamed, { contents })
    const array: unknown = JSON.parse(await response.text())
    expect(array).toMatchObject([{ candidates: [{}] }, { error: { status: 'INTERNAL' } }])
  })

  it('ends with an error in an event, and then as bare JSON', async () => {
    const text = await (await post(await gatewayFor(failing), `${streamed}?alt=sse`, { contents })).text()
    const [, told = '', bare] = /data: (\{"error".*)\n\n(.*)$/.exec(text) ?? []
    expect(bare).toBe(told)
    expect(JSON.parse(told)).toMatchObject({ error: { code: expect.any(Number), status: 'INTERNAL' } })
    expect(text).not.toContain('finishReason')
  })

  it('is no success behind the response of a function either', async () => {
    const history = [
      ...contents,
      { role: 'model', parts: [{ functionCall: { id: 'c', name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'f', response: { output: 'ok' } } }] },
    ]
    const baseUrl = await gatewayFor(failing)
    const { models } = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } })
    const stream = await models.generateContentStream({ model: 'kimi-k2', contents: history })
    const texts: string[] = []
    await expect(
      (async () => {
        for await (const part of stream) texts.push(part.text ?? '')
      })(),
    ).rejects.toThrow(/busy/)
    expect(texts.join('')).toBe('Hi')
  })

  it('may bring line breaks while the client waits, which Google’s SDK passes over', async () => {
    const baseUrl = await gatewayFor(late, { timeouts: { ping: '50ms' } })
    const raw = await (await post(baseUrl, `${streamed}?alt=sse`, { contents })).text()
    expect(raw).toMatch(/\n\n\n/)
    const { models } = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } })
    const texts: string[] = []
    for await (const part of await models.generateContentStream({ model: 'kimi-k2', contents }))
      texts.push(part.text ?? '')
    expect(texts.join('')).toBe('Hi')
  })
})

describe('a failure before the first byte', () => {
  it('is JSON in the dialect with its status, in an array where the stream would have been one', async () => {
    const address = await gatewayFor((response) =>
      json(response, 429, { error: { message: 'slow down', type: 'rate_limit_error', code: 'x' } }),
    )
    for (const [path, place] of [
      [`${streamed}?alt=sse`, []],
      [streamed, [0]],
    ] as const) {
      const response = await post(address, path, { contents })
      expect(response.status).toBe(429)
      expect(response.headers.get('content-type')).toContain('application/json')
      expect(at(await response.json(), ...place, 'error', 'status')).toBe('RESOURCE_EXHAUSTED')
    }
  })
})

describe('an upstream of the Gemini dialect', () => {
  it('is asked for tools by Google’s SDK in two rounds, streamed and whole', async () => {
    const upstream = (await simulator.listen()).replace(/\/v1$/, '/v1beta')
    const { address: baseUrl } = await startGateway({ upstream, dialect: 'gemini' })
    const { models } = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } })
    const parametersJsonSchema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    }
    const config = {
      tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema }] }],
      thinkingConfig: { includeThoughts: true },
    }
    const first = await models.generateContent({ model: 'gemini-x', contents, config })
    expect(first.functionCalls).toMatchObject([{ name: 'get_weather', args: { city: 'Paris' } }])
    const { content } = first.candidates?.[0] ?? {}
    const response = { name: 'get_weather', response: { output: '18 °C' } }
    const history = [...contents, content ?? {}, { role: 'user', parts: [{ functionResponse: response }] }]
    let text = ''
    for await (const part of await models.generateContentStream({
      model: 'gemini-x',
      contents: history,
      config,
    })) {
      text += part.text ?? ''
    }
    expect(text).toContain('18 °C')
  })
})
