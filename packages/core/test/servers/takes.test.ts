import { describe, expect, it } from 'vitest'
import {
  decodeChatRequest,
  dialects,
  encodeChatRequest,
  serverAt,
  serverById,
  servers,
  takesOf,
  textCallsOf,
} from '../../src/index.ts'

function takesAt(url: string, model: string): object {
  return takesOf(serverAt(url), model)
}

describe('what a host takes of a request', () => {
  const strict = { maxTokensField: 'max_completion_tokens', fixedSampling: true }

  it.each([
    ['https://api.openai.com/v1', 'o3', strict],
    ['https://api.openai.com/v1', 'gpt-5-mini', strict],
    ['https://lab.openai.azure.com/v1', 'o4-mini', strict],
    ['https://api.moonshot.ai/v1', 'kimi-k2.5', { fixedSampling: true, prefill: 'partial' }],
    ['https://api.moonshot.cn/v1', 'kimi-k3', { fixedSampling: true, prefill: 'partial' }],
    ['https://api.mistral.ai/v1', 'devstral', { prefill: 'prefix' }],
  ])('%s, model %s', (url, model, expected) => {
    expect(takesAt(url, model)).toMatchObject(expected)
  })

  it.each([
    ['https://api.openai.com/v1', 'gpt-4.1', 'fixedSampling'],
    ['https://openrouter.ai/api/v1', 'openai/o3', 'fixedSampling'],
    ['https://api.moonshot.ai/v1', 'kimi-k2-0905-preview', 'fixedSampling'],
    ['http://127.0.0.1:8000/v1', 'kimi-k2.5', 'fixedSampling'],
    ['https://moonshot.ai.example.com/v1', 'kimi-k3', 'prefill'],
  ])('%s, model %s: nothing is said of %s', (url, model, field) => {
    expect(takesAt(url, model)).not.toHaveProperty(field)
  })
})

function askedFor(takes: object, body: object): Record<string, unknown> {
  const decoded = dialects['openai-responses'].request.decode({ model: 'qwen3', input: 'Go.', ...body })
  if ('error' in decoded) throw new Error(decoded.error.message)
  const target = { model: 'qwen3', format: 'qwen', sameDialect: true, ...takes } as const
  return dialects['openai-responses'].request.encode(decoded.request, target).body
}

describe('what a server takes of a request for a response', () => {
  const ollama = serverById('ollama')
  const vllm = serverById('vllm')

  it.each([
    ['none', 'none', 'none'],
    ['minimal', 'low', 'low'],
    ['high', 'high', 'high'],
    ['xhigh', 'high', 'max'],
    ['max', 'high', 'max'],
  ])('Ollama is told %s as one of the words that it knows: %s, since 0.33 %s', (effort, before, since) => {
    const body = { reasoning: { effort } }
    expect(askedFor(takesOf(ollama, 'qwen3', '0.20.0'), body)['reasoning']).toEqual({ effort: before })
    expect(askedFor(takesOf(ollama, 'qwen3', '0.33.0'), body)['reasoning']).toEqual({ effort: since })
  })

  it('vLLM hands efforts on to models that know them, and to no others', () => {
    const body = { reasoning: { effort: 'xhigh' } }
    const takes = takesOf(vllm, 'gpt-oss-120b', '0.20.0')
    const gptOss = { ...takes, model: 'gpt-oss-120b', format: 'gpt-oss' }
    expect(askedFor(gptOss, body)['reasoning']).toEqual({ effort: 'high' })
    expect(askedFor(takesOf(vllm, 'qwen3', '0.20.0'), body)).not.toHaveProperty('reasoning')
  })

  it('Ollama reads earlier reasoning where others encrypt it', () => {
    const input = [
      { role: 'user', content: 'Go.' },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] },
      { role: 'assistant', content: 'Gone.' },
      { role: 'user', content: 'On.' },
    ]
    const items = askedFor(takesOf(ollama, 'qwen3'), { input })['input']
    expect(items).toMatchObject([
      {},
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'hm' },
      {},
      {},
    ])
  })
})

