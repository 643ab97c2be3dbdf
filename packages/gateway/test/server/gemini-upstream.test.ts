import { GoogleGenAI } from '@google/genai'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createSimulator } from '../../src/simulator/server.ts'
import { at, post } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { json, startUpstream, stopUpstreams } from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const signature = 'RXZzQ0N2Z0NBVlNvWE82'
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

function candidate(...parts: object[]): object {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    modelVersion: 'gemini-3-pro',
  }
}

const called = { name: 'get_weather', args: { city: 'Paris' } }
const calls = candidate(
  { text: 'I have to look.', thought: true },
  { functionCall: { id: 'first', ...called }, thoughtSignature: signature },
  { functionCall: { id: 'second', ...called } },
)

/** A server that calls the tool twice, and says so when it has the results. */
async function startWeather() {
  const upstream = await startUpstream((response, nth) =>
    json(response, 200, nth === 1 ? calls : candidate({ text: 'It rains.' })),
  )
  const url = upstream.url.replace('/v1', '/v1beta')
  const { address } = await startGateway({ upstream: url, dialect: 'gemini', apiKey: 'a-key-of-google' })
  const bodies = (): unknown[] => upstream.requests.map(({ body }) => JSON.parse(body))
  return { address, upstream, bodies }
}

/** The history of the second round, as Gemini wants it. */
function expectSound(body: unknown): void {
  const contents = at(body, 'contents')
  expect(Array.isArray(contents) ? contents.map((content: unknown) => at(content, 'role')) : []).toEqual([
    'user',
    'model',
    'user',
  ])
  const parts = at(contents, 1, 'parts')
  const calling = Array.isArray(parts)
    ? parts.filter((part: unknown) => at(part, 'functionCall') !== undefined)
    : []
  expect(calling).toMatchObject([
    { functionCall: called, thoughtSignature: signature },
    { functionCall: called },
  ])
  expect(at(calling[1], 'thoughtSignature')).toBeUndefined()
  expect(at(contents, 2, 'parts')).toMatchObject([
    { functionResponse: { name: 'get_weather', response: { output: 'rain' } } },
    { functionResponse: { name: 'get_weather', response: { output: 'rain' } } },
  ])
  for (const place of [0, 1]) {
    expect(at(contents, 2, 'parts', place, 'functionResponse', 'id')).toBe(
      at(calling[place], 'functionCall', 'id'),
    )
  }
}

describe('a server that speaks Gemini', () => {
  it('is asked at the address of its model, with its key, and gets its signatures back through Anthropic’s dialect', async () => {
    const { address, upstream, bodies } = await startWeather()
    const request = {
      model: 'gemini-3-pro',
      max_tokens: 1000,
      tools: [{ name: 'get_weather', input_schema: schema }],
    }
    const ask = { role: 'user', content: 'Weather?' }
    const first = await (await post(address, '/v1/messages', { ...request, messages: [ask] })).json()
    expect(at(first, 'stop_reason')).toBe('tool_use')
    const content = at(first, 'content')
    const results = (Array.isArray(content) ? content : [])
      .filter((block: unknown) => at(block, 'type') === 'tool_use')
      .map((block: unknown) => ({ type: 'tool_result', tool_use_id: at(block, 'id'), content: 'rain' }))
    expect(results).toHaveLength(2)
    const messages = [ask, { role: 'assistant', content }, { role: 'user', content: results }]
    const second = await (await post(address, '/v1/messages', { ...request, messages })).json()
    expect(at(second, 'content', 0, 'text')).toBe('It rains.')
    expect(upstream.requests[0]).toMatchObject({
      path: '/v1beta/models/gemini-3-pro:generateContent',
      headers: { 'x-goog-api-key': 'a-key-of-google' },
    })
    expect(bodies()[0]).not.toHaveProperty('model')
    expect(bodies()[0]).not.toHaveProperty('stream')
    expectSound(bodies()[1])
  })

  it('gets them back from its own clients, which may keep ids or not', async () => {
    const { address, upstream, bodies } = await startWeather()
    const path = '/v1beta/models/gemini-3-pro:generateContent'
    const tools = [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: schema }] }]
    const ask = { role: 'user', parts: [{ text: 'Weather?' }] }
    const generationConfig = { thinkingConfig: { includeThoughts: true } }
    const body = { contents: [ask], tools, generationConfig }
    const first = await (await post(address, path, body)).json()
    const model = at(first, 'candidates', 0, 'content')
    const parts = at(model, 'parts')
    const responses = (Array.isArray(parts) ? parts : [])
      .filter((part: unknown) => at(part, 'functionCall') !== undefined)
      .map((part: unknown) => ({
        functionResponse: {
          id: at(part, 'functionCall', 'id'),
          name: 'get_weather',
          response: { output: 'rain' },
        },
      }))
    expect(responses).toHaveLength(2)
    const contents = [ask, model, { role: 'user', parts: responses }]
    const second = await (await post(address, path, { ...body, contents })).json()
    expect(at(second, 'candidates', 0, 'content', 'parts', 0, 'text')).toBe('It rains.')
    expectSound(bodies()[1])
    expect(upstream.requests[0]?.body).toBe(JSON.stringify(body))
  })

  it('streams where the client wants a stream', async () => {
    const { address, upstream } = await startWeather()
    const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Weather?' }] }
    await (await post(address, '/v1/chat/completions', body)).text()
    expect(upstream.requests[0]?.path).toBe('/v1beta/models/m:streamGenerateContent?alt=sse')
  })

  it('is asked for tools by Google’s SDK in two rounds, streamed and whole', async () => {
    const simulator = createSimulator({ strict: true })
    onTestFinished(() => simulator.close())
    const upstream = (await simulator.listen()).replace(/\/v1$/, '/v1beta')
    const { address: baseUrl } = await startGateway({ upstream, dialect: 'gemini' })
    const { models } = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } })
    const contents = [{ role: 'user', parts: [{ text: 'What is the weather in Paris?' }] }]
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
