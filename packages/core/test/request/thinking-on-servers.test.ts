import { describe, expect, it } from 'vitest'
import type { AnthropicTarget, ChatTarget } from '../../src/request/target.ts'
import { wishOf } from '../../src/request/thinking-wish.ts'
import { decodeAnthropicRequest } from '../../src/dialects/anthropic-messages/request/decode.ts'
import { encodeChatRequest } from '../../src/dialects/openai-chat/request/encode.ts'
import { serverById, takesOf } from '../../src/servers/registry.ts'
import {
  anthropicBody,
  anthropicToAnthropic,
  anthropicToChat,
  chatToAnthropic,
  chatToChat,
  notedFields,
  readable,
} from './translation.ts'

const otherFields = new Set(['model', 'messages', 'max_tokens', 'max_completion_tokens'])

function saidIn({ body }: { readonly body: object }): object {
  return Object.fromEntries(Object.entries(body).filter(([field]) => !otherFields.has(field)))
}

function targetAt(
  server: string,
  model: string,
  version?: string,
): Partial<ChatTarget & AnthropicTarget> & { model: string } {
  return { ...takesOf(serverById(server), model, version), model }
}

function noted(server: string, model: string, wish: object): string[] {
  return notedFields(anthropicToChat({ ...wish }, targetAt(server, model)).notes)
}

const off = { thinking: { type: 'disabled' } }
const little = { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }
const much = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }
const least = { thinking: { type: 'adaptive' }, output_config: { effort: 'minimal' } }
const more = { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }
const most = { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }
const budget = { thinking: { type: 'enabled', budget_tokens: 500 } }
const enabled = { thinking: { type: 'enabled' } }
const args = (values: object) => ({ chat_template_kwargs: values })

