import { describe, expect, it } from 'vitest'
import type { Upstream } from '../../src/config/config.ts'
import type { Question, Reply } from '../../src/upstream/ask.ts'
import { KnownUpstream } from '../../src/upstream/known-upstream.ts'

/** A server that answers some paths with JSON, and others not at all. */
function serverWith(answers: Readonly<Record<string, unknown>>, more: Partial<Upstream> = {}) {
  const asked: string[] = []
  let now = 0
  let isUp = true
  const upstream: Upstream = {
    name: 'lab',
    url: 'http://127.0.0.1:8000/v1',
    dialect: 'openai-chat',
    apiKey: null,
    headers: new Map(),
    body: {},
    kind: 'auto',
    parse: 'auto',
    ...more,
  }
  const answer = ({ path }: Question): Reply => {
    asked.push(path)
    if (!isUp) return { is: 'unreached' }
    return path in answers ? { is: 'json', json: answers[path] } : { is: 'no-answer', status: 404 }
  }
  const known = new KnownUpstream(
    upstream,
    (question) => Promise.resolve(answer(question)),
    () => now,
  )
  return {
    known,
    asked,
    wait: (ms: number) => {
      now += ms
    },
    go: (state: 'up' | 'down') => {
      isUp = state === 'up'
    },
  }
}

const vllm = {
  '/v1/models': { data: [{ id: 'qwen', owned_by: 'vllm', max_model_len: 40_000 }] },
  '/version': { version: '0.21.0' },
}
const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

describe('what is known of an upstream', () => {
  it('is nothing before it was asked', () => {
    const { known, asked } = serverWith(vllm)
    expect(known.about('qwen')).toMatchObject({
      server: undefined,
      version: undefined,
      facts: {},
      lesson: {},
    })
    expect(asked).toEqual([])
  })

  it('is what it says of itself', async () => {
    const { known } = serverWith(vllm)
    const { server, version, facts } = await known.settled('qwen')
    expect([server?.id, version, facts]).toEqual(['vllm', '0.21.0', { window: 40_000 }])
  })

  it('holds for another name too, where it has one model only', async () => {
    const { known } = serverWith(vllm)
    expect((await known.settled('claude-sonnet')).facts).toEqual({ window: 40_000 })
  })

  it('is asked for once, however many want to know', async () => {
    const { known, asked } = serverWith(vllm)
    await Promise.all([known.settled('qwen'), known.settled('qwen'), known.models()])
    known.refresh('qwen')
    await quiet()
    expect(asked).toEqual(['/v1/models', '/version'])
  })

  it('is asked for again when it is old', async () => {
    const { known, asked, wait } = serverWith(vllm)
    await known.settled('qwen')
    wait(601_000)
    known.refresh('qwen')
    await quiet()
    expect(asked.filter((path) => path === '/v1/models')).toHaveLength(2)
  })

  it('is not forgotten when the server cannot be reached any more', async () => {
    const { known, wait, go } = serverWith(vllm)
    await known.settled('qwen')
    go('down')
    wait(601_000)
    expect((await known.settled('qwen')).facts).toEqual({ window: 40_000 })
  })

  it('is asked for at once by whoever waits for it, and seldom in the background, while nobody answers', async () => {
    const { known, asked, go, wait } = serverWith(vllm)
    go('down')
    await known.settled('qwen')
    known.refresh('qwen')
    await quiet()
    expect(asked).toHaveLength(1)
    wait(2500)
    known.refresh('qwen')
    await quiet()
    expect(asked).toHaveLength(2)
    go('up')
    expect((await known.settled('qwen')).facts).toEqual({ window: 40_000 })
  })

  it('is looked for at the paths of every server, where the list does not tell which it is', async () => {
    const { known, asked } = serverWith({
      '/v1/models': { data: [{ id: 'any' }] },
      '/info': { model_id: 'any', max_total_tokens: 4096, max_input_tokens: 3000 },
    })
    expect(await known.settled('any')).toMatchObject({ server: { id: 'tgi' }, facts: { window: 4096 } })
    expect(asked).toContain('/props')
  })

  it('is looked for below the address of the upstream: the rest of a host may be another server', async () => {
    const list = { data: [{ id: 'any' }] }
    const { known, asked } = serverWith(
      { '/tenant/v1/models': list, '/tenant/info': { model_id: 'any', max_total_tokens: 4096 } },
      { url: 'https://host.example/tenant/v1' },
    )
    expect(await known.settled('any')).toMatchObject({ server: { id: 'tgi' } })
    expect(asked.every((path) => path.startsWith('/tenant/'))).toBe(true)
  })

  it('is not guessed from an answer that other servers give too', async () => {
    const { known } = serverWith({
      '/v1/models': { data: [{ id: 'any' }] },
      '/version': { version: 'v2.20.1' },
    })
    expect((await known.settled('any')).server).toBeUndefined()
  })

  it('stays what it was where the server does not answer in time', async () => {
    const answers: Record<string, unknown> = {
      '/v1/models': { data: [{ id: 'any' }] },
      '/props': { default_generation_settings: { n_ctx: 4096 } },
    }
    const { known, wait } = serverWith(answers)
    expect((await known.settled('any')).server?.id).toBe('llama.cpp')
    delete answers['/props']
    wait(601_000)
    expect((await known.settled('any')).server?.id).toBe('llama.cpp')
  })

  it('holds for a name that means the same model there', async () => {
    const { known } = serverWith({
      '/v1/models': { data: [{ id: 'qwen3:latest', owned_by: 'library' }, { id: 'other' }] },
      '/api/ps': { models: [{ name: 'qwen3:latest', context_length: 4096 }] },
    })
    expect((await known.settled('qwen3')).facts).toMatchObject({ window: 4096 })
  })

  it('is looked for nowhere else, where the upstream lists no models', async () => {
    const { known, asked } = serverWith({})
    expect((await known.settled('any')).server).toBeUndefined()
    expect(asked).toEqual(['/v1/models'])
  })

  it('of a model is asked for by its name, where the server tells it so', async () => {
    const { known } = serverWith({
      '/v1/models': { data: [{ id: 'llama3.1', owned_by: 'library' }] },
      '/api/version': { version: '0.33.0' },
      '/api/ps': { models: [{ name: 'llama3.1', context_length: 4096 }] },
      '/api/show': { capabilities: ['completion', 'tools'], model_info: { 'llama.context_length': 131_072 } },
    })
    expect((await known.settled('llama3.1')).facts).toEqual({
      window: 4096,
      tools: true,
      thinking: false,
      images: false,
      trainedWindow: 131_072,
    })
  })

  it('is what the configuration says, without a question which server it is', async () => {
    const { known, asked } = serverWith({ '/v1/models': { data: [] } }, { kind: 'sglang' })
    expect((await known.settled('any')).server?.id).toBe('sglang')
    expect(asked).toEqual(['/v1/models', '/model_info'])
  })

  it('is asked for never, where the configuration says that it is another server', async () => {
    const { known, asked } = serverWith(vllm, { kind: 'other' })
    known.refresh('qwen')
    await known.settled('qwen')
    expect(asked).toEqual([])
  })

  it('is known by the address of a vendor', () => {
    const { known } = serverWith({}, { url: 'https://api.z.ai/api/paas/v4' })
    expect(known.about('glm-5.1')).toMatchObject({ server: { id: 'zai' }, facts: { window: 202_752 } })
  })
})

