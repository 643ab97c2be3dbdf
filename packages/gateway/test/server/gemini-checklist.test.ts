import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { GoogleGenAI } from '@google/genai'
import { afterEach, describe, expect, it } from 'vitest'
import { at, inTurn, post } from './ask.ts'
import { type ReadStream, readByAiSdk, readByOlderGenai, textIn } from './gemini-readers.ts'
import { oneKey, type RunningGateway, startGateway, stopGateways } from './running-gateway.ts'
import {
  chunk,
  completion,
  json,
  type Script,
  sse,
  startUpstream,
  stopUpstreams,
} from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const contents = [{ role: 'user', parts: [{ text: 'What is the weather in Paris?' }] }]
const functionCall = { id: 'c', name: 'f', args: {} }
const functionResponse = { id: 'c', name: 'f', response: { output: 'ok' } }
/** A conversation that ends with the response of a function. */
const answeredCall = [
  ...contents,
  { role: 'model', parts: [{ functionCall }] },
  { role: 'user', parts: [{ functionResponse }] },
]
const whole = '/v1beta/models/kimi-k2:generateContent'
const array = '/v1beta/models/kimi-k2:streamGenerateContent'
const streamed = `${array}?alt=sse`

interface Setup {
  readonly gateway: RunningGateway
  readonly address: string
  /** The models that the upstream was asked for. */
  readonly models: () => unknown[]
}

async function start(script: Script, settings: Readonly<Record<string, unknown>> = {}): Promise<Setup> {
  const upstream = await startUpstream(script)
  const gateway = await startGateway({ upstream: upstream.url, settings })
  const models = (): unknown[] => upstream.requests.map(({ body }) => at(JSON.parse(body), 'model'))
  return { gateway, address: gateway.address, models }
}

/** A gateway before an upstream that speaks Gemini itself. */
async function startBefore(script: Script): Promise<string> {
  const upstream = await startUpstream(script)
  const url = upstream.url.replace('/v1', '/v1beta')
  return (await startGateway({ upstream: url, dialect: 'gemini' })).address
}

const hello: Script = (response) => json(response, 200, completion('Hello.'))

async function answer(response: Response): Promise<{ status: number; text: string; error: unknown }> {
  const body: unknown = await response.json()
  return { status: response.status, text: textIn({ chunks: [body], error: null }), error: at(body, 'error') }
}

async function readByGenai(baseUrl: string, history: object[] = contents): Promise<ReadStream> {
  const { models } = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } })
  const chunks: unknown[] = []
  try {
    for await (const each of await models.generateContentStream({ model: 'kimi-k2', contents: history }))
      chunks.push(each)
    return { chunks, error: null }
  } catch (error) {
    return { chunks, error: String(error) }
  }
}

const said = chunk({ role: 'assistant', content: 'Hi' })
const half = chunk({
  tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":' } }],
})
const busy = { error: { message: 'busy', type: 'server_error', code: 500 } }

/** What goes wrong in the middle of a text, and in the middle of a call. */
const faults: readonly Script[] = [[said], [said, half]].flatMap((before): Script[] => [
  (response) => {
    sse(response, ...before, busy)
    response.end()
  },
  (response) => {
    sse(response, ...before)
    setTimeout(() => response.socket?.destroy(), 50)
  },
  (response) => {
    sse(response, ...before, '{"choices":[')
    response.end()
  },
])

const fromChat: Script = (response) => {
  sse(response, chunk({ role: 'assistant', content: 'Hi\u2028there\n' }), half, chunk({}, 'length'), '[DONE]')
  response.end()
}

const late: Script = async (response) => {
  await sleep(120)
  sse(response, said)
  await sleep(120)
  sse(response, chunk({ content: ' you' }))
  await sleep(120)
  sse(response, chunk({}, 'stop'), '[DONE]')
  response.end()
}

const empty: Script = (response) => {
  sse(response, chunk({ role: 'assistant', content: '' }), chunk({}, 'stop'), '[DONE]')
  response.end()
}

const silent: Script = (response) => {
  sse(response, said)
  response.end()
}

