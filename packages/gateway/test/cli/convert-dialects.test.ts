import { type DialectId, dialectIds, dialects } from '@dragoman/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/simulator/server.ts'
import { ask, understood, weatherIn } from '../simulator/speaking.ts'
import { dragoman } from './in-process.ts'

const simulator = createSimulator()
let base = ''
beforeAll(async () => {
  base = await simulator.listen()
})
afterAll(() => simulator.close())

const pairings = dialectIds.flatMap((from) => dialectIds.map((to) => [from, to] as const))

async function answerIn(dialect: DialectId, stream: boolean): Promise<string> {
  return (await ask(dialect, base, weatherIn('kimi-k2+think', { stream }))).text()
}

function bodyIn(dialect: DialectId): object {
  return dialects[dialect].request.encode(weatherIn('kimi-k2', { stream: false, temperature: 0.5 }), {
    model: 'kimi-k2',
    format: 'kimi',
  }).body
}

describe.each(pairings)('dragoman convert, from %s to %s', (from, to) => {
  it.each(['stream', 'whole'] as const)('makes the calls of an answer structured: %s', async (delivery) => {
    const input = await answerIn(from, delivery === 'stream')
    const { code, stdout, stderr } = await dragoman(['convert', '--to', to, '--format', 'kimi'], { input })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toContain('tool_call_begin')
    expect(stdout).toContain('kimi-k2+think')
    expect(understood(to, delivery, stdout)).toMatchObject({
      calls: [{ name: 'get_weather', json: expect.stringContaining('Paris') }],
      reasoning: expect.stringContaining('simulated thought'),
      finish: 'tool-calls',
    })
  })

  it('writes a request as the other one is asked', async () => {
    const input = JSON.stringify(bodyIn(from))
    const { code, stdout } = await dragoman(['convert', '--to', to, '--model', 'kimi-k2'], { input })
    expect(code).toBe(0)
    const path = dialects[to].http.upstreamPath('', 'kimi-k2', false)
    const decoded = dialects[to].request.decode(JSON.parse(stdout), { path, query: {} })
    expect(decoded).toMatchObject({
      request: {
        model: 'kimi-k2',
        temperature: 0.5,
        maxTokens: 1000,
        tools: [{ name: 'get_weather' }],
        contents: [{ speaker: 'human', blocks: [{ text: 'What is the weather in Paris?' }] }],
      },
    })
  })
})

describe('dragoman convert', () => {
  it('tells the address where that is the only place that names the model', async () => {
    const input = JSON.stringify(bodyIn('openai-chat'))
    const { stderr } = await dragoman(['convert', '--to', 'gemini'], { input })
    expect(stderr).toBe('The model stands in the address: /models/kimi-k2:generateContent\n')
  })

  it('says what of a request is lost', async () => {
    const input = JSON.stringify({ ...bodyIn('openai-chat'), logit_bias: { 7: 1 } })
    const { code, stderr } = await dragoman(['convert', '--to', 'anthropic-messages'], { input })
    expect(code).toBe(0)
    expect(stderr).toContain('warning: dropped logit_bias')
  })

  it('reads a stream whose events are the elements of a list, as a whole answer', async () => {
    const array = dialects.gemini.http.framing?.({
      path: '/v1beta/models/m:streamGenerateContent',
      query: {},
    })
    const input = `${array?.write(await answerIn('gemini', true))}${array?.end()}`
    expect(JSON.parse(input)).toBeInstanceOf(Array)
    const { code, stdout } = await dragoman(['convert', '--format', 'kimi'], { input })
    expect(code).toBe(0)
    expect(understood('openai-chat', 'whole', stdout).calls).toMatchObject([{ name: 'get_weather' }])
  })

  it('says that a file is missing', async () => {
    const { code, stdout, stderr } = await dragoman(['convert', '/tmp/there/is/no/such/file.sse'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('no such file')
    expect(stderr).not.toContain('node:events')
  })

  it.each([
    ['input', '{"model":"m","input":[]}'],
    ['contents', '{"model":"m","contents":7}'],
    ['messages', '{"model":"m","messages":[{"role":"user"}],"tools":7}'],
  ])('refuses a request that cannot be read, and names the field: %s', async (_field, input) => {
    const { code, stdout, stderr } = await dragoman(['convert'], { input })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('it looks like a request, but ')
  })
})