describe('no server gets what it would refuse', () => {
  it.each([
    // The words of vLLM by version; where the version is not known, those that every version takes.
    ['vllm', '0.12.0', 'deepseek-v4', most, { ...args({ thinking: true }), reasoning_effort: 'high' }],
    ['vllm', '0.21.0', 'deepseek-v4', most, { ...args({ thinking: true }), reasoning_effort: 'max' }],
    ['vllm', undefined, 'deepseek-v4', most, { ...args({ thinking: true }), reasoning_effort: 'high' }],
    ['vllm', '0.17.1', 'mistral-small-4', off, {}],
    ['vllm', '0.18.0', 'mistral-small-4', off, { reasoning_effort: 'none' }],
    ['vllm', '0.17.1', 'qwen3.8-27b', off, args({ enable_thinking: false })],
    ['vllm', '0.18.2', 'qwen3-32b', budget, args({ enable_thinking: true })],
    ['vllm', '0.27.0', 'gpt-oss-20b', most, { reasoning_effort: 'high' }],
    ['vllm', '0.27.0', 'gpt-oss-20b', off, { reasoning_effort: 'low' }],
    ['vllm', '0.27.0', 'kimi-k3', most, { ...args({ thinking: true }), reasoning_effort: 'max' }],
    ['sglang', undefined, 'gpt-oss-20b', off, { reasoning_effort: 'low' }],
    ['ollama', undefined, 'gpt-oss:20b', most, { reasoning_effort: 'high' }],
    ['ollama', '0.33.0', 'gpt-oss:20b', most, { reasoning_effort: 'high' }],
    // Its words by version; where that is not known, those of every version.
    ['ollama', undefined, 'qwen3:8b', most, { reasoning_effort: 'high' }],
    ['ollama', '0.12.6', 'qwen3:8b', most, { reasoning_effort: 'high' }],
    ['ollama', '0.33.0-rc1', 'qwen3:8b', most, { reasoning_effort: 'max' }],
    ['ollama', '0.33.0', 'qwen3:8b', more, { reasoning_effort: 'max' }],
    ['ollama', '0.33.0', 'qwen3:8b', least, { reasoning_effort: 'low' }],
    ['lm-studio', undefined, 'qwen/qwen3.5-9b', off, { reasoning_effort: 'none' }],
    ['lm-studio', undefined, 'qwen/qwen3.5-9b', least, { reasoning_effort: 'minimal' }],
    ['lm-studio', undefined, 'qwen/qwen3.5-9b', most, { reasoning_effort: 'xhigh' }],
    // The nearest word is `max` as well. The vendor says that it is `high`.
    ['deepseek-api', undefined, 'deepseek-v4', more, { ...enabled, reasoning_effort: 'high' }],
    ['deepseek-api', undefined, 'deepseek-v4', least, { ...enabled, reasoning_effort: 'low' }],
    ['deepseek-api', undefined, 'deepseek-v4', most, { ...enabled, reasoning_effort: 'max' }],
    ['mlx-lm', undefined, 'mlx-community/Qwen3-8B-4bit', off, args({ enable_thinking: false })],
    ['mlx-lm', undefined, 'mlx-community/gpt-oss-20b', much, {}],
    ['openrouter', undefined, 'qwen/qwen3-32b', off, { reasoning: { effort: 'none' } }],
    ['openrouter', undefined, 'qwen/qwen3-32b', much, { reasoning: { effort: 'high' } }],
    ['openrouter', undefined, 'qwen/qwen3-32b', budget, { reasoning: { max_tokens: 500 } }],
    [
      'openrouter',
      undefined,
      'qwen/qwen3-32b',
      { thinking: { type: 'adaptive' } },
      { reasoning: { enabled: true } },
    ],
    ['openrouter', undefined, 'minimax/minimax-m2', off, {}],
    ['fireworks', undefined, 'accounts/fireworks/models/glm-4p7', off, { reasoning_effort: 'none' }],
    ['fireworks', undefined, 'accounts/fireworks/models/glm-4p7', much, { reasoning_effort: 'high' }],
    [
      'fireworks',
      undefined,
      'accounts/fireworks/models/glm-4p7',
      budget,
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
    ],
    ['together', undefined, 'zai-org/GLM-4.7', off, { reasoning: { enabled: false } }],
    ['together', undefined, 'Qwen/Qwen3-235B-A22B', off, args({ enable_thinking: false })],
    ['together', undefined, 'openai/gpt-oss-120b', much, { reasoning_effort: 'high' }],
    ['groq', undefined, 'qwen/qwen3-32b', off, { reasoning_effort: 'none' }],
    ['groq', undefined, 'qwen/qwen3-32b', much, { reasoning_effort: 'default' }],
    ['groq', undefined, 'openai/gpt-oss-120b', off, { reasoning_effort: 'low' }],
    ['groq', undefined, 'moonshotai/kimi-k2-instruct', much, {}],
    ['groq', undefined, 'llama-3.3-70b-versatile', much, {}],
    ['cerebras', undefined, 'gpt-oss-120b', off, { reasoning_effort: 'low' }],
    ['cerebras', undefined, 'zai-glm-4.7', off, { reasoning_effort: 'none' }],
    ['cerebras', undefined, 'zai-glm-4.7', much, { clear_thinking: false }],
    ['siliconflow', undefined, 'Qwen/Qwen3-32B', off, { enable_thinking: false }],
    ['siliconflow', undefined, 'Qwen/Qwen3-32B', much, { enable_thinking: true, thinking_budget: 32_768 }],
    [
      'siliconflow',
      undefined,
      'deepseek-ai/DeepSeek-V4',
      little,
      { enable_thinking: true, reasoning_effort: 'high' },
    ],
    ['openai-api', undefined, 'gpt-5', much, { reasoning_effort: 'high' }],
    ['openai-api', undefined, 'o3', off, {}],
    ['openai-api', undefined, 'gpt-4.1', much, {}],
    ['xai', undefined, 'grok-4', much, {}],
  ])('%s %s, model %s, asked for %j, gets %j', (server, version, model, wish, fields) => {
    expect(saidIn(anthropicToChat(wish, targetAt(server, model, version)))).toEqual(fields)
  })

  it('a wish that cannot be said is noted, one that can is not', () => {
    expect(noted('vllm', 'kimi-k2-thinking', off)).toEqual(['dropped thinking'])
    expect(noted('vllm', 'gpt-oss-20b', off)).toEqual(['changed thinking'])
    expect(noted('moonshot', 'kimi-k3', off)).toEqual(['dropped thinking'])
    expect(noted('vllm', 'qwen3-coder-30b', much)).toEqual(['dropped thinking'])
    expect(noted('vllm', 'qwen3-coder-30b', off)).toEqual([])
    expect(noted('vllm', 'qwen3-32b', off)).toEqual([])
    expect(noted('vllm', 'gpt-oss-20b', much)).toEqual([])
    expect(noted('deepseek-api', 'deepseek-v4', most)).toEqual([])
  })

  it('an effort without a word on thinking does not make a model think that would not', () => {
    const asked = { output_config: { effort: 'high' } }
    expect(saidIn(anthropicToChat(asked, targetAt('vllm', 'gemma-4-31b')))).toEqual({})
    expect(saidIn(anthropicToChat(asked, targetAt('vllm', 'gpt-oss-20b')))).toEqual({
      reasoning_effort: 'high',
    })
  })

  it('a server that says that a model thinks need not be told by its name', () => {
    const target = { ...targetAt('ollama', 'our-own-model'), thinks: true }
    expect(saidIn(anthropicToChat(little, target))).toEqual({ reasoning_effort: 'low' })
    expect(saidIn(anthropicToChat(little, targetAt('ollama', 'our-own-model')))).toEqual({})
  })

  it('nothing is sent that this upstream has refused before, and that is noted', () => {
    const target = { ...targetAt('vllm', 'qwen3.8-27b', '0.27.0'), withoutFields: ['chat_template_kwargs'] }
    const { body, notes } = anthropicToChat(much, target)
    expect(saidIn({ body })).toEqual({ reasoning_effort: 'high' })
    expect(notedFields(notes)).toEqual(['dropped chat_template_kwargs'])
    const own = chatToChat({ reasoning_effort: 'high', seed: 1 }, { withoutFields: ['reasoning_effort'] })
    expect(saidIn(own)).toEqual({ seed: 1 })
    const config = { effort: 'high', format: { type: 'json_schema', schema: {} } }
    const messages = anthropicToAnthropic({ output_config: config }, { withoutFields: ['output_config'] })
    expect(messages.body['output_config']).toEqual({ format: config.format })
  })
})

