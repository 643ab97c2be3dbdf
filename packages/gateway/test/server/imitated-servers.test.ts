import { afterEach, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/simulator/server.ts'
import type { SimulatorSettings } from '../../src/simulator/settings.ts'
import { ask, at, type ClientDialect, clientDialects, post } from './ask.ts'
import { type GatewaySetup, type RunningGateway, startGateway, stopGateways } from './running-gateway.ts'
import { until } from './scripted-upstream.ts'

const simulators: Simulator[] = []

afterEach(async () => {
  await stopGateways()
  await Promise.all(simulators.splice(0).map((simulator) => simulator.close()))
})

interface Place extends RunningGateway {
  readonly simulator: Simulator
  /** The bodies of the requests for answers that reached the server. */
  readonly asked: () => readonly unknown[]
}

/** A gateway in front of a server that is imitated. */
async function inFrontOf(
  settings: SimulatorSettings,
  setup: Omit<GatewaySetup, 'upstream'> = {},
): Promise<Place> {
  const simulator = createSimulator({ format: 'qwen', ...settings })
  simulators.push(simulator)
  const upstream = await simulator.listen()
  const gateway = await startGateway({ upstream, kind: 'auto', ...setup })
  return { ...gateway, simulator, asked: () => simulator.requests.map(({ body }) => body) }
}

/** Asks the upstream what it is, and waits for it. */
async function windowAt({ address }: RunningGateway, model = 'qwen3-coder'): Promise<unknown> {
  const response = await fetch(`${address}/v1/models/${model}`)
  return at(await response.json(), 'context_length')
}

const qwen = { model: 'qwen3-coder' }
const long = { messages: [{ role: 'user', content: 'Paris '.repeat(12_000) }] }

describe('a server that tells its window', () => {
  it.each([
    'vllm-0.9',
    'vllm-0.12',
    'vllm-0.17',
    'vllm-0.21',
    'vllm-0.27',
    'sglang',
    'llama.cpp',
    'lm-studio',
    'tgi',
  ])('is asked for it: %s', async (server) => {
    const place = await inFrontOf({ server, window: 40_000 })
    expect(await windowAt(place, 'standard')).toBe(40_000)
  })

  it('is asked again after it could not be reached: it may just have loaded its model', async () => {
    const place = await inFrontOf({ server: 'llama.cpp', window: 8000, loading: 1 })
    const names = async (): Promise<unknown> =>
      at(await (await fetch(`${place.address}/v1/models`)).json(), 'data')
    expect(await names()).toEqual([])
    expect(await names()).not.toEqual([])
  })

  it('is never asked for an answer that is too long for it', async () => {
    const place = await inFrontOf({ server: 'vllm-0.27', window: 9000 })
    await windowAt(place)
    const answer = await ask(place.address, 'anthropic', { ...qwen, max_tokens: 32_000 })
    expect(answer).toMatchObject({ status: 200, hasCall: true })
    expect(place.asked()).toHaveLength(1)
    expect(Number(at(place.asked()[0], 'max_tokens'))).toBeLessThan(9000)
    expect(place.requestLine()).toMatchObject({ changed: expect.arrayContaining(['changed max_tokens']) })
  })

  it('keeps a limit that fits: it is lowered, and never raised', async () => {
    const place = await inFrontOf({ server: 'vllm-0.27', window: 9000 })
    await windowAt(place)
    await ask(place.address, 'anthropic', { ...qwen, max_tokens: 500 })
    expect(at(place.asked()[0], 'max_tokens')).toBe(500)
  })

  it('obeys the configuration where that knows better', async () => {
    const models = [{ match: '*', upstream: 'lab', window: 5000, maxTokens: 700 }]
    const simulator = createSimulator({ server: 'vllm-0.27', window: 40_000 })
    simulators.push(simulator)
    const upstream = await simulator.listen()
    const { address } = await startGateway({ upstream, kind: 'auto', settings: { models } })
    const model = await (await fetch(`${address}/v1/models/qwen3-coder`)).json()
    expect(model).toMatchObject({ context_length: 5000, max_output_tokens: 700 })
    await ask(address, 'anthropic', { ...qwen, max_tokens: 32_000 })
    expect(at(simulator.requests[0]?.body, 'max_tokens')).toBe(700)
  })

  it('counts the tokens of a request itself, where it can', async () => {
    const place = await inFrontOf({ server: 'vllm-0.27', window: 40_000 })
    await windowAt(place)
    const body = { ...qwen, messages: [{ role: 'user', content: 'x'.repeat(40_000) }] }
    const counted = await (await post(place.address, '/v1/messages/count_tokens', body)).json()
    // A token is four characters there. The estimate of the gateway would be another number.
    expect(at(counted, 'input_tokens')).toBeGreaterThan(10_000)
    expect(at(counted, 'input_tokens')).toBeLessThan(10_100)
  })
})

/** They refuse a request whose prompt and answer do not fit together, each in its own words. */
const strictServers = [
  'vllm-0.9',
  'vllm-0.12',
  'vllm-0.17',
  'vllm-0.21',
  'vllm-0.27',
  'sglang',
  'tgi',
  'openrouter',
]

describe('a server whose window is not known', () => {
  it.each(strictServers.flatMap((server) => clientDialects.map((dialect) => [server, dialect] as const)))(
    'is asked once more for less: %s, for a client of %s',
    async (server, dialect) => {
      const place = await inFrontOf({ server, window: 9000 }, { kind: 'other' })
      const first = await ask(place.address, dialect, { ...qwen, max_tokens: 32_000 })
      expect(first).toMatchObject({ status: 200, hasCall: true })
      expect(place.asked()).toHaveLength(2)
      expect(place.requestLine()).toMatchObject({ again: [expect.stringContaining('asked again')] })
      // What the refusal told is remembered.
      const second = await ask(place.address, dialect, { ...qwen, max_tokens: 32_000, stream: false })
      expect(second).toMatchObject({ status: 200, hasCall: true })
      expect(place.asked()).toHaveLength(3)
    },
  )

  const refusing = [
    ...strictServers,
    'llama.cpp',
    'lm-studio',
    'lm-studio-0.3',
    'ollama-no-shift',
    'moonshot',
  ]

  it.each(
    refusing.flatMap((server) =>
      clientDialects.flatMap((dialect) => [true, false].map((stream) => [server, dialect, stream] as const)),
    ),
  )('says that a prompt is too long as the client understands it: %s, %s, stream: %s', async (...given) => {
    const [server, dialect, stream] = given
    const place = await inFrontOf({ server, window: 9000 }, { kind: 'other' })
    const answer = await ask(place.address, dialect, { ...qwen, ...long, max_tokens: 2000, stream })
    expect(answer.status).toBe(400)
    const message = answer.error?.message ?? ''
    if (dialect === 'openai') {
      expect(answer.error?.code).toBe('context_length_exceeded')
      expect(message).toMatch(/maximum context length|context length/)
      return
    }
    expect(message).toContain('prompt is too long')
    const [, asked, most] = /(\d+) tokens > (\d+) maximum/.exec(message) ?? []
    if (most !== undefined) expect(Number(asked)).toBeGreaterThan(Number(most))
  })
})

describe('a server that leaves out the beginning of a conversation in silence', () => {
  it('is not asked where its window is known: the client is told to make the conversation shorter', async () => {
    const place = await inFrontOf({ server: 'lm-studio-rolling', window: 4000 }, { kind: 'lm-studio' })
    expect(await windowAt(place)).toBe(4000)
    const answer = await ask(place.address, 'anthropic', { ...qwen, ...long })
    expect(answer).toMatchObject({ status: 400 })
    expect(answer.error?.message).toMatch(/prompt is too long: \d+ tokens > 4000 maximum/)
    expect(place.asked()).toHaveLength(0)
  })

  it('is noticed by its usage where it is not', async () => {
    const place = await inFrontOf(
      { server: 'ollama', window: 4000, abilities: ['tools'] },
      { kind: 'ollama' },
    )
    const answer = await ask(place.address, 'openai', { ...qwen, ...long, stream: false })
    expect(answer.status).toBe(200)
    await until(() => place.lines.some(({ msg }) => msg.includes('left out the beginning')))
    expect(place.lines.find(({ msg }) => msg.includes('left out the beginning'))?.level).toBe('warn')
  })
})

describe('thinking', () => {
  const claudeCode = {
    ...qwen,
    model: 'llama3.1',
    thinking: { type: 'adaptive' },
    output_config: { effort: 'high' },
  }

  it.each(['auto', 'other'])('is not asked of a model that cannot, of an Ollama that is %s', async (kind) => {
    const place = await inFrontOf({ server: 'ollama', abilities: ['tools'] }, { kind })
    await windowAt(place, 'llama3.1')
    const answer = await ask(place.address, 'anthropic', claudeCode)
    expect(answer).toMatchObject({ status: 200, hasCall: true })
    expect(place.asked()).toHaveLength(1)
    expect(place.asked()[0]).not.toHaveProperty('reasoning_effort')
  })

  it('that a server refuses is left out, and it is remembered', async () => {
    const place = await inFrontOf({ server: 'ollama', abilities: ['tools'] }, { kind: 'other' })
    const effort = { model: 'llama3.1', reasoning_effort: 'high' }
    expect(await ask(place.address, 'openai', effort)).toMatchObject({ status: 200, hasCall: true })
    expect(place.asked()).toHaveLength(2)
    expect(place.requestLine()).toMatchObject({ again: [expect.stringContaining('reasoning_effort')] })
    await ask(place.address, 'openai', effort)
    expect(place.asked()).toHaveLength(3)
  })

  it('is what the configuration says, whatever the client asks for', async () => {
    const models = [{ match: '*', upstream: 'lab', thinking: 'off' }]
    const place = await inFrontOf({ server: 'vllm-0.27' }, { kind: 'vllm', settings: {} })
    await stopGateways()
    const upstream = place.simulator.address ?? ''
    const settings = { upstreams: { lab: { url: upstream, kind: 'vllm' } }, models }
    const { address } = await startGateway({ upstream, settings })
    await ask(address, 'anthropic', {
      model: 'qwen3-32b',
      thinking: { type: 'enabled', budget_tokens: 4000 },
    })
    expect(place.asked().at(-1)).toMatchObject({ chat_template_kwargs: { enable_thinking: false } })
  })
})

describe('a server that cannot read the calls of its model', () => {
  const broken: readonly (readonly [string, SimulatorSettings, string])[] = [
    ['llama.cpp, with the call in its error', { server: 'llama.cpp', parser: 'broken' }, 'auto'],
    ['Ollama, with the call in its error', { server: 'ollama', parser: 'broken' }, 'auto'],
    ['Groq, with the call in its error', { server: 'groq', parser: 'broken' }, 'groq'],
    ['vLLM without a parser', { server: 'vllm-0.21', parser: 'none' }, 'auto'],
    ['vLLM without a parser, in a new version', { server: 'vllm-0.27', parser: 'none' }, 'auto'],
    ['Ollama with a model without tools', { server: 'ollama', abilities: [] }, 'auto'],
  ]

  it.each(
    broken.flatMap(([name, settings, kind]) =>
      clientDialects.flatMap((dialect: ClientDialect) =>
        [true, false].map((stream) => [name, dialect, stream, settings, kind] as const),
      ),
    ),
  )('is helped: %s, for a client of %s, stream: %s', async (_name, dialect, stream, settings, kind) => {
    const place = await inFrontOf(settings, { kind })
    await windowAt(place)
    expect(await ask(place.address, dialect, { ...qwen, stream })).toMatchObject({
      status: 200,
      hasCall: true,
    })
  })

  it.each(clientDialects)(
    'is asked again for a client of %s, where nothing was said of the call',
    async (dialect) => {
      const place = await inFrontOf({ server: 'llama.cpp', parser: 'broken-mute' })
      await windowAt(place)
      expect(await ask(place.address, dialect, { ...qwen, stream: false })).toMatchObject({ hasCall: true })
      expect(place.requestLine()).toMatchObject({
        again: [expect.stringContaining('leave the calls in the text')],
      })
    },
  )

  it.each(clientDialects)(
    'fails for a client of %s that has heard the beginning, and the next try succeeds',
    async (dialect) => {
      const place = await inFrontOf({ server: 'llama.cpp', parser: 'broken-mute' })
      await windowAt(place)
      const first = await ask(place.address, dialect, qwen)
      expect(first.isMarkedDone).toBe(false)
      expect(first.error?.message).toContain('does not match')
      expect(await ask(place.address, dialect, qwen)).toMatchObject({ hasCall: true, isMarkedDone: true })
    },
  )

  it('breaks off, and the call in its error goes out as a part of the same answer', async () => {
    const place = await inFrontOf({ server: 'llama.cpp', parser: 'broken' })
    const { body } = await ask(place.address, 'openai', qwen)
    const chunks = body.split('\n\n').filter((event) => event.startsWith('data: {'))
    const ids = chunks.map((event) => at(JSON.parse(event.slice('data: '.length)), 'id'))
    expect(new Set(ids).size).toBe(1)
    expect(ids[0]).toMatch(/^\w+/)
  })

  it('is left alone where the configuration says that the server reads them', async () => {
    const place = await inFrontOf({ server: 'vllm-0.21', parser: 'none' })
    const url = place.simulator.address ?? ''
    const settings = { upstreams: { lab: { url, kind: 'vllm', parse: 'server' } } }
    const { address } = await startGateway({ upstream: url, settings })
    const answer = await ask(address, 'openai', { ...qwen, stream: false })
    expect(answer.status).toBe(400)
    expect(answer.error?.message).toContain('--enable-auto-tool-choice')
  })

  it('is kept from reading them where the configuration says that we do', async () => {
    const place = await inFrontOf({ server: 'vllm-0.21' })
    const url = place.simulator.address ?? ''
    const settings = { upstreams: { lab: { url, kind: 'vllm', parse: 'ours' } } }
    const gateway = await startGateway({ upstream: url, settings })
    await windowAt(gateway)
    expect(await ask(gateway.address, 'anthropic', qwen)).toMatchObject({ status: 200, hasCall: true })
    expect(place.asked().at(-1)).toMatchObject({ tool_choice: 'none', skip_special_tokens: false })
    expect(gateway.requestLine()).toMatchObject({ formatFrom: 'answer' })
  })
})

describe('a tool that the client names', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } } }
  const tools = ['get_weather', 'get_time'].map((name) => ({ name, input_schema: schema }))

  it.each([
    ['vLLM without a parser', { server: 'vllm-0.27', parser: 'none' }],
    ['Ollama with a model without tools', { server: 'ollama', abilities: [] }],
    ['Ollama', { server: 'ollama' }],
    ['llama.cpp', { server: 'llama.cpp' }],
  ] as const)('is the one that is called, though %s forces nothing', async (_server, settings) => {
    const place = await inFrontOf(settings)
    await windowAt(place)
    const choice = { type: 'tool', name: 'get_time' }
    const answer = await ask(place.address, 'anthropic', {
      ...qwen,
      tools,
      tool_choice: choice,
      stream: false,
    })
    const called = Object(at(answer.last, 'content')).filter(
      (block: unknown) => at(block, 'type') === 'tool_use',
    )
    expect(called.map((block: unknown) => at(block, 'name'))).toEqual(['get_time'])
  })
})

