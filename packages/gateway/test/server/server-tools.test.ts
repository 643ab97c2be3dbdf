import Anthropic from '@anthropic-ai/sdk'
import { afterAll, describe, expect, it } from 'vitest'
import { startProxy, stopProxies } from '../upstream/scripted-proxy.ts'
import { ask, at } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { completion, json, type ScriptedUpstream, startUpstream, stopUpstreams } from './scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
  stopProxies()
})

const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 } as const
const messages = [{ role: 'user', content: 'Perform a web search for the query: tea' }] as const
const question = { messages, tools: [search], stream: false }

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
}

function chatUpstream(): Promise<ScriptedUpstream> {
  return startUpstream((response) => json(response, 200, completion('I made this up.')))
}

function messagesUpstream(): Promise<ScriptedUpstream> {
  return startUpstream((response) => json(response, 200, message))
}

describe('a search of the web that nobody can make', () => {
  it('failed, for a client that asks an upstream of another dialect, which is not asked', async () => {
    const upstream = await chatUpstream()
    const { address, requestLine } = await startGateway({ upstream: upstream.url })
    const answer = await ask(address, 'anthropic', question)
    expect(answer).toMatchObject({ status: 200, finish: 'end_turn' })
    expect(at(answer.last, 'content', 1, 'content')).toEqual({
      type: 'web_search_tool_result_error',
      error_code: 'unavailable',
    })
    expect(upstream.requests).toEqual([])
    expect(requestLine()).toMatchObject({
      status: 200,
      how: 'answered',
      model: 'kimi-k2',
      finish: 'stop',
      changed: ['dropped tools (web_search_20250305)'],
    })
  })

  it('failed, in a stream that the SDK reads', async () => {
    const upstream = await chatUpstream()
    const { address } = await startGateway({ upstream: upstream.url })
    const client = new Anthropic({ baseURL: address, apiKey: 'none', maxRetries: 0 })
    const asked = { model: 'kimi-k2', max_tokens: 100, messages: [...messages], tools: [search] }
    const { content, stop_reason } = await client.messages.stream(asked).finalMessage()
    expect(stop_reason).toBe('end_turn')
    expect(content).toMatchObject([
      { type: 'server_tool_use', name: 'web_search', input: { query: 'tea' } },
      { type: 'web_search_tool_result', content: { error_code: 'unavailable' } },
      { type: 'text' },
    ])
    expect(upstream.requests).toEqual([])
  })

  it('failed, on a server of open models that speaks the dialect of the client', async () => {
    const upstream = await messagesUpstream()
    const { address } = await startGateway({ upstream: upstream.url, dialect: 'anthropic-messages' })
    expect((await ask(address, 'anthropic', question)).body).toContain('web_search_tool_result_error')
    expect(upstream.requests).toEqual([])
  })

  it('is an error for a chat client, whose dialect has no other way to say it', async () => {
    const upstream = await messagesUpstream()
    const { address, requestLine } = await startGateway({
      upstream: upstream.url,
      dialect: 'anthropic-messages',
    })
    const answer = await ask(address, 'openai', { tools: undefined, web_search_options: {} })
    expect(answer).toMatchObject({ status: 400, error: { code: 'unsupported_tool' } })
    expect(at(answer.last, 'error', 'param')).toBe('web_search_options')
    expect(upstream.requests).toEqual([])
    expect(requestLine()).toMatchObject({ changed: ['dropped tools (web_search_options)'] })
  })
})

describe('a search of the web that somebody may make', () => {
  it('is left to Anthropic', async () => {
    const upstream = await messagesUpstream()
    const proxy = await startProxy(Number(new URL(upstream.url).port))
    const { address } = await startGateway({
      upstream: 'http://api.anthropic.com/v1',
      kind: 'auto',
      dialect: 'anthropic-messages',
      env: { HTTP_PROXY: proxy.url },
    })
    expect((await ask(address, 'anthropic', question)).text).toBe('hello')
    expect(at(JSON.parse(upstream.requests[0]?.body ?? ''), 'tools')).toEqual([search])
  })

  it('is left to whoever serves a model of Anthropic', async () => {
    const upstream = await messagesUpstream()
    const { address } = await startGateway({ upstream: upstream.url, dialect: 'anthropic-messages' })
    const answer = await ask(address, 'anthropic', { ...question, model: 'claude-sonnet-4-5' })
    expect(answer.text).toBe('hello')
  })

  it('is left to any server of the chat dialect', async () => {
    const upstream = await chatUpstream()
    const { address } = await startGateway({ upstream: upstream.url })
    const asked = { tools: undefined, web_search_options: {}, stream: false }
    expect((await ask(address, 'openai', asked)).status).toBe(200)
    expect(at(JSON.parse(upstream.requests[0]?.body ?? ''), 'web_search_options')).toEqual({})
  })

  it('is left out, which is noted, where the client has other tools', async () => {
    const upstream = await chatUpstream()
    const { address, requestLine } = await startGateway({ upstream: upstream.url })
    const bash = { name: 'Bash', input_schema: { type: 'object', properties: {} } }
    await ask(address, 'anthropic', { ...question, tools: [bash, search] })
    expect(at(JSON.parse(upstream.requests[0]?.body ?? ''), 'tools', 0, 'function', 'name')).toBe('Bash')
    expect(requestLine()).toMatchObject({ changed: ['dropped tools (web_search_20250305)'] })
  })
})
