import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, clientDialects, post } from '../server/ask.ts'
import { startGateway } from '../server/running-gateway.ts'
import { bothTools, Client } from './client.ts'
import { items, saidIn, toolIdsIn } from './conversation-view.ts'
import { startLab, type Lab } from './lab.ts'

const formats = ['hermes', 'xml', 'llama'] as const
const ways = clientDialects.flatMap((dialect) => [true, false].map((isStream) => ({ dialect, isStream })))

let lab: Lab
beforeAll(async () => {
  lab = await startLab({ rounds: 2, parallel: 2 })
})
afterAll(() => lab.close())

function sentBody(): unknown {
  return lab.simulator.requests.at(-1)?.body
}

function sentText(): string {
  return JSON.stringify(items(at(sentBody(), 'messages')).map((message) => at(message, 'content')))
}

describe('a model without tool support', () => {
  it('refuses tools in fields of their own', async () => {
    const address = lab.simulator.address ?? ''
    const tools = [
      { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
    ]
    const messages = [{ role: 'user', content: 'hi' }]
    const response = await post(address, '/chat/completions', { model: 'hermes-4+no-tools', messages, tools })
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('does not support tools'),
    ])
  })

  it.each(formats)('whose name tells no format writes its calls as the prompt says: %s', async (format) => {
    const url = lab.simulator.address ?? ''
    const { address } = await startGateway({
      upstream: url,
      settings: { models: [{ match: '*', upstream: 'lab', model: 'x+no-tools', format, tools: 'prompt' }] },
    })
    const client = new Client(address, 'openai', true)
    expect(await client.run(bothTools, 'any')).toBe(2)
    expect(toolIdsIn(client.messages).calls.map(({ name }) => name)).toContain('get_weather')
  })

  it('never answers with calls in fields of their own', async () => {
    const body = {
      model: 'x+no-tools',
      messages: [
        { role: 'system', content: '<tools>\n{"type":"function","function":{"name":"get_time"}}\n</tools>' },
        { role: 'user', content: 'What time is it?' },
      ],
    }
    const response = await post(lab.simulator.address ?? '', '/chat/completions', body)
    const message = at(await response.json(), 'choices', 0, 'message')
    expect(at(message, 'tool_calls')).toBeUndefined()
    expect(at(message, 'content')).toContain('<tool_call>\n{"name": "get_time"')
  })

  describe.each(formats)('with the tools in its prompt, in the format %s', (format) => {
    it.each(ways)('calls them for a client of $dialect, stream: $isStream', async ({ dialect, isStream }) => {
      const client = new Client(lab.gateway.address, dialect, isStream)
      expect(await client.run(bothTools, `${format}-prompt`)).toBe(2)

      const body = sentBody()
      expect(at(body, 'tools')).toBeUndefined()
      expect(at(body, 'tool_choice')).toBeUndefined()
      const messages = items(at(body, 'messages'))
      expect(messages.map((message) => at(message, 'role'))).toEqual([
        'system',
        'user',
        'assistant',
        'user',
        'assistant',
        'user',
      ])
      expect(toolIdsIn(messages)).toEqual({ calls: [], results: [] })

      // What the client holds is what the model read: each call, and each result in its place.
      const calls = toolIdsIn(client.messages).calls
      expect(calls.map(({ name }) => name)).toEqual(['get_weather', 'get_time', 'get_weather', 'get_time'])
      const results = saidIn(client.messages).flatMap((said) =>
        said.by === 'tool' && 'text' in said ? [said.text] : [],
      )
      const unsaid = results.filter((text) => !sentText().includes(text.slice(text.indexOf('#'))))
      expect(unsaid).toEqual([])
      expect(lab.simulator.historyProblems).toEqual([])
      const last = saidIn(client.messages).at(-1)
      expect(last).toMatchObject({
        by: 'model',
        text: expect.stringContaining(results.at(-1)?.slice(-36) ?? '?'),
      })
    })

    it.each(clientDialects)(
      'goes on with a conversation of %s that Kimi began, and Kimi with its own',
      async (dialect) => {
        const client = new Client(lab.gateway.address, dialect, true)
        await client.run(bothTools, 'kimi-k2-thinking')
        await client.run(bothTools, `${format}-prompt`)
        await client.run(bothTools, 'kimi-k2-thinking')
        expect(lab.simulator.historyProblems).toEqual([])
        expect(toolIdsIn(items(at(sentBody(), 'messages'))).results.at(-1)).toBe('functions.get_time:11')
      },
    )

    it('is told nothing of them where the client wants no calls', async () => {
      const client = new Client(lab.gateway.address, 'openai', true, { tool_choice: 'none' })
      await client.run(bothTools, `${format}-prompt`)
      expect(items(at(sentBody(), 'messages')).map((message) => at(message, 'role'))).toEqual(['user'])
    })
  })
})