describe('a chat client that says its wish to a chat server', () => {
  it('goes on in its own words where nothing is known of the server or of the model', () => {
    const own = {
      reasoning_effort: 'xhigh',
      thinking: { type: 'enabled', keep: 'all' },
      chat_template_kwargs: { enable_thinking: true },
    }
    expect(saidIn(chatToChat(own))).toEqual(own)
    expect(saidIn(chatToChat(own, targetAt('vllm', 'our-own-model')))).toEqual(own)
    expect(saidIn(chatToChat(own, { model: 'qwen3-32b' }))).toEqual(own)
  })

  it('keeps the words that mean there what it wishes', () => {
    const kept = [
      ['deepseek-api', 'deepseek-v4', { reasoning_effort: 'max' }],
      ['moonshot', 'kimi-k2.5', { thinking: { type: 'enabled', keep: 'all' } }],
      ['dashscope', 'qwen3.6-plus', { enable_thinking: true, preserve_thinking: true }],
      ['vllm', 'qwen3-32b', args({ enable_thinking: false, other: 1 })],
      ['openrouter', 'qwen/qwen3-32b', { reasoning: { effort: 'high', exclude: true } }],
      ['groq', 'qwen/qwen3-32b', { reasoning_effort: 'default' }],
    ] as const
    for (const [server, model, fields] of kept) {
      const sent = chatToChat(fields, targetAt(server, model))
      expect(saidIn(sent)).toEqual(fields)
      expect(sent.notes).toEqual([])
    }
  })

  it('gets its wish in other words where its own would be refused or mean nothing, which is noted', () => {
    const turned = [
      ['vllm', 'qwen3-32b', { enable_thinking: false }, args({ enable_thinking: false })],
      ['vllm', 'kimi-k2.5', args({ enable_thinking: false, x: 1 }), args({ thinking: false, x: 1 })],
      ['zai', 'glm-4.7', { reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
      ['ollama', 'qwen3:8b', { reasoning: { enabled: false } }, { reasoning_effort: 'none' }],
      ['groq', 'qwen/qwen3-32b', { reasoning_effort: 'high' }, { reasoning_effort: 'default' }],
      ['moonshot', 'kimi-k2.7-code', { thinking: { type: 'disabled' } }, {}],
      ['vllm', 'mistral-small-4', args({ reasoning_effort: 'high' }), { reasoning_effort: 'high' }],
    ] as const
    for (const [server, model, asked, fields] of turned) {
      const sent = chatToChat(asked, targetAt(server, model))
      expect(saidIn(sent)).toEqual(fields)
      expect(sent.notes).toMatchObject([{ field: 'thinking' }])
    }
  })

  it('decides itself whether earlier reasoning counts', () => {
    const asked = { reasoning_effort: 'high', preserve_thinking: false }
    expect(saidIn(chatToChat(asked, targetAt('dashscope', 'qwen3.6-plus')))).toEqual({
      enable_thinking: true,
      preserve_thinking: false,
    })
    const clearing = { reasoning_effort: 'high', thinking: { clear_thinking: true } }
    expect(saidIn(chatToChat(clearing, targetAt('zai', 'glm-4.7')))).toEqual({
      thinking: { type: 'enabled', clear_thinking: true },
    })
  })

  it('has its wish also where it may not send the field', () => {
    const target = { ...targetAt('vllm', 'qwen3-32b'), allowedFields: ['seed'] }
    expect(saidIn(chatToChat(args({ enable_thinking: true, evil: 1 }), target))).toEqual(
      args({ enable_thinking: true }),
    )
  })
})

describe('a setting of the user', () => {
  it('is a wish', () => {
    expect((['auto', 'off', 'low', 'high', 0, 4096] as const).map(wishOf)).toEqual([
      undefined,
      { mode: 'off' },
      { mode: 'on', effort: 'low' },
      { mode: 'on', effort: 'high' },
      { mode: 'off' },
      { mode: 'on', budgetTokens: 4096 },
    ])
  })

  it('is sent to an upstream that nothing is known of, in place of what the client says', () => {
    const { request } = readable(decodeAnthropicRequest(anthropicBody(much)))
    const sent = (setting: 'off' | 'low' | number, target: Partial<ChatTarget> = {}) =>
      saidIn(
        encodeChatRequest(
          { ...request, reasoning: wishOf(setting) },
          { model: 'm', format: 'standard', thinkingSetBy: 'user', ...target },
        ),
      )
    expect(sent('off')).toEqual({ reasoning_effort: 'none' })
    expect(sent('low')).toEqual({ reasoning_effort: 'low' })
    expect(sent(9000)).toEqual({ reasoning_effort: 'medium' })
    expect(sent('off', targetAt('vllm', 'kimi-k2.5'))).toEqual(args({ thinking: false }))
  })

  it('takes the place of a chat client’s own words', () => {
    const target = { ...targetAt('vllm', 'qwen3-32b'), thinkingSetBy: 'user' as const }
    const sent = chatToChat({ reasoning_effort: 'none', ...args({ enable_thinking: true, x: 1 }) }, target)
    expect(saidIn(sent)).toEqual(args({ enable_thinking: false, x: 1 }))
  })
})

describe('servers of open models that speak Messages', () => {
  it.each([
    ['vllm', 'qwen3-32b', off, args({ enable_thinking: false })],
    ['vllm', 'qwen3-32b', much, args({ enable_thinking: true })],
    ['vllm', 'gpt-oss-20b', most, { output_config: { effort: 'high' } }],
    ['vllm', 'gpt-oss-20b', off, { output_config: { effort: 'low' } }],
    ['sglang', 'qwen3-32b', off, { thinking: { type: 'disabled' } }],
    // To be told to think is refused without a parser for reasoning, and this model thinks anyway.
    ['sglang', 'qwen3-32b', much, {}],
    ['sglang', 'deepseek-v3.2', much, { thinking: { type: 'adaptive' } }],
    ['sglang', 'kimi-k2-thinking', off, {}],
    // It refuses so small a budget, and keeps to none.
    ['sglang', 'qwen3-32b', budget, {}],
    ['sglang', 'deepseek-v4', most, { output_config: { effort: 'max' } }],
    ['llama.cpp', 'qwen3-32b', off, { thinking: { type: 'enabled', budget_tokens: 0 } }],
    ['minimax-api', 'MiniMax-M3', off, { thinking: { type: 'disabled' } }],
    ['minimax-api', 'MiniMax-M3', much, { thinking: { type: 'adaptive' } }],
    ['minimax-api', 'MiniMax-M3', budget, { thinking: { type: 'adaptive' } }],
    // It does not think there unless it is told to, and an effort alone does not tell it.
    ['minimax-api', 'MiniMax-M3', { output_config: { effort: 'high' } }, {}],
    ['minimax-api', 'MiniMax-M2.5', much, {}],
    ['llama.cpp', 'qwen3-32b', much, {}],
    ['llama.cpp', 'qwen3-32b', budget, { thinking: { type: 'enabled', budget_tokens: 500 } }],
  ])('%s, model %s, asked for %j, gets %j', (server, model, wish, fields) => {
    expect(saidIn(anthropicToAnthropic(wish, targetAt(server, model)))).toEqual(fields)
  })

  it('are told the wish of a chat client the same way', () => {
    const target = targetAt('vllm', 'qwen3-32b')
    expect(saidIn(chatToAnthropic({ reasoning_effort: 'none' }, target))).toEqual(
      args({ enable_thinking: false }),
    )
    const unknown = chatToAnthropic({ reasoning_effort: 'high' }, targetAt('vllm', 'our-own-model'))
    expect(saidIn(unknown)).toEqual({})
    expect(notedFields(unknown.notes)).toContain('dropped thinking')
  })

  it('get a client’s own words where nothing is known of the model', () => {
    expect(saidIn(anthropicToAnthropic(most, targetAt('sglang', 'our-own-model')))).toEqual(most)
    expect(saidIn(anthropicToAnthropic(off, targetAt('vllm', 'our-own-model')))).toEqual(off)
  })

  it('get no remains of a field whose type is said elsewhere', () => {
    const asked = { thinking: { type: 'adaptive', display: 'omitted' } }
    const { body, notes } = anthropicToAnthropic(asked, targetAt('vllm', 'qwen3-32b'))
    expect(saidIn({ body })).toEqual(args({ enable_thinking: true }))
    expect(notedFields(notes)).toEqual(['dropped thinking'])
  })

  it('Anthropic itself is told what its clients say', () => {
    const target = targetAt('anthropic-api', 'claude-opus-4-8')
    for (const wish of [off, much, most, { ...off, output_config: { effort: 'high' } }]) {
      expect(saidIn(anthropicToAnthropic(wish, target))).toEqual(wish)
    }
  })
})
