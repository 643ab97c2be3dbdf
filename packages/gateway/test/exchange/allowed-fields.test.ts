import { createHash } from 'node:crypto'
import { dialects } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, clientDialects } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { json, startUpstream, stopUpstreams, until } from '../server/scripted-upstream.ts'

const key = 'a-client-key-of-some-length'
const keys = [{ name: 'laptop', sha256: createHash('sha256').update(key).digest('hex') }]
const headers = { authorization: `Bearer ${key}` }
const vendor = {
  chat_template_kwargs: { enable_thinking: false },
  api_base: 'https://evil.example',
  provider: { order: ['x'] },
  mcp_servers: [{ url: 'https://evil.example' }],
}

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

describe.each(clientDialects)('a field that we only pass on, from a client of %s', (client) => {
  const dialect = client === 'anthropic' ? 'anthropic-messages' : 'openai-chat'

  async function sent(settings: object, fields: object) {
    const upstream = await startUpstream((response) => json(response, 400, {}))
    const gateway = await startGateway({ upstream: upstream.url, dialect, settings: { ...settings } })
    await ask(gateway.address, client, { stream: false, ...fields }, { headers })
    await until(() => gateway.requestLine() !== undefined, 1000)
    const body: Record<string, unknown> = JSON.parse(upstream.requests[0]?.body ?? '{}')
    return { body, changed: gateway.requestLine()?.['changed'] }
  }

  it('reaches an upstream of the same dialect where everybody may call', async () => {
    const { body } = await sent({}, vendor)
    expect(body).toMatchObject(vendor)
  })

  it('is dropped, and the log says so, where clients need keys', async () => {
    const { body, changed } = await sent({ keys }, vendor)
    for (const field of Object.keys(vendor)) {
      expect(body).not.toHaveProperty(field)
      expect(changed).toContain(`dropped ${field}`)
    }
  })

  it('still comes from the configuration of the upstream', async () => {
    const upstream = await startUpstream((response) => json(response, 400, {}))
    const lab = { url: upstream.url, dialect, body: { provider: { order: ['Groq'] } } }
    const { address } = await startGateway({ upstream: upstream.url, settings: { keys, upstreams: { lab } } })
    await ask(address, client, { stream: false, ...vendor }, { headers })
    expect(JSON.parse(upstream.requests[0]?.body ?? '{}')).toMatchObject({ provider: { order: ['Groq'] } })
  })

  it('is kept where it is one of the dialect itself', async () => {
    const fields = Object.fromEntries(
      dialects[dialect].request.passedFields
        .filter((field) => !['tools', 'stream_options', 'response_format', 'output_format'].includes(field))
        .map((field) => [field, { x: 1 }]),
    )
    const { body } = await sent({ keys }, { ...fields, top_k: 5, max_completion_tokens: 9 })
    expect(Object.keys(body)).toEqual(
      expect.arrayContaining(
        Object.keys(fields).filter((field) => client === 'openai' || field !== 'max_completion_tokens'),
      ),
    )
  })
})