describe('the rim of the dialect Gemini', () => {
  it('1. Paths, versions, slashes and colons in M; unknown method', async () => {
    const { address, models } = await start(hello)
    const names = ['kimi-k2', 'qwen3:8b', 'org/model', 'org%2Fmodel', 'accounts/x/models/y']
    const paths = [
      ...names.map((name) => `/v1beta/models/${name}:generateContent`),
      '/v1/models/a:generateContent',
      '/v1alpha/models/b:generateContent?key=x',
      '/v1/projects/p/locations/l/publishers/google/models/c:generateContent',
    ]
    await inTurn(paths, async (path) => {
      expect(await answer(await post(address, path, { contents }))).toEqual({
        status: 200,
        text: 'Hello.',
        error: undefined,
      })
    })
    expect(models()).toEqual([
      'kimi-k2',
      'qwen3:8b',
      'org/model',
      'org/model',
      'accounts/x/models/y',
      'a',
      'b',
      'c',
    ])
    await inTurn(['/v1beta', '/v1', '/v1alpha'], async (version) => {
      const refused = await post(address, `${version}/models/kimi-k2:batchGenerateContent`, { contents })
      expect(refused.headers.get('content-type')).toMatch(/^application\/json/)
      expect(await answer(refused)).toMatchObject({
        status: expect.toBeOneOf([404, 405]),
        error: { code: refused.status, status: expect.any(String), message: expect.any(String) },
      })
    })
  })

  it('2. Three auths; no key in logs', async () => {
    const { gateway, address } = await start(hello, { keys: oneKey.keys })
    const key = 'the-key-of-ada'
    const shown: [string, Record<string, string>][] = [
      [whole, { 'x-goog-api-key': key }],
      [`${whole}?key=${key}`, {}],
      [whole, { authorization: `Bearer ${key}` }],
    ]
    await inTurn(shown, async ([where, headers]) => {
      expect((await post(address, where, { contents }, { headers })).status).toBe(200)
    })
    await inTurn([whole, `${whole}?key=another-key`], async (where) => {
      expect(await answer(await post(address, where, { contents }))).toMatchObject({
        status: 401,
        error: { code: 401, status: 'UNAUTHENTICATED' },
      })
    })
    expect(gateway.lines.length).toBeGreaterThan(0)
    expect(JSON.stringify(gateway.lines)).not.toMatch(/the-key-of-ada|another-key/)
  })

  it('15. Stream bytes: `data: `, one line, blank line, nothing else', async () => {
    const candidates = [{ content: { parts: [{ text: 'Hi\u2028there' }], role: 'model' }, index: 0 }]
    const lines = JSON.stringify({ candidates }, null, 1).split('\n')
    const fromGemini: Script = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(
        `: alive\n\nevent: x\nid: 1\n${lines.map((line) => `data: ${line}\n`).join('')}\nretry: 3\n\n`,
      )
      sse(response, { candidates: [{ finishReason: 'STOP', index: 0 }] })
      response.end()
    }
    const addresses = [(await start(fromChat)).address, await startBefore(fromGemini)]
    await inTurn(addresses, async (address) => {
      const response = await post(address, streamed, { contents })
      expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
      const text = await response.text()
      expect(text).toMatch(/^(?:data: \{[^\n\r\u2028]*\}\n\n){2}$/)
      expect(text).toContain('Hi\\u2028there')
    })
  })

  it('23. Array form valid, flushed; error as last element', async () => {
    const reading = new AbortController()
    const isRead = once(reading.signal, 'abort')
    const { address } = await start(async (response) => {
      sse(response, said)
      await isRead
      sse(response, chunk({ content: ' you' }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const response = await post(address, array, { contents })
    expect(response.headers.get('content-type')).toContain('application/json')
    let text = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true })
      // The upstream says no more before this has come.
      if (text.includes('"text":"Hi"')) reading.abort()
    }
    const chunks: unknown = JSON.parse(text)
    expect(chunks).toMatchObject([
      { candidates: [{ content: { parts: [{ text: 'Hi' }] } }] },
      { candidates: [{ content: { parts: [{ text: ' you' }] } }] },
      { candidates: [{ finishReason: 'STOP' }] },
    ])
    await inTurn(faults, async (fault) => {
      const broken = await post((await start(fault)).address, array, { contents })
      const elements: unknown = JSON.parse(await broken.text())
      expect(elements).toMatchObject([
        { candidates: [{}] },
        { error: { code: expect.any(Number), status: 'INTERNAL' } },
      ])
    })
  })

  it('29. Keep-alive passes genai, genai-old, ai-g', async () => {
    const { address } = await start(late, { timeouts: { ping: '30ms' } })
    const ask = (): Promise<Response> => post(address, streamed, { contents })
    const raw = await (await ask()).text()
    expect(raw).toMatch(/^\n/)
    expect(raw).toMatch(/\n\n\ndata: /)
    const reads = [readByGenai(address), ask().then(readByOlderGenai), ask().then(readByAiSdk)]
    for (const read of await Promise.all(reads)) {
      expect(read.error).toBeNull()
      expect(textIn(read)).toBe('Hi you')
      expect(at(read.chunks.at(-1), 'candidates', 0, 'finishReason')).toBe('STOP')
    }
    const elements: unknown = JSON.parse(await (await post(address, array, { contents })).text())
    expect(elements).toHaveLength(3)
  })

  it('33. Errors before the first byte; JSON type; RetryInfo from retry-after', async () => {
    const told: [number, number, string][] = [
      [400, 400, 'INVALID_ARGUMENT'],
      [404, 404, 'NOT_FOUND'],
      [413, 413, 'INVALID_ARGUMENT'],
      [429, 429, 'RESOURCE_EXHAUSTED'],
      [500, 500, 'INTERNAL'],
      [503, 503, 'UNAVAILABLE'],
      [504, 504, 'DEADLINE_EXCEEDED'],
    ]
    await inTurn(told, async ([status, code, word]) => {
      const { address } = await start((response) =>
        json(response, status, { error: { message: 'It broke.' } }),
      )
      await inTurn([whole, streamed, array], async (path) => {
        const response = await post(address, path, { contents })
        expect(response.status).toBe(code)
        expect(response.headers.get('content-type')).toMatch(/^application\/json/)
        const body: unknown = await response.json()
        expect(path === array ? at(body, 0) : body).toMatchObject({
          error: { code, status: word, message: expect.stringContaining('It broke.') },
        })
      })
    })
    const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12s' }
    const refused = { error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED' } }
    const waits = [
      (
        await start((response) =>
          json(response, 429, { error: { message: 'Slow down.' } }, { 'retry-after': '12' }),
        )
      ).address,
      await startBefore((response) =>
        json(response, 429, {
          error: { ...refused.error, details: [{ ...retryInfo, retryDelay: '11.2s' }] },
        }),
      ),
    ]
    await inTurn(waits, async (address) => {
      const response = await post(address, streamed, { contents })
      expect(response.headers.get('retry-after')).toBe('12')
      expect(await answer(response)).toMatchObject({
        status: 429,
        error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: [retryInfo] },
      })
    })
  })

  it('34. Error, cut, garbage mid-text and mid-call: two-step error, no finishReason', async () => {
    await inTurn(faults, async (fault) => {
      const { address } = await start(fault)
      const text = await (await post(address, streamed, { contents })).text()
      const [, event = '', bare] = /\ndata: (\{"error".*)\n\n(.*)$/.exec(text) ?? []
      expect(bare).toBe(event)
      expect(JSON.parse(event)).toMatchObject({
        error: { code: expect.any(Number), message: expect.any(String), status: 'INTERNAL' },
      })
      expect(text).not.toMatch(/finishReason|functionCall/)
      const ask = (): Promise<Response> => post(address, streamed, { contents })
      const reads = [readByGenai(address), ask().then(readByOlderGenai), ask().then(readByAiSdk)]
      for (const read of await Promise.all(reads)) {
        expect(read.error).not.toBeNull()
        expect(textIn(read)).toBe('Hi')
      }
    })
  })

  it('35. The same after a function response: gemini-cli reports no success', async () => {
    // Behind a response, that client takes an answer without an end, and one of nothing, for a success.
    await inTurn([...faults, empty, silent], async (fault) => {
      const { address } = await start(fault)
      const { error, chunks } = await readByGenai(address, answeredCall)
      expect(error).not.toBeNull()
      expect(chunks.map((each) => at(each, 'candidates', 0, 'finishReason'))).not.toContain('STOP')
    })
  })

  it('36. No finishReason upstream: failure', async () => {
    const candidates = [{ content: { parts: [{ text: 'Hi' }], role: 'model' }, index: 0 }]
    const unfinished: string[] = [
      (
        await start((response) => {
          sse(response, said)
          response.end()
        })
      ).address,
      await startBefore((response) => {
        sse(response, { candidates })
        response.end()
      }),
    ]
    await inTurn(unfinished, async (address) => {
      const text = await (await post(address, streamed, { contents })).text()
      expect(text).toContain('"text":"Hi"')
      expect(text).toMatch(/data: \{"error".*upstream_truncated/)
      expect(text).not.toContain('finishReason')
    })
    const cut = await startBefore((response) => json(response, 200, { candidates }))
    expect(await answer(await post(cut, whole, { contents }))).toMatchObject({
      status: 502,
      error: { status: 'INTERNAL', message: expect.stringContaining('upstream_truncated') },
    })
  })

  it('37. Overflow words with numbers', async () => {
    const message =
      "This model's maximum context length is 100 tokens. However, your messages resulted in 120 tokens."
    const { address } = await start((response) =>
      json(response, 413, {
        error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' },
      }),
    )
    await inTurn([whole, streamed], async (path) => {
      expect(await answer(await post(address, path, { contents }))).toMatchObject({
        status: 400,
        error: {
          code: 400,
          message: 'The input token count (120) exceeds the maximum number of tokens allowed (100).',
          status: 'INVALID_ARGUMENT',
        },
      })
    })
  })

  it('38. countTokens: contents, generateContentRequest; never 0', async () => {
    const { address, models } = await start(hello)
    const path = '/v1beta/models/m:countTokens'
    const generateContentRequest = {
      model: 'models/m',
      contents,
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
    }
    const count = async (body: object): Promise<number> => {
      const response = await post(address, path, body)
      expect(response.status).toBe(200)
      return Number(at(await response.json(), 'totalTokens'))
    }
    const few = await count({ contents })
    expect(few).toBeGreaterThan(0)
    expect(await count({ generateContentRequest })).toBeGreaterThan(few)
    expect(await count({ contents: [{ role: 'user', parts: [{ text: '.' }] }] })).toBeGreaterThan(0)
    expect(models()).toEqual([])
  })

  it('39. models; embedContent refused in dialect', async () => {
    const { address } = await start(hello, {
      models: [{ match: 'org/fast', upstream: 'lab', model: 'kimi-k2', window: 131_072 }],
    })
    const get = async (path: string): Promise<unknown> =>
      (await fetch(`${address}${path}`, { headers: { 'x-goog-api-key': 'x' } })).json()
    const entry = {
      name: 'models/org/fast',
      displayName: 'org/fast',
      inputTokenLimit: 131_072,
      supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
    }
    expect(await get('/v1beta/models')).toEqual({ models: [entry] })
    expect(await get('/v1/models')).toEqual({ models: [entry] })
    expect(await get('/v1beta/models/org/fast')).toEqual(entry)
    expect(await get('/v1beta/models/none')).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
    await inTurn(['/v1beta', '/v1', '/v1alpha'], async (version) => {
      const refused = await post(address, `${version}/models/org/fast:embedContent`, { content: contents[0] })
      expect(refused.headers.get('content-type')).toMatch(/^application\/json/)
      expect(await refused.json()).toMatchObject({
        error: { code: 404, message: expect.stringContaining('embedContent'), status: 'NOT_FOUND' },
      })
      expect(refused.status).toBe(404)
    })
  })

  it('40. Side calls to `gemini-*` routed', async () => {
    const { address, models } = await start(hello, {
      models: [
        { match: 'gemini-*', upstream: 'lab', model: 'small' },
        { match: '*', upstream: 'lab' },
      ],
    })
    await inTurn(['gemini-3-flash-preview', 'gemini-3-pro-preview', 'kimi-k2'], async (name) => {
      expect((await post(address, `/v1beta/models/${name}:generateContent`, { contents })).status).toBe(200)
    })
    expect(models()).toEqual(['small', 'small', 'kimi-k2'])
  })
})