describe('a call that the client forces', () => {
  const named = { type: 'function', function: { name: 'read' } }
  const tools = ['read', 'write'].map((name) => ({ type: 'function', function: { name, parameters: {} } }))

  function sentTo(takes: object, settings: object, model = 'a-model') {
    const messages = [{ role: 'user', content: 'Go.' }]
    const decoded = decodeChatRequest({ model, messages, tools, ...settings })
    if ('error' in decoded) throw new Error(decoded.error.message)
    return encodeChatRequest(decoded.request, { model, format: 'standard', ...takes }).body
  }

  it.each([
    ['https://api.moonshot.ai/v1', 'kimi-k2', { tool_choice: 'required' }, 'nudge'],
    ['https://api.moonshot.cn/v1', 'kimi-k2', { tool_choice: named }, 'nudge'],
    ['https://api.moonshot.ai/v1', 'kimi-k2', { tool_choice: 'auto' }, 'send'],
    ['https://api.moonshot.ai/v1', 'kimi-k2', {}, 'send'],
    ['http://127.0.0.1:8000/v1', 'kimi-k2', { tool_choice: 'required' }, 'send'],
    ['https://moonshot.ai.example.com/v1', 'kimi-k2', { tool_choice: 'required' }, 'send'],
    ['https://api.deepseek.com/v1', 'deepseek-reasoner', { tool_choice: 'required' }, 'nudge'],
    ['https://api.deepseek.com', 'deepseek-v4', { tool_choice: named, reasoning_effort: 'high' }, 'nudge'],
    // It thinks unless it is told not to.
    ['https://api.deepseek.com', 'deepseek-v4', { tool_choice: named }, 'nudge'],
    ['https://api.deepseek.com', 'deepseek-v4', { tool_choice: named, reasoning_effort: 'none' }, 'send'],
    ['https://api.deepseek.com', 'deepseek-v3.2', { tool_choice: named }, 'send'],
    ['https://api.deepseek.com', 'deepseek-chat', { tool_choice: named }, 'send'],
  ])('at %s, model %s, %j: %s', (url, model, settings, expected) => {
    const { messages, tool_choice: choice } = sentTo(takesAt(url, model), settings, model)
    const nudges = JSON.stringify(messages).includes('Answer the next message with a call')
    expect(nudges).toBe(expected === 'nudge')
    expect(choice).toEqual(nudges ? 'auto' : Reflect.get(settings, 'tool_choice'))
  })

  it('is the only one offered to a server that does not understand a named choice', () => {
    const body = sentTo(takesOf(serverById('llama.cpp'), 'any'), { tool_choice: named })
    expect(body).toMatchObject({ tool_choice: 'required', tools: [{ function: { name: 'read' } }] })
    expect(body['tools']).toHaveLength(1)
  })

  it('is asked for in words, and offered alone, where the server ignores every choice', () => {
    const body = sentTo(takesOf(serverById('ollama'), 'any'), { tool_choice: named })
    expect(body).toMatchObject({ tool_choice: 'auto', tools: [{ function: { name: 'read' } }] })
    expect(JSON.stringify(body['messages'])).toContain('a call of the tool read')
  })

  it('is not possible where the client wants none: a server that ignores this is offered no tools', () => {
    const body = sentTo(takesOf(serverById('ollama'), 'any'), { tool_choice: 'none' })
    expect(body).not.toHaveProperty('tools')
    expect(body).not.toHaveProperty('tool_choice')
    expect(sentTo({}, { tool_choice: 'none' })).toMatchObject({ tool_choice: 'none', tools })
  })
})

describe('what a version of a server takes', () => {
  const vllm = serverById('vllm')

  it.each([
    ['0.15.1', undefined],
    ['0.16.0', ['reasoning', 'reasoning_content']],
    ['0.21.3rc1', ['reasoning', 'reasoning_content']],
    ['0.22.0', undefined],
    // Where the version is not known, both fields are the safe choice.
    [undefined, ['reasoning', 'reasoning_content']],
  ])('vLLM %s reads reasoning from %j', (version, fields) => {
    expect(takesOf(vllm, 'any', version).reasoningFields).toEqual(fields)
  })

  it('vLLM can be kept from reading calls only before its parsers swallowed them', () => {
    expect(textCallsOf(vllm, '0.24.0')).toMatchObject({ by: 'fields' })
    expect(textCallsOf(vllm, '0.25.0')).toBeUndefined()
    expect(textCallsOf(vllm)).toBeUndefined()
    expect(textCallsOf(serverById('sglang'))).toBeUndefined()
  })
})

describe('reasoning in the history', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }

  function sentBack(server: string, model: string, message: object) {
    const messages = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: null, tool_calls: [call], ...message },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ]
    const decoded = decodeChatRequest({ model, messages })
    if ('error' in decoded) throw new Error(decoded.error.message)
    const target = { model, format: 'qwen' as const, ...takesOf(serverById(server), model) }
    const { body } = encodeChatRequest(decoded.request, target)
    return Array.isArray(body['messages']) ? body['messages'][1] : undefined
  }

  it.each(['groq', 'cerebras', 'together', 'mlx-lm'])('goes to %s in both fields', (server) => {
    expect(sentBack(server, 'qwen3-32b', { reasoning: 'Hm.' })).toMatchObject({
      reasoning: 'Hm.',
      reasoning_content: 'Hm.',
    })
  })

  it('is made up where a vendor demands it, whatever the format of its models', () => {
    expect(serverAt('https://api.xiaomimimo.com/v1')?.id).toBe('xiaomi')
    expect(sentBack('xiaomi', 'mimo-v2.5', {})).toHaveProperty('reasoning_content')
    expect(sentBack('novita', 'mimo-v2.5', {})).not.toHaveProperty('reasoning_content')
  })
})

describe('the records of servers', () => {
  it('say which header makes the marks of a cache count', () => {
    const server = serverAt('https://dashscope-intl.aliyuncs.com/compatible-mode/v1')
    expect(server).toMatchObject({
      takes: { cacheControl: true },
      headers: { 'x-dashscope-cachecontrol': 'enable' },
    })
  })

  it('have different names', () => {
    const ids = servers.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
