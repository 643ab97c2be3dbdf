import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/simulator/server.ts'
import { at, post } from '../server/ask.ts'

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const question = { role: 'user', content: 'What is the weather in Paris?' }
const use = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Paris' } }
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: '18 °C' }

let simulator: Simulator
beforeAll(async () => {
  simulator = createSimulator({ strict: true })
  await simulator.listen()
})
afterAll(() => simulator.close())

function ask(messages: readonly object[], more: object = {}): Promise<Response> {
  return post(simulator.address ?? '', '/messages', {
    model: 'claude-x',
    max_tokens: 1000,
    messages,
    tools: [{ name: 'get_weather', input_schema: schema }],
    ...more,
  })
}

async function refusal(messages: readonly object[], more: object = {}): Promise<unknown> {
  const response = await ask(messages, more)
  expect(response.status).toBe(400)
  return at(await response.json(), 'error', 'message')
}

describe('the simulator in Anthropic’s dialect', () => {
  it('calls a tool, and answers with its result', async () => {
    const called: unknown = await (await ask([question])).json()
    expect(called).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'tool_use' })
    expect(at(called, 'content', 1)).toEqual({ ...use, id: 'toolu_sim_0' })
    const messages = [question, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }]
    const answered: unknown = await (await ask(messages)).json()
    expect(at(answered, 'stop_reason')).toBe('end_turn')
    expect(at(answered, 'content', 0, 'text')).toContain('18 °C')
  })

  it('streams the events of one message', async () => {
    const body = await (await ask([question], { stream: true })).text()
    const names = [...body.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
    expect(names.at(0)).toBe('message_start')
    expect(names.slice(-2)).toEqual(['message_delta', 'message_stop'])
    expect(names.filter((name) => name === 'content_block_start')).toHaveLength(2)
    expect(body).toContain('"stop_reason":"tool_use"')
  })

  it('thinks where it is asked to, and takes back its own thinking alone', async () => {
    const thinking = { thinking: { type: 'enabled', budget_tokens: 1024 } }
    const called: unknown = await (await ask([question], thinking)).json()
    const own = at(called, 'content')
    const thought = at(own, 0)
    expect(thought).toMatchObject({ type: 'thinking', thinking: expect.stringContaining('get_weather') })
    const back = (content: unknown): object[] => [
      question,
      { role: 'assistant', content },
      { role: 'user', content: [{ ...result, tool_use_id: 'toolu_sim_0' }] },
    ]
    expect((await ask(back(own), thinking)).status).toBe(200)
    const changed = [{ ...Object(thought), thinking: 'other' }, at(own, 2)]
    expect(await refusal(back(changed), thinking)).toContain('signature')
  })

  it('refuses what its server refuses', async () => {
    const calling = { role: 'assistant', content: [use] }
    expect(await refusal([question], { max_tokens: undefined })).toContain('max_tokens')
    expect(await refusal([question, question])).toContain('alternate')
    expect(await refusal([{ role: 'assistant', content: 'Hi.' }])).toContain('alternate')
    expect(await refusal([question, calling, question])).toContain('no result for toolu_1')
    expect(await refusal([{ role: 'user', content: [result] }])).toContain('has no call')
    const text = { type: 'text', text: 'so?' }
    expect(await refusal([question, calling, { role: 'user', content: [text, result] }])).toContain('first')
    const illegal = { ...use, id: 'functions.get_weather:0' }
    const answered = { role: 'user', content: [{ ...result, tool_use_id: illegal.id }] }
    expect(await refusal([question, { role: 'assistant', content: [illegal] }, answered])).toContain(
      'letters, digits',
    )
    expect(await refusal([{ role: 'user', content: [{ type: 'text', text: '' }] }])).toContain('non-empty')
  })
})
