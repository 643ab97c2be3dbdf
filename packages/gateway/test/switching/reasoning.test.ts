import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, clientDialects } from '../server/ask.ts'
import { bothTools, Client } from './client.ts'
import { items, toolIdsIn } from './conversation-view.ts'
import { startLab, type Lab } from './lab.ts'

const filler = 'The reasoning for this step was not kept.'
const thought = 'A simulated thought: I need get_weather and get_time for this.'
const ways = clientDialects.flatMap((dialect) => [true, false].map((isStream) => ({ dialect, isStream })))

let lab: Lab
beforeAll(async () => {
  lab = await startLab({ rounds: 1, parallel: 2 })
})
afterAll(() => lab.close())

function sentMessages(): unknown[] {
  return items(at(lab.simulator.requests.at(-1)?.body, 'messages'))
}

/** The reasoning that each message of the model with calls carried, in the field of the chat dialect. */
function sentReasoning(field = 'reasoning_content'): unknown[] {
  return sentMessages()
    .filter((message) => at(message, 'tool_calls') !== undefined)
    .map((message) => at(message, field))
}

function sentThinking(): unknown[] {
  return sentMessages().flatMap((message) =>
    items(at(message, 'content')).filter((block) => at(block, 'type') === 'thinking'),
  )
}

describe.each(ways)('reasoning for a client of $dialect, stream: $isStream', ({ dialect, isStream }) => {
  function newClient(more: object = {}): Client {
    return new Client(lab.gateway.address, dialect, isStream, more)
  }

  it.each([
    'kimi-k2-thinking',
    'deepseek-v4+think',
    'kimi-k2-thinking+inline-think',
    'kimi-k2-thinking+structured',
  ])('goes back to %s on every message with calls, as it was', async (model) => {
    const client = newClient()
    await client.run(bothTools, model)
    await client.run(bothTools, model)
    expect(sentReasoning()).toEqual([thought, thought])
  })

  it('goes back in the field it came in, and in the one that is demanded', async () => {
    const client = newClient()
    await client.run(bothTools, 'kimi-k2-thinking+structured+reasoning')
    expect(sentReasoning('reasoning')).toEqual([thought])
    expect(sentReasoning()).toEqual([thought])
  })

  it('of Kimi is not for another family, but its calls are', async () => {
    const client = newClient()
    await client.run(bothTools, 'kimi-k2-thinking')
    await client.run(bothTools, 'qwen3-coder')
    expect(JSON.stringify(sentMessages())).not.toContain('A simulated thought')
    expect(sentReasoning()).toEqual([undefined, undefined])
  })

  it.each(['gpt-4o', 'openai/o3', 'google/gemini-2.5-pro', 'x-ai/grok-4'])(
    'of Kimi is not for %s, whose name says that it is nobody’s',
    async (model) => {
      const client = newClient()
      await client.run(bothTools, 'kimi-k2-thinking')
      await client.run(bothTools, model)
      expect(JSON.stringify(sentMessages())).not.toContain('A simulated thought')
      expect(sentReasoning()).toEqual([undefined, undefined])
      expect(toolIdsIn(sentMessages()).results.filter((id) => id.startsWith('functions.'))).toEqual([])
    },
  )

  it('of Kimi is taken for that of a model whose name says nothing', async () => {
    const client = newClient()
    await client.run(bothTools, 'kimi-k2-thinking')
    client.say(bothTools)
    await client.ask('my-model')
    expect(sentReasoning()).toEqual([thought])
    expect(toolIdsIn(sentMessages()).results[0]).toBe('functions.get_weather:0')
  })

  it('that a client lost is filled in for those who demand it', async () => {
    const client = newClient()
    await client.run(bothTools, 'gpt-4o')
    await client.run(bothTools, 'kimi-k2-thinking')
    expect(sentReasoning()).toEqual([filler, thought])
    await client.run(bothTools, 'deepseek-v4+think')
    expect(sentReasoning()[0]).toBe(filler)
    expect(sentReasoning()).toHaveLength(3)
  })

  it('of ours never reaches Anthropic', async () => {
    const client = newClient()
    await client.run(bothTools, 'kimi-k2-thinking')
    await client.run(bothTools, 'claude-x')
    expect(sentThinking()).toEqual([])
    expect(JSON.stringify(sentMessages())).not.toContain('dragoman_')
  })
})

describe('Anthropic’s own reasoning', () => {
  const thinking = { thinking: { type: 'enabled', budget_tokens: 2000 } }

  it.each([true, false])(
    'goes back to it byte for byte, and to nobody else; stream: %s',
    async (isStream) => {
      const client = new Client(lab.gateway.address, 'anthropic', isStream, thinking)
      await client.run(bothTools, 'claude-x')
      const [own] = sentThinking()
      expect(own).toMatchObject({ thinking: thought, signature: expect.stringMatching(/^[a-zA-Z0-9+/=]+$/) })

      await client.run(bothTools, 'kimi-k2-thinking')
      expect(JSON.stringify(sentMessages())).not.toContain(String(at(own, 'signature')))
      expect(sentReasoning()).toEqual([filler, thought])

      // The simulated server verifies its signatures, as the real one does.
      await client.run(bothTools, 'claude-x')
      expect(sentThinking()).toContainEqual(own)
      expect(JSON.stringify(sentMessages())).not.toContain('dragoman_')
      expect(lab.simulator.historyProblems).toEqual([])
    },
  )
})

describe('reasoning of another family as text', () => {
  it.each(clientDialects)('is shown to who reads it, where the policy says so: %s', async (dialect) => {
    const other = await startLab({ rounds: 1, parallel: 2 }, { reasoning: { foreign: 'text' } })
    const client = new Client(other.gateway.address, dialect, true)
    await client.run(bothTools, 'kimi-k2-thinking')
    await client.run(bothTools, 'qwen3-coder')
    const sent = JSON.stringify(other.simulator.requests.at(-1)?.body)
    expect(sent).toContain('<earlier-reasoning>')
    expect(sent).toContain(thought)
    await other.simulator.close()
  })
})
