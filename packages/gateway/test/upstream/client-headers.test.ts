import { afterEach, describe, expect, it } from 'vitest'
import { ask } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
import { startProxy, stopProxies } from './scripted-proxy.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
  stopProxies()
})

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

const sent = {
  'anthropic-beta': 'context-1m, tools-2',
  'anthropic-dangerous-direct-browser-access': 'true',
  authorization: 'Bearer of-the-client',
  cookie: 'a=b',
  'x-app': 'cli',
  'x-claude-code-session-id': 'session',
}

/** The headers that a server at this host gets from a client that sends all of the above. */
async function headersAt(host: string, settings: object = {}): Promise<Readonly<Record<string, unknown>>> {
  const upstream = await startUpstream((response) => json(response, 200, message))
  const proxy = await startProxy(Number(new URL(upstream.url).port))
  const lab = { url: `http://${host}/v1`, dialect: 'anthropic-messages', ...settings }
  const { address } = await startGateway({
    upstream: lab.url,
    env: { HTTP_PROXY: proxy.url },
    settings: { upstreams: { lab } },
  })
  const answer = await ask(address, 'anthropic', { model: 'claude-x', stream: false }, { headers: sent })
  expect(answer).toMatchObject({ status: 200, text: 'hello' })
  return upstream.requests[0]?.headers ?? {}
}

describe('headers of a client', () => {
  it('go on to Anthropic where they are meant for it, and no others', async () => {
    const headers = await headersAt('api.anthropic.com')
    expect(headers['anthropic-beta']).toBe('context-1m,tools-2')
    const passed = Object.keys(sent).filter((name) => name in headers)
    expect(passed).toEqual(['anthropic-beta'])
    expect(headers['user-agent']).toBe('dragoman')
  })

  it('are joined with the configured header of the same name, each thing once', async () => {
    const headers = await headersAt('api.anthropic.com', {
      headers: { 'Anthropic-Beta': 'files-1,tools-2' },
    })
    expect(headers['anthropic-beta']).toBe('files-1,tools-2,context-1m')
  })

  it.each(['models.example', 'anthropic.com.example', 'api.moonshot.ai'])(
    'go nowhere else: %s',
    async (host) => {
      const headers = await headersAt(host)
      expect(Object.keys(sent).filter((name) => name in headers)).toEqual([])
    },
  )
})
