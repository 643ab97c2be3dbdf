import { type Content, type DialectId, dialectIds } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import { playing } from '../simulator/playing.ts'
import { ask, understood, type Understood, weatherIn } from '../simulator/speaking.ts'
import { startGateway, stopGateways } from './running-gateway.ts'

afterEach(stopGateways)

/** The servers that serve more than chat completions, with what they serve and how they think there. */
const servers: readonly { readonly server: string; readonly dialect: DialectId; readonly version: string }[] =
  [
    { server: 'vllm-0.12', dialect: 'openai-responses', version: '/v1' },
    { server: 'vllm-0.27', dialect: 'openai-responses', version: '/v1' },
    { server: 'sglang', dialect: 'openai-responses', version: '/v1' },
    { server: 'llama.cpp', dialect: 'openai-responses', version: '/v1' },
    { server: 'ollama', dialect: 'openai-responses', version: '/v1' },
    { server: 'lm-studio', dialect: 'openai-responses', version: '/v1' },
    { server: 'openrouter', dialect: 'openai-responses', version: '/v1' },
    { server: 'openai', dialect: 'openai-responses', version: '/v1' },
    { server: 'google', dialect: 'gemini', version: '/v1beta' },
  ]

type Question = (more?: Parameters<typeof weatherIn>[1], model?: string) => Promise<Understood>

const rows = servers.flatMap((each) => dialectIds.map((client) => [each.server, client, each] as const))

describe.each(rows)('%s, for a client of %s', (_server, client, { server, dialect, version }) => {
  const inFront = (test: (question: Question) => Promise<void>): Promise<void> =>
    playing({ server, strict: true, window: 20_000 }, async (simulated) => {
      const upstream = simulated.replace(/\/v1$/, version)
      const { address } = await startGateway({ upstream, dialect, kind: 'auto' })
      await test(async (more = {}, model = 'qwen3+think') => {
        const request = weatherIn(model, { reasoning: { mode: 'adaptive' }, ...more })
        const response = await ask(client, `${address}/v1`, request)
        const body = await response.text()
        expect({ status: response.status, body: response.status === 200 ? '' : body }).toEqual({
          status: 200,
          body: '',
        })
        return understood(client, request.stream ? 'stream' : 'whole', body)
      })
    })

  it('calls a tool, and takes its result', async () => {
    await inFront(async (question) => {
      const said = await question()
      expect(said).toMatchObject({ finish: 'tool-calls', failure: null, calls: [{ name: 'get_weather' }] })
      const whole = await question({ stream: false })
      expect(whole.calls).toMatchObject([{ name: 'get_weather' }])
      const answered = await question({ contents: withResult(said.calls[0]?.id ?? '') })
      expect(answered).toMatchObject({ finish: 'stop', text: expect.stringContaining('18 °C') })
    })
  })

  it('thinks, and is told to stop', async () => {
    await inFront(async (question) => {
      expect((await question()).reasoning).toContain('simulated thought')
      const { finish, calls } = await question({ maxTokens: 8 }, 'qwen3')
      // Of one that never says so, nobody can know it.
      expect(finish).toBe(server === 'ollama' && calls.length === 0 ? 'stop' : 'length')
    })
  })
})

function withResult(id: string): readonly Content[] {
  return [
    { speaker: 'human', blocks: [{ type: 'text', text: 'What is the weather in Paris?' }] },
    {
      speaker: 'ai',
      blocks: [{ type: 'tool_call', id, name: 'get_weather', parameters: { city: 'Paris' } }],
    },
    {
      speaker: 'tool',
      blocks: [{ type: 'tool_response', callId: id, toolName: 'get_weather', result: '18 °C' }],
    },
  ]
}