describe('what a refusal taught', () => {
  it('counts over what the server says of itself, for this model, until it is old', async () => {
    const { known, wait } = serverWith(vllm)
    await known.settled('qwen')
    known.learn('qwen', { window: 32_000 })
    known.learn('qwen', { refusedFields: ['reasoning_effort'] })
    expect(known.about('qwen')).toMatchObject({
      facts: { window: 32_000 },
      lesson: { window: 32_000, refusedFields: ['reasoning_effort'] },
    })
    expect(known.about('other').facts).toEqual({ window: 40_000 })
    wait(601_000)
    expect(known.about('qwen')).toMatchObject({ facts: { window: 40_000 }, lesson: {} })
  })

  it('from the bad luck of one answer is kept for as long as its client tries again', async () => {
    const { known, wait } = serverWith(vllm)
    known.learn('qwen', { calls: 'in text' }, 'briefly')
    known.learn('qwen', { refusedFields: ['reasoning'] })
    expect(known.about('qwen').lesson).toEqual({ calls: 'in text', refusedFields: ['reasoning'] })
    wait(61_000)
    expect(known.about('qwen').lesson).toEqual({ refusedFields: ['reasoning'] })
  })

  it('adds up: what two requests were refused is left out of both', () => {
    const { known } = serverWith(vllm)
    known.learn('qwen', { refusedFields: ['reasoning'] })
    known.learn('qwen', { refusedFields: ['thinking'] })
    expect(known.about('qwen').lesson.refusedFields).toEqual(['reasoning', 'thinking'])
  })

  it('is kept for a bounded number of names, as clients invent them', () => {
    const { known } = serverWith(vllm)
    for (let at = 0; at < 300; at++) known.learn(`model-${at}`, { window: at + 1 })
    expect(known.about('model-0').facts).toEqual({})
    expect(known.about('model-299').facts).toEqual({ window: 300 })
  })
})

describe('how far an estimate was off', () => {
  it('is learned from what the upstream counts, and followed slowly', () => {
    const { known } = serverWith(vllm)
    expect(known.about('qwen').scale).toBeUndefined()
    known.measure('qwen', () => 10_000, 8000)
    expect(known.about('qwen').scale).toBeCloseTo(0.8)
    known.measure('qwen', () => 10_000, 6000)
    expect(known.about('qwen').scale).toBeCloseTo(0.7)
  })

  it.each([
    ['a short prompt', 100, 90],
    ['a count of something else', 10_000, 12],
    ['a count of far too many', 10_000, 90_000],
  ])('is not learned from %s', (_what, estimated, counted) => {
    const { known } = serverWith(vllm)
    known.measure('qwen', () => estimated, counted)
    expect(known.about('qwen').scale).toBeUndefined()
  })
})