describe('the key of a conversation', () => {
  it('goes to a server that people run, and stays the same through the conversation', async () => {
    const place = await inFrontOf({ server: 'vllm-0.27' })
    await windowAt(place)
    const turns = [
      { role: 'user', content: 'What is the weather in Paris?' },
      { role: 'assistant', content: 'Nice.' },
      { role: 'user', content: 'And in Rome?' },
    ]
    await ask(place.address, 'openai', { ...qwen, messages: turns.slice(0, 1) })
    await ask(place.address, 'openai', { ...qwen, messages: turns })
    const keys = place.simulator.requests.map(({ headers }) => headers['x-session-id'])
    expect(keys[0]).toMatch(/^[\da-f]{32}$/)
    expect(new Set(keys).size).toBe(1)
    expect(place.simulator.requests[0]?.headers['x-smg-routing-key']).toBe(keys[0])
  })

  it('goes into the field that a router wants, for a client that names its sessions', async () => {
    const place = await inFrontOf({ server: 'openrouter' }, { kind: 'openrouter' })
    await ask(place.address, 'anthropic', qwen)
    expect(place.asked()[0]).not.toHaveProperty('prompt_cache_key')
    await ask(place.address, 'anthropic', qwen, { headers: { 'x-claude-code-session-id': 'a-session' } })
    const key = at(place.asked()[1], 'prompt_cache_key')
    expect(key).toMatch(/^[\da-f]{32}$/)
    expect(key).not.toContain('a-session')
  })
})

