import { describe, expect, it } from 'vitest'
import { habitsOf } from '../../src/exchange/host-habits.ts'

function habitsAt(url: string, model: string): object {
  return habitsOf(
    { name: 'a', url, dialect: 'openai-chat', apiKey: null, headers: new Map(), body: {} },
    model,
  )
}

describe('what a host takes of a request', () => {
  const strict = { maxTokensField: 'max_completion_tokens', fixedSampling: true }

  it.each([
    ['https://api.openai.com/v1', 'o3', strict],
    ['https://api.openai.com/v1', 'gpt-5-mini', strict],
    ['https://lab.openai.azure.com/v1', 'o4-mini', strict],
    ['https://api.openai.com/v1', 'gpt-4.1', {}],
    ['https://openrouter.ai/api/v1', 'openai/o3', {}],
    ['https://api.moonshot.ai/v1', 'kimi-k2.5', { fixedSampling: true, prefill: 'partial' }],
    ['https://api.moonshot.cn/v1', 'kimi-k3', { fixedSampling: true, prefill: 'partial' }],
    ['https://api.moonshot.ai/v1', 'kimi-k2-0905-preview', { prefill: 'partial' }],
    ['https://api.mistral.ai/v1', 'devstral', { prefill: 'prefix' }],
    ['http://127.0.0.1:8000/v1', 'kimi-k2.5', {}],
    ['https://moonshot.ai.example.com/v1', 'kimi-k3', {}],
  ])('%s, model %s', (url, model, expected) => {
    expect(habitsAt(url, model)).toEqual(expected)
  })
})
