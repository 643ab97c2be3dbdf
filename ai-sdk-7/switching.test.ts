import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type Content, getToolIdStrategy } from '@dragoman/core'
import { convertToVercelMessages, toolCallMiddleware } from '@dragoman/core/ai-sdk'
import {
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSimulator, type Simulator } from '../packages/gateway/src/simulator/server.ts'

// A strict model refuses a history with ids that are not in its own style.
const models = ['kimi-k2', 'qwen3', 'mistral-nemo', 'standard', 'kimi-k2-thinking', 'deepseek-v3'].map(
  (name) => `${name}+strict`,
)
const parameters = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
}
const question = 'What is the weather in Paris?'

let simulator: Simulator
let baseURL: string
beforeEach(async () => {
  simulator = createSimulator({ pace: 0 })
  baseURL = await simulator.listen()
})
afterEach(() => simulator.close())

describe('a conversation that goes from model to model', () => {
  it('goes on with version 7 of the AI SDK', async () => {
    const provider = createOpenAICompatible({ name: 'simulator', baseURL, apiKey: 'any' })
    const messages: ModelMessage[] = []
    for (const name of models) {
      messages.push({ role: 'user', content: question })
      const result = streamText({
        model: wrapLanguageModel({ model: provider(name), middleware: toolCallMiddleware() }),
        messages,
        maxRetries: 0,
        stopWhen: isStepCount(3),
        tools: {
          get_weather: tool({
            inputSchema: jsonSchema<{ city: string }>(parameters),
            execute: () => 'sunny',
          }),
        },
      })
      messages.push(...(await result.responseMessages))
    }
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(models.length)
    expect(simulator.historyProblems).toEqual([])
  })

  it('a stored history goes to version 7 of the AI SDK with the ids of its model', async () => {
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
    const { text } = await generateText({ model, messages, maxRetries: 0 })
    expect(text).toContain('get_weather answered: sunny')
  })
})
