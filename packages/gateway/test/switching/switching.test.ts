import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { at, clientDialects } from '../server/ask.ts'
import { bothTools, Client } from './client.ts'
import { items, kimiIds, saidIn, toolIdsIn } from './conversation-view.ts'
import { startLab, type Lab } from './lab.ts'

const ways = clientDialects.flatMap((dialect) => [true, false].map((isStream) => ({ dialect, isStream })))

/** What ids of each family look like; Kimi's are compared one by one. */
const legalIds: readonly (readonly [model: RegExp, ids: RegExp])[] = [
  [/^(?:mistral|devstral)/, /^[a-zA-Z0-9]{9}$/],
  [/^claude/, /^toolu_[a-zA-Z0-9_-]{1,58}$/],
  [/./, /^[a-zA-Z0-9_-]{1,64}$/],
]

/** The models of a conversation, a turn of the user for each. */
const sequences: readonly (readonly string[])[] = [
  ['gpt-4o', 'kimi-k2-thinking'],
  ['kimi-k2-thinking', 'gpt-4o'],
  ['kimi-k2-thinking', 'o3-mini', 'gemini-2.5-pro', 'openai/gpt-5', 'kimi-k2-thinking'],
  ['kimi-k2', 'qwen3-coder', 'mistral-large+structured', 'claude-x', 'kimi-k2-thinking'],
  ['kimi-k2-thinking+structured', 'deepseek-v4+think', 'qwen3', 'kimi-k3', 'claude-x', 'deepseek-r1'],
  ['devstral-small', 'kimi-k2-thinking', 'mistral-nemo', 'hermes-4'],
  [
    'kimi-k2+repeat-ids',
    'kimi-k2+structured+repeat-ids',
    'gpt-4o+repeat-ids',
    'claude-x+repeat-ids',
    'kimi-k2',
  ],
]

/** What the last request to the upstream must be like for this model, given what the client sent. */
function expectSent(lab: Lab, model: string, clientMessages: readonly unknown[]): void {
  const body = lab.simulator.requests.at(-1)?.body
  expect(at(body, 'model')).toBe(model)
  const messages = items(at(body, 'messages'))
  // The answer came after the request.
  expect(saidIn(messages)).toEqual(saidIn(clientMessages.slice(0, -1)))
  const ids = toolIdsIn(messages)
  expect(ids.results).toEqual(ids.calls.map(({ id }) => id))
  expect(new Set(ids.results).size).toBe(ids.results.length)
  if (model.startsWith('kimi')) {
    expect(ids.results).toEqual(kimiIds(ids))
  } else {
    const legal = legalIds.find(([name]) => name.test(model))?.[1] ?? /^$/
    expect(ids.results.filter((id) => !legal.test(id))).toEqual([])
  }
}

describe.each(ways)('a conversation of a client of $dialect, stream: $isStream', ({ dialect, isStream }) => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab({ rounds: 2, parallel: 2 })
  })
  afterAll(() => lab.close())
  afterEach(() => expect(lab.simulator.historyProblems).toEqual([]))

  it.each(sequences.map((models) => [models.join(' → '), models] as const))('goes %s', async (_, models) => {
    const client = new Client(lab.gateway.address, dialect, isStream)
    let said = 0
    const turn = async (index: number): Promise<void> => {
      const model = models[index]
      if (model === undefined) return
      expect(await client.run(bothTools, model)).toBe(2)
      expectSent(lab, model, client.messages)
      said += 1
      await turn(index + 1)
    }
    await turn(0)
    expect(said).toBe(models.length)
    // Two rounds of two calls for each turn, all with ids of their own at the client too.
    const { calls } = toolIdsIn(client.messages)
    expect(new Set(calls.map(({ id }) => id)).size).toBe(models.length * 4)
  })

  it.each(sequences.map((models) => [models.join(' → '), models] as const))(
    'goes %s within one turn, each model reading the results of calls that another made',
    async (_, models) => {
      const client = new Client(lab.gateway.address, dialect, isStream)
      client.say(bothTools)
      const turn = async (index: number): Promise<void> => {
        const model = models[index]
        if (model === undefined) return
        const calls = await client.ask(model)
        expectSent(lab, model, client.messages)
        client.answer(calls)
        if (calls.length === 0) client.say(bothTools)
        await turn(index + 1)
      }
      await turn(0)
      expect(toolIdsIn(client.messages).calls.length).toBeGreaterThanOrEqual(4)
    },
  )
})

describe.each(ways)('Kimi for a client of $dialect, stream: $isStream', ({ dialect, isStream }) => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab({ rounds: 5, parallel: 3 })
  })
  afterAll(() => lab.close())

  it.each([
    'kimi-k2',
    'kimi-k2-thinking',
    'kimi-k3',
    'kimi-k2+structured',
    'kimi-k2-thinking+reasoning_content',
  ])('calls three tools at once in five rounds: %s', async (model) => {
    const client = new Client(lab.gateway.address, dialect, isStream)
    expect(await client.run(bothTools, model)).toBe(5)
    expectSent(lab, model, client.messages)
    const ids = toolIdsIn(items(at(lab.simulator.requests.at(-1)?.body, 'messages')))
    expect(ids.results).toHaveLength(15)
    expect(ids.results[14]).toBe(`functions.${ids.calls[14]?.name}:14`)
    expect(lab.simulator.historyProblems).toEqual([])
  })
})

describe('a client that changes its dialect between two turns', () => {
  it('goes on, for the history is the same', async () => {
    const lab = await startLab({ rounds: 1, parallel: 2 })
    const first = new Client(lab.gateway.address, 'openai', true)
    await first.run(bothTools, 'kimi-k2')
    const second = new Client(lab.gateway.address, 'anthropic', true)
    second.messages = first.messages.flatMap((message): Record<string, unknown>[] => {
      const calls = items(at(message, 'tool_calls'))
      if (at(message, 'role') === 'tool') {
        const { tool_call_id: id, content } = message
        return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }]
      }
      if (calls.length === 0) return [message]
      const uses = calls.map((call) => ({
        type: 'tool_use',
        id: at(call, 'id'),
        name: at(call, 'function', 'name'),
        input: JSON.parse(String(at(call, 'function', 'arguments'))),
      }))
      return [{ role: 'assistant', content: uses }]
    })
    await second.run(bothTools, 'kimi-k2')
    expect(lab.simulator.historyProblems).toEqual([])
    const ids = toolIdsIn(items(at(lab.simulator.requests.at(-1)?.body, 'messages')))
    expect(ids.results).toEqual(kimiIds(ids))
    expect(ids.results).toHaveLength(4)
    await lab.close()
  })
})
