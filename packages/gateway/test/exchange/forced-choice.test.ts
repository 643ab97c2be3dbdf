import { decodeChatRequest } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { forcedChoice } from '../../src/exchange/host-habits.ts'

const named = { type: 'function', function: { name: 'read' } }

describe('a call that the client forces', () => {
  it.each([
    ['https://api.moonshot.ai/v1', 'kimi-k2', { tool_choice: 'required' }, 'nudge'],
    ['https://api.moonshot.cn/v1', 'kimi-k2', { tool_choice: named }, 'nudge'],
    ['https://api.moonshot.ai/v1', 'kimi-k2', { tool_choice: 'auto' }, 'send'],
    ['https://api.moonshot.ai/v1', 'kimi-k2', {}, 'send'],
    ['http://127.0.0.1:8000/v1', 'kimi-k2', { tool_choice: 'required' }, 'send'],
    ['https://moonshot.ai.example.com/v1', 'kimi-k2', { tool_choice: 'required' }, 'send'],
    ['https://api.deepseek.com/v1', 'deepseek-reasoner', { tool_choice: 'required' }, 'nudge'],
    ['https://api.deepseek.com', 'deepseek-v4', { tool_choice: named, reasoning_effort: 'high' }, 'nudge'],
    ['https://api.deepseek.com', 'deepseek-v4', { tool_choice: named }, 'send'],
  ])('at %s, model %s, %j: %s', (url, model, settings, expected) => {
    const decoded = decodeChatRequest({ model, messages: [{ role: 'user', content: 'Go.' }], ...settings })
    if ('error' in decoded) throw new Error(decoded.error.message)
    const upstream = {
      name: 'a',
      url,
      dialect: 'openai-chat',
      apiKey: null,
      headers: new Map(),
      body: {},
    } as const
    expect(forcedChoice(upstream, model, decoded.request)).toBe(expected)
  })
})
