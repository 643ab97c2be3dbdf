import { afterEach, describe, expect, it } from 'vitest'
import { at, post } from './ask.ts'
import { type RunningGateway, startGateway, stopGateways } from './running-gateway.ts'
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
  it('is refused in its own words: unknown methods, bodies and models', async () => {
    const { gateway } = await start({ models: [{ match: 'known', upstream: 'lab' }] })
    const refused = async (path: string, body: object = { contents }): Promise<unknown> => {
      const response = await post(gateway.address, path, body)
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      return (await answer(response)).error
    }
    expect(await refused('/v1beta/models/known:embedContent')).toMatchObject({ code: 404 })
    expect(await refused('/v1beta/models/known:dreamOfContent')).toMatchObject({ code: 405 })
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