/** The second message of a request that reached the server. */
function sent(place: Place, nth = -1): unknown {
  return at(place.asked().at(nth), 'messages', 1)
}

describe('reasoning in the history', () => {
  const call = {
    id: 'functions.get_weather:0',
    type: 'function',
    function: { name: 'get_weather', arguments: '{}' },
  }
  const history = (reasoning: object) => [
    { role: 'user', content: 'What is the weather in Paris?' },
    { role: 'assistant', content: null, tool_calls: [call], ...reasoning },
    { role: 'tool', tool_call_id: call.id, content: 'sunny' },
  ]

  it('is not made up for a model that people run, whatever the vendor of its family demands', async () => {
    const place = await inFrontOf({ server: 'llama.cpp' })
    await windowAt(place)
    await ask(place.address, 'openai', { model: 'kimi-k2-thinking', messages: history({}) })
    expect(sent(place)).not.toHaveProperty('reasoning_content')
  })

  it('stands in for what was lost where an upstream demands it: such a server is asked again', async () => {
    const place = await inFrontOf({ strict: true, format: 'kimi', thinking: 'field' }, { kind: 'llama.cpp' })
    const answer = await ask(place.address, 'openai', { model: 'kimi-k2-thinking', messages: history({}) })
    expect(answer.status).toBe(200)
    expect(place.asked()).toHaveLength(2)
    expect(sent(place, 0)).not.toHaveProperty('reasoning_content')
    expect(at(sent(place), 'reasoning_content')).toBe('The reasoning for this step was not kept.')
  })

  it.each([
    ['vllm-0.12', { reasoning_content: 'Paris it is.' }],
    ['vllm-0.17', { reasoning: 'Paris it is.', reasoning_content: 'Paris it is.' }],
    ['vllm-0.21', { reasoning: 'Paris it is.', reasoning_content: 'Paris it is.' }],
    ['vllm-0.27', { reasoning_content: 'Paris it is.' }],
    ['ollama', { reasoning: 'Paris it is.' }],
  ])('goes to %s in the fields that it reads', async (server, fields) => {
    const place = await inFrontOf({ server })
    await windowAt(place)
    const messages = history({ reasoning_content: 'Paris it is.' })
    await ask(place.address, 'openai', { model: 'qwen3-32b', messages })
    const { reasoning, reasoning_content: content } = Object(sent(place))
    expect(JSON.parse(JSON.stringify({ reasoning, reasoning_content: content }))).toEqual(fields)
    expect(place.simulator.historyProblems).toEqual([])
  })
})
