import { type DialectId, dialectIds, dialects } from '@dragoman/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/simulator/server.ts'
import { writings } from '../../src/simulator/writings.ts'
import { isThorough } from '../thorough.ts'
import { playing } from './playing.ts'
import { ask, understood, type Understood, weatherIn } from './speaking.ts'

let simulator: Simulator
let base = ''
beforeAll(async () => {
  simulator = createSimulator()
  base = await simulator.listen()
})
afterAll(() => simulator.close())

const others = dialectIds.filter((id) => id !== 'openai-chat')
const deliveries = ['stream', 'whole'] as const
type Delivery = (typeof deliveries)[number]

/** Asks for the weather, and reads the answer. */
async function weather(
  dialect: DialectId,
  model: string,
  delivery: Delivery,
  { more = {}, at = base, reads = 'standard' }: Asked = {},
): Promise<Understood> {
  const response = await ask(dialect, at, weatherIn(model, { stream: delivery === 'stream', ...more }))
  expect(response.status).toBe(200)
  const body = await response.text()
  return understood(
    dialect,
    delivery,
    body,
    reads === 'auto' && model.startsWith('xml') ? 'xml' : reads,
    model,
  )
}

interface Asked {
  readonly more?: Parameters<typeof weatherIn>[1]
  readonly at?: string
  readonly reads?: 'standard' | 'auto'
}

const everywhere = dialectIds.flatMap((dialect) => deliveries.map((each) => [dialect, each] as const))

const textModels = writings.filter(({ kind }) => kind === 'text').map(({ models }) => models[0] ?? '')

describe.each(others)('the simulator in %s', (dialect) => {
  // Where not all is tried, the dialects take turns with the models.
  const turn = others.indexOf(dialect)
  it.each(textModels.filter((_, at) => isThorough || at % others.length === turn))(
    'writes the calls of %s as text, in content and in reasoning',
    async (model) => {
      const writing = writings.find(({ models }) => models[0] === model)
      // In reasoning a call without any marker is a thought like others.
      const isBare = writing?.kind === 'text' && writing.isBare === true
      const places = isBare ? (['text'] as const) : (['text', 'reasoning'] as const)
      const answers = await Promise.all(
        places.flatMap((place) =>
          deliveries.map(async (delivery) => {
            const name = `${model}+char+${place === 'text' ? 'content' : 'reasoning'}`
            const raw = await weather(dialect, name, delivery)
            expect(raw).toMatchObject({
              calls: [],
              finish: 'stop',
              [place]: expect.stringContaining('Paris'),
            })
            return weather(dialect, name, delivery, { reads: 'auto' })
          }),
        ),
      )
      for (const { calls, finish, failure } of answers) {
        expect({ finish, failure }).toEqual({ finish: 'tool-calls', failure: null })
        expect(calls).toMatchObject([{ name: 'get_weather', isWhole: true }])
        expect(JSON.parse(calls[0]?.json ?? '')).toEqual({ city: 'Paris' })
      }
    },
  )
})

