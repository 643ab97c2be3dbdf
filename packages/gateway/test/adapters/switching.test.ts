import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type Content, getToolIdStrategy } from '@dragoman/core'
import { convertToVercelMessages, toolCallMiddlewareV3 } from '@dragoman/core/ai-sdk'
import { createFetch } from '@dragoman/core/fetch'
import * as ai6 from 'ai'
import OpenAI, { RateLimitError } from 'openai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../../src/simulator/server.ts'
import { until } from '../server/scripted-upstream.ts'

// A strict model refuses a history with ids that are not in its own style.
const models = ['kimi-k2', 'qwen3', 'mistral-nemo', 'standard', 'kimi-k2-thinking', 'deepseek-v3'].map(
  (name) => `${name}+strict`,
)

let simulator: Simulator
let baseURL: string
beforeEach(async () => {
  simulator = createSimulator({ pace: 0 })
  baseURL = await simulator.listen()
})
afterEach(() => simulator.close())

const parameters = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
}
const question = 'What is the weather in Paris?'

describe('a conversation that goes from model to model', () => {
  it('goes on with the OpenAI SDK, and no model sees ids of another', async () => {
    const client = new OpenAI({ baseURL, apiKey: 'any', maxRetries: 0, fetch: createFetch() })
    const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters } }]
    const messages: OpenAI.ChatCompletionMessageParam[] = []
    const ids: string[] = []
    for (const model of models) {
      messages.push({ role: 'user', content: question })
      for (const isLast of [false, true]) {
        const { choices } = await client.chat.completions.create({ model, messages, tools })
        const message = choices[0]?.message
        if (message === undefined) throw new Error('no answer')
        messages.push(message)
        const calls = message.tool_calls ?? []
        expect(calls).toHaveLength(isLast ? 0 : 1)
        for (const { id } of calls) {
          ids.push(id)
          messages.push({ role: 'tool', tool_call_id: id, content: 'sunny' })
        }
      }
    }
    expect(new Set(ids).size).toBe(models.length)
    expect(simulator.historyProblems).toEqual([])
  })

  it('goes on with version 6 of the AI SDK', async () => {
    const provider = createOpenAICompatible({ name: 'simulator', baseURL, apiKey: 'any' })
    const messages: ai6.ModelMessage[] = []
    for (const name of models) {
      messages.push({ role: 'user', content: question })
      const { response } = await ai6.generateText({
        model: ai6.wrapLanguageModel({ model: provider(name), middleware: toolCallMiddlewareV3() }),
        messages: messages,
        maxRetries: 0,
        stopWhen: ai6.stepCountIs(3),
        tools: {
          get_weather: ai6.tool({
            inputSchema: ai6.jsonSchema<{ city: string }>(parameters),
            execute: () => 'sunny',
          }),
        },
      })
      expect(response.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
      messages.push(...response.messages)
    }
    expect(simulator.historyProblems).toEqual([])
  })

  it('a stored history goes to the AI SDK with the ids of its model', async () => {
    const contents: Content[] = [
      { speaker: 'human', blocks: [{ type: 'text', text: question }] },
      {
        speaker: 'ai',
        blocks: [
          { type: 'thinking', thought: 'I need the weather.' },
          { type: 'tool_call', id: 'hist_tool_1', name: 'get_weather', parameters: { city: 'Paris' } },
        ],
      },
      {
        speaker: 'tool',
        blocks: [{ type: 'tool_response', callId: 'hist_tool_1', toolName: 'get_weather', result: 'sunny' }],
      },
    ]
    const mapper = getToolIdStrategy('kimi').createMapper(contents)
    const messages = convertToVercelMessages(contents, {
      resolveToolCallId: (id, name) => mapper.resolveToolCallId({ id, name }),
      resolveToolResponseId: (callId, toolName) => mapper.resolveToolResponseId({ callId, toolName }),
    })
    const model = createOpenAICompatible({ name: 'simulator', baseURL, apiKey: 'any' })('kimi-k2+strict')
    const { text } = await ai6.generateText({ model, messages, maxRetries: 0 })
    expect(text).toContain('get_weather answered: sunny')
  })
})

describe('the OpenAI SDK with createFetch', () => {
  it('sees the errors of the server as they are', async () => {
    await expect(ask('kimi-k2+429')).rejects.toBeInstanceOf(RateLimitError)
    await expect(ask('kimi-k2+500')).rejects.toMatchObject({ status: 500 })
  })

  it('ends the request when it is aborted', async () => {
    const abort = new AbortController()
    const stream = await ask('kimi-k2+stall', { signal: abort.signal })
    expect(simulator.openRequests).toBe(1)
    abort.abort()
    for await (const chunk of stream) expect(chunk).toBeDefined()
    await until(() => simulator.openRequests === 0, 2000)
  })

  it('ends the request when the reader leaves', async () => {
    const stream = await ask('kimi-k2+stall')
    for await (const chunk of stream) {
      expect(chunk.choices).toBeDefined()
      break
    }
    await until(() => simulator.openRequests === 0, 2000)
  })

  it('lists the models', async () => {
    const client = new OpenAI({ baseURL, apiKey: 'any', fetch: createFetch() })
    const list = await client.models.list()
    expect(list.data.map(({ id }) => id)).toContain('kimi-k2')
  })
})

function ask(model: string, options: OpenAI.RequestOptions = {}) {
  const client = new OpenAI({ baseURL, apiKey: 'any', maxRetries: 0, fetch: createFetch() })
  const messages = [{ role: 'user' as const, content: 'Tell me a long story.' }]
  return client.chat.completions.create({ model, messages, stream: true }, options)
}
