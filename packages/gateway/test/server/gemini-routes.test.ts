import { afterEach, describe, expect, it } from 'vitest'
import { at, inTurn, post } from './ask.ts'
import { oneKey, type RunningGateway, startGateway, stopGateways } from './running-gateway.ts'
import { json, startUpstream, stopUpstreams } from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
const completion = {
  id: 'x',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
}

interface Setup {
  readonly gateway: RunningGateway
  /** The models that the upstream was asked for. */
  readonly models: () => unknown[]
}

async function start(settings: Readonly<Record<string, unknown>> = {}): Promise<Setup> {
  const upstream = await startUpstream((response) => json(response, 200, completion))
  const gateway = await startGateway({ upstream: upstream.url, settings })
  return { gateway, models: () => upstream.requests.map(({ body }) => at(JSON.parse(body), 'model')) }
}

async function answer(response: Response): Promise<{ status: number; text: unknown; error: unknown }> {
  const body: unknown = await response.json()
  const parts = at(body, 'candidates', 0, 'content', 'parts')
  const texts = Array.isArray(parts) ? parts.map((part: unknown) => at(part, 'text')) : []
  return { status: response.status, text: texts.join(''), error: at(body, 'error') }
}

describe('a client of Gemini', () => {
  it('is answered at the addresses of every version, whatever the name of the model holds', async () => {
    const { gateway, models } = await start()
    const names = ['kimi-k2', 'qwen3:8b', 'org/model', 'org%2Fmodel', 'accounts/x/models/y']
    const paths = [
      ...names.map((name) => `/v1beta/models/${name}:generateContent`),
      '/v1/models/a:generateContent',
      '/v1alpha/models/b:generateContent?key=x',
      '/v1/projects/p/locations/l/publishers/google/models/c:generateContent',
    ]
    await inTurn(paths, async (path) => {
      expect(await answer(await post(gateway.address, path, { contents }))).toEqual({
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
  })

  it('shows its key in a header of its own, in the address, or as all do; it stands in no log', async () => {
    const { gateway } = await start({ keys: oneKey.keys })
    const path = '/v1beta/models/m:generateContent'
    const key = 'the-key-of-ada'
    const shown: [string, Record<string, string>][] = [
      [path, { 'x-goog-api-key': key }],
      [`${path}?key=${key}`, {}],
      [path, { authorization: `Bearer ${key}` }],
    ]
    await inTurn(shown, async ([where, headers]) => {
      expect((await post(gateway.address, where, { contents }, { headers })).status).toBe(200)
    })
    const wrong = await answer(await post(gateway.address, `${path}?key=another-key`, { contents }))
    expect(wrong).toMatchObject({ status: 401, error: { code: 401, status: 'UNAUTHENTICATED' } })
    expect(JSON.stringify(gateway.lines)).not.toMatch(/the-key-of-ada|another-key/)
  })

  it('is refused in its own words: unknown methods, bodies and models', async () => {
    const { gateway } = await start({ models: [{ match: 'known', upstream: 'lab' }] })
    const refused = async (path: string, body: object = { contents }): Promise<unknown> => {
      const response = await post(gateway.address, path, body)
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      return (await answer(response)).error
    }
    expect(await refused('/v1beta/models/known:embedContent')).toMatchObject({ code: 405 })
    expect(await refused('/v1beta/cachedContents')).toMatchObject({ code: 404, status: 'NOT_FOUND' })
    expect(await refused('/v1beta/models/other:generateContent')).toMatchObject({
      code: 404,
      status: 'NOT_FOUND',
    })
    expect(
      await refused('/v1/models/known:generateContent', { contents, cachedContent: 'cachedContents/x' }),
    ).toMatchObject({
      code: 400,
      status: 'INVALID_ARGUMENT',
      details: [{ fieldViolations: [{ field: 'cachedContent' }] }],
    })
  })

  it('is told how long to wait', async () => {
    const upstream = await startUpstream((response) =>
      response
        .writeHead(429, { 'content-type': 'application/json', 'retry-after': '12' })
        .end('{"error":{"message":"Slow down.","type":"rate_limit_error","code":"rate_limit_exceeded"}}'),
    )
    const { address } = await startGateway({ upstream: upstream.url })
    const response = await post(address, '/v1beta/models/m:generateContent', { contents })
    expect(response.headers.get('retry-after')).toBe('12')
    expect(await answer(response)).toMatchObject({
      status: 429,
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12s' }],
      },
    })
  })

  it('is told a prompt that is too long as its clients know it', async () => {
    const message =
      "This model's maximum context length is 100 tokens. However, your messages resulted in 120 tokens."
    const upstream = await startUpstream((response) =>
      json(response, 400, {
        error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' },
      }),
    )
    const { address } = await startGateway({ upstream: upstream.url })
    const refused = await answer(
      await post(address, '/v1beta/models/m:streamGenerateContent?alt=sse', { contents }),
    )
    expect(refused.error).toMatchObject({
      code: 400,
      message: 'The input token count (120) exceeds the maximum number of tokens allowed (100).',
      status: 'INVALID_ARGUMENT',
    })
  })

  it('counts tokens, of contents and of a whole request, and never none', async () => {
    const { gateway, models } = await start()
    const path = '/v1beta/models/m:countTokens'
    const generateContentRequest = {
      model: 'models/m',
      contents,
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
    }
    const counts = await Promise.all(
      [{ contents }, { generateContentRequest }].map(async (body) => {
        const response = await post(gateway.address, path, body)
        return at(await response.json(), 'totalTokens')
      }),
    )
    expect(counts.map(Number).every((count) => count >= 1)).toBe(true)
    expect(Number(counts[1])).toBeGreaterThan(Number(counts[0]))
    expect(models()).toEqual([])
  })

  it('lists models, and asks for one', async () => {
    const { gateway } = await start({ models: [{ match: 'org/fast', upstream: 'lab', model: 'kimi-k2' }] })
    const get = async (path: string): Promise<unknown> =>
      (await fetch(`${gateway.address}${path}`, { headers: { 'x-goog-api-key': 'x' } })).json()
    const entry = { name: 'models/org/fast', displayName: 'org/fast' }
    expect(await get('/v1beta/models')).toMatchObject({ models: [entry] })
    expect(await get('/v1/models')).toMatchObject({ models: [entry] })
    expect(await get('/v1beta/models/org/fast')).toMatchObject(entry)
    expect(await get('/v1beta/models/none')).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
  })

  it('asks for models of Google’s beside its own, and a pattern sends them elsewhere', async () => {
    const { gateway, models } = await start({
      models: [
        { match: 'gemini-*', upstream: 'lab', model: 'small' },
        { match: '*', upstream: 'lab' },
      ],
    })
    await inTurn(['gemini-3-flash-preview', 'gemini-3-pro-preview', 'kimi-k2'], async (name) => {
      await post(gateway.address, `/v1beta/models/${name}:generateContent`, { contents })
    })
    expect(models()).toEqual(['small', 'small', 'kimi-k2'])
  })

  it('that throws thoughts away brings the reasoning back to the model all the same', async () => {
    const message = {
      role: 'assistant',
      content: null,
      reasoning_content: 'I have to look.',
      tool_calls: [
        { id: 'functions.look:0', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } },
      ],
    }
    const calling = { ...completion, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
    const upstream = await startUpstream((response, nth) =>
      json(response, 200, nth === 1 ? calling : completion),
    )
    const { address } = await startGateway({ upstream: upstream.url })
    const path = '/v1beta/models/kimi-k2:generateContent'
    const body = { tools: [{ functionDeclarations: [{ name: 'look' }] }] }
    const first: unknown = await (await post(address, path, { ...body, contents })).json()
    const parts = at(first, 'candidates', 0, 'content', 'parts')
    const kept = Array.isArray(parts) ? parts.filter((part: unknown) => at(part, 'thought') !== true) : []
    expect(kept).toMatchObject([{ functionCall: { name: 'look', args: { at: 'x' } } }])
    const round = [
      ...contents,
      { role: 'model', parts: kept },
      { role: 'user', parts: [{ functionResponse: { name: 'look', response: { output: 'seen' } } }] },
    ]
    expect(await answer(await post(address, path, { ...body, contents: round }))).toMatchObject({
      text: 'Hello.',
    })
    expect(at(JSON.parse(upstream.requests[1]?.body ?? ''), 'messages')).toMatchObject([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        reasoning_content: 'I have to look.',
        tool_calls: [{ id: 'functions.look:0', function: { name: 'look' } }],
      },
      { role: 'tool', tool_call_id: 'functions.look:0', content: 'seen' },
    ])
  })
})