describe.each(everywhere)('in %s, %s, the simulator', (dialect, delivery) => {
  it('calls in fields of their own where its server reads the calls', async () => {
    const said = await weather(dialect, 'kimi-k2+structured', delivery)
    expect(said).toMatchObject({ finish: 'tool-calls', failure: null, calls: [{ name: 'get_weather' }] })
    expect(JSON.parse(said.calls[0]?.json ?? '')).toEqual({ city: 'Paris' })
    expect(said.usage).toMatchObject({ inputTokens: expect.any(Number), outputTokens: expect.any(Number) })
  })

  it('calls two tools at once', async () => {
    const { calls } = await weather(dialect, 'standard+parallel', delivery)
    expect(calls.map(({ name }) => name)).toEqual(['get_weather', 'get_weather'])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
  })

  it('thinks apart, or between the marks of its model', async () => {
    const apart = await weather(dialect, 'qwen3+structured+think', delivery)
    expect(apart.reasoning).toContain('simulated thought')
    expect(apart.text).not.toContain('simulated thought')
    const inline = await weather(dialect, 'qwen3+inline-think', delivery)
    expect(inline).toMatchObject({ reasoning: '', text: expect.stringMatching(/^<think>\n/) })
  })

  it('knows only the tools in its prompt where it takes none in fields', async () => {
    const refused = await ask(dialect, base, weatherIn('standard+no-tools'))
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('does not support tools')
  })

  it('ends inside a call that is too long, and says so', async () => {
    const said = await weather(dialect, 'standard+length', delivery)
    expect(said).toMatchObject({ finish: 'length', failure: null })
    expect(said.calls.filter(({ isWhole }) => isWhole)).toEqual([])
  })

  it('stops where the request says that it must', async () => {
    const { finish, usage } = await weather(dialect, 'kimi-k2', delivery, { more: { maxTokens: 6 } })
    expect(finish).toBe('length')
    expect(usage?.outputTokens).toBe(6)
  })

  it('fails in the middle, in the words of the dialect', async () => {
    const { failure, finish } = await weather(dialect, 'kimi-k2+error', delivery)
    expect(failure?.message).toContain('A simulated error.')
    expect(finish).toBeNull()
  })

  it('breaks off', async () => {
    const response = await ask(dialect, base, weatherIn('kimi-k2+cut', { stream: delivery === 'stream' }))
    await expect(response.text()).rejects.toThrow()
  })

  it('falls silent, until its client leaves', async () => {
    const leaving = new AbortController()
    const request = weatherIn('kimi-k2+stall', { stream: delivery === 'stream' })
    const response = await ask(dialect, base, request, { signal: leaving.signal })
    const first = await response.body?.getReader().read()
    expect(first?.done).toBe(false)
    leaving.abort()
    await expect.poll(() => simulator.openRequests).toBe(0)
  })

  it('says nothing of why it ended', async () => {
    const request = weatherIn('standard+no-finish', { stream: delivery === 'stream' })
    const body = await (await ask(dialect, base, request)).text()
    expect(body).toContain('get_weather')
    expect(body).not.toMatch(/"(?:finish_reason|stop_reason|finishReason)":"|response\.completed/)
  })

  it.each([429, 500, 503])('refuses with status %i', async (status) => {
    const response = await ask(dialect, base, weatherIn(`kimi-k2+${status}`))
    expect(response.status).toBe(status)
    expect(await response.text()).toContain(`A simulated HTTP ${status}.`)
  })

  it.each([
    ['choice-refused', { toolChoice: { type: 'required' } }, 'tool_choice'],
    ['results-refused', { contents: withResult() }, 'Unexpected role'],
    ['images-refused', { contents: withImage() }, 'image input'],
    ['hidden-window', { maxTokens: 100_000 }, 'maximum context length'],
  ] as const)('has the quirk %s', async (quirk, more, says) => {
    const response = await ask(dialect, base, weatherIn(`standard+${quirk}`, more))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(says)
    expect((await ask(dialect, base, weatherIn(`standard+${quirk}`))).status).toBe(200)
  })

  it('has the quirks that change what is said', async () => {
    expect(await weather(dialect, 'standard+lost-calls', delivery)).toMatchObject({ calls: [], text: '' })
    const first = await weather(dialect, 'standard+parallel+first-call', delivery)
    expect(first.calls).toHaveLength(1)
    const ignored = { toolChoice: { type: 'required' } } as const
    expect(await weather(dialect, 'standard+choice-ignored', delivery, { more: ignored })).toMatchObject({
      calls: [],
      finish: 'stop',
    })
    const open = await weather(dialect, 'qwen3+open-reasoning', delivery)
    expect(open.text).toContain('</think>')
  })

  it('refuses every wish about thinking where it has that quirk', async () => {
    const request = weatherIn('standard+effort-refused')
    expect((await ask(dialect, base, request, {}, wishes[dialect])).status).toBe(400)
  })
})

const wishes: Readonly<Record<DialectId, object>> = {
  'openai-chat': { reasoning_effort: 'low' },
  'anthropic-messages': { thinking: { type: 'enabled', budget_tokens: 1024 } },
  'openai-responses': { reasoning: { effort: 'low' } },
  gemini: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
}

/** A result in the history without its call. */
const orphans: Readonly<Record<DialectId, object>> = {
  'openai-chat': { messages: [{ role: 'tool', tool_call_id: 'x', content: '18' }] },
  'anthropic-messages': {
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: '18' }] }],
  },
  'openai-responses': { input: [{ type: 'function_call_output', call_id: 'x', output: '18' }] },
  gemini: {
    contents: [{ role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: {} } }] }],
  },
}

