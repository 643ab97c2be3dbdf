import { describe, expect, it } from 'vitest'
import { convertToVercelMessages, toolCallMiddlewareV3 } from '../../src/adapters/ai-sdk.ts'
import type { Content } from '../../src/conversation.ts'
import { getToolIdStrategy } from '../../src/ids/strategies.ts'

const call = (toolCallId: string, toolName: string): object => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: {},
  providerOptions: { vendor: { kept: true } },
})
const result = (toolCallId: string, toolName: string): object => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  output: { type: 'text', value: 'seen' },
})
const thought = { type: 'reasoning', text: 'Hm.' }

const prompt = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'go' }], providerOptions: {} },
  { role: 'assistant', content: [thought, call('call_x', 'look'), call('call_y', 'find')] },
  { role: 'tool', content: [result('call_y', 'find'), result('call_x', 'look')] },
  { role: 'assistant', content: [call('call_x', 'look')] },
  { role: 'tool', content: [result('call_x', 'look')] },
]

describe('tool ids of a prompt', () => {
  it('are written as the model wants them, and a result keeps the id of its call', async () => {
    const params = { prompt, temperature: 0.2 }
    const middleware = toolCallMiddlewareV3()
    expect(await middleware.transformParams({ params, model: { modelId: 'kimi-k2' } })).toEqual({
      temperature: 0.2,
      prompt: [
        prompt[0],
        prompt[1],
        {
          role: 'assistant',
          content: [thought, call('functions.look:0', 'look'), call('functions.find:1', 'find')],
        },
        { role: 'tool', content: [result('functions.find:1', 'find'), result('functions.look:0', 'look')] },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'The reasoning for this step was not kept.' },
            call('functions.look:2', 'look'),
          ],
        },
        { role: 'tool', content: [result('functions.look:2', 'look')] },
      ],
    })
  })

  it('stay where the model takes any', async () => {
    const middleware = toolCallMiddlewareV3()
    const params = { prompt: prompt.slice(0, 4) }
    expect(await middleware.transformParams({ params, model: { modelId: 'gpt-4o' } })).toEqual(params)
  })

  it('of tools that the provider runs stay', async () => {
    const content = [
      { ...call('srv_1', 'search'), providerExecuted: true },
      result('srv_1', 'search'),
      thought,
    ]
    const params = { prompt: [{ role: 'assistant', content }] }
    const middleware = toolCallMiddlewareV3({ format: 'kimi' })
    expect(await middleware.transformParams({ params, model: { modelId: 'm' } })).toEqual(params)
  })

  it('are not changed in the prompt that was given', async () => {
    const before = structuredClone(prompt)
    await toolCallMiddlewareV3({ format: 'kimi' }).transformParams({
      params: { prompt },
      model: { modelId: 'm' },
    })
    expect(prompt).toEqual(before)
  })
})

describe('convertToVercelMessages', () => {
  const contents: Content[] = [
    {
      speaker: 'human',
      blocks: [
        { type: 'text', text: 'go' },
        { type: 'media', mimeType: 'image/png', data: 'aGk=', encoding: 'base64', filename: 'a.png' },
      ],
    },
    {
      speaker: 'ai',
      blocks: [
        { type: 'thinking', thought: 'Hm.', signature: 'Eq+x/Z' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_call', id: 'hist_tool_a', name: 'look', parameters: { at: 1 } },
        { type: 'tool_call', id: 'hist_tool_b', name: 'look', parameters: { at: 2 } },
      ],
    },
    {
      speaker: 'tool',
      blocks: [
        { type: 'tool_response', callId: 'hist_tool_a', toolName: 'look', result: { found: true } },
        {
          type: 'tool_response',
          callId: 'hist_tool_b',
          toolName: 'look',
          result: 'no such place',
          isError: true,
        },
      ],
    },
  ]

  it('writes the history with the ids of the strategy', () => {
    const mapper = getToolIdStrategy('kimi').createMapper(contents)
    const messages = convertToVercelMessages(contents, {
      resolveToolCallId: (id, name) => mapper.resolveToolCallId({ id, name }),
      resolveToolResponseId: (callId, toolName) => mapper.resolveToolResponseId({ callId, toolName }),
    })
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'go' },
          { type: 'file', mediaType: 'image/png', data: 'aGk=', filename: 'a.png' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 'Eq+x/Z' } } },
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 'functions.look:0', toolName: 'look', input: { at: 1 } },
          { type: 'tool-call', toolCallId: 'functions.look:1', toolName: 'look', input: { at: 2 } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'functions.look:0',
            toolName: 'look',
            output: { type: 'text', value: '{"found":true}' },
          },
          {
            type: 'tool-result',
            toolCallId: 'functions.look:1',
            toolName: 'look',
            output: { type: 'error-text', value: 'no such place' },
          },
        ],
      },
    ])
  })

  it('keeps the ids of the history where nothing resolves them', () => {
    expect(JSON.stringify(convertToVercelMessages(contents))).toContain('"toolCallId":"hist_tool_b"')
  })

  it('shows the images of a result', () => {
    const image = {
      type: 'media',
      mimeType: 'image/png',
      data: 'https://a.example/a.png',
      encoding: 'url',
    } as const
    const response = { type: 'tool_response', callId: 'a', toolName: 'look', result: [image] } as const
    expect(convertToVercelMessages([{ speaker: 'tool', blocks: [response] }])).toMatchObject([
      {
        content: [
          {
            output: {
              type: 'content',
              value: [{ type: 'file-url', url: 'https://a.example/a.png', mediaType: 'image/png' }],
            },
          },
        ],
      },
    ])
  })
})