describe('a wrong history', () => {
  it.each(dialectIds)('is refused by a strict server of %s', async (dialect) => {
    const response = await ask(dialect, base, weatherIn('standard+strict'), {}, orphans[dialect])
    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(/history problem|number of function response parts/)
  })
})

describe.each(dialectIds)('streams of %s', (dialect) => {
  const streamed = async (model: string): Promise<Response> => ask(dialect, base, weatherIn(model))

  it('can hold comments, and a line that is no JSON', async () => {
    expect(await (await streamed('kimi-k2+comments')).text()).toContain(': simulated keep-alive')
    const garbage = await (await streamed('kimi-k2+garbage')).text()
    expect(garbage).toContain('data: {"simulated garbage\n')
  })

  it('can come as plain JSON, or all at once', async () => {
    const json = await streamed('standard+json')
    expect(json.headers.get('content-type')).toBe('application/json')
    expect(understood(dialect, 'whole', await json.text())).toMatchObject({ finish: 'tool-calls' })
    const response = await streamed('standard+one-piece')
    const pieces: Uint8Array[] = []
    for await (const piece of response.body ?? []) pieces.push(piece)
    expect(pieces).toHaveLength(1)
  })

  it('can leave the usage out', async () => {
    const body = await (await streamed('standard+no-usage')).text()
    expect(body).not.toMatch(/"(?:output_tokens|completion_tokens|totalTokenCount)"/)
  })

  it('are slow where they are told to', async () => {
    await playing({ pace: 20 }, async (address) => {
      const began = performance.now()
      await (await ask(dialect, address, weatherIn('standard'))).text()
      expect(performance.now() - began).toBeGreaterThan(100)
    })
  })
})

describe('what a server of each dialect tells beside its answers', () => {
  const counting = dialectIds.flatMap((id) =>
    dialects[id].http.routes.flatMap((route) => (route.serves === 'token-count' ? [{ id, route }] : [])),
  )

  it.each(counting)('$id counts tokens at $route.path', async ({ id, route }) => {
    const { body } = dialects[id].request.encode(weatherIn('standard'), {
      model: 'standard',
      format: 'standard',
    })
    const path = route.path.replaceAll(/\{\w+\}/g, 'standard')
    const response = await fetch(base.replace(/\/v1$/, path), { method: 'POST', body: JSON.stringify(body) })
    expect(response.status).toBe(200)
    expect(route.read(await response.json())).toBeGreaterThan(10)
  })

  it.each(dialectIds)('%s lists models', async (id) => {
    const { http } = dialects[id]
    const { modelsPath = '/v1/models' } = http
    const response = await fetch(base.replace(/\/v1$/, modelsPath), { headers: http.headers('key') })
    expect(response.status).toBe(200)
    expect(JSON.stringify(await response.json())).toContain('kimi-k2')
  })
})

type Contents = NonNullable<NonNullable<Asked['more']>['contents']>

function withResult(): Contents {
  const called = {
    type: 'tool_call',
    id: 'toolu_1',
    name: 'get_weather',
    parameters: { city: 'Paris' },
  } as const
  const told = { type: 'tool_response', callId: 'toolu_1', toolName: 'get_weather', result: '18 °C' } as const
  return [
    { speaker: 'human', blocks: [{ type: 'text', text: 'What is the weather in Paris?' }] },
    { speaker: 'ai', blocks: [called] },
    { speaker: 'tool', blocks: [told] },
  ]
}

function withImage(): Contents {
  const image = { type: 'media', mimeType: 'image/png', data: 'aGVsbG8=', encoding: 'base64' } as const
  return [{ speaker: 'human', blocks: [{ type: 'text', text: 'Look.' }, image] }]
}
