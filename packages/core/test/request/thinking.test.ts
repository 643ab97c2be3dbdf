import { describe, expect, it } from 'vitest'
import { serverById, takesOf } from '../../src/servers/registry.ts'
import type { ChatTarget } from '../../src/request/target.ts'
import { anthropicToChat, chatToChat } from './translation.ts'

/** What a body says of thinking for each wish: off, low, medium, high, and a budget of 5000 tokens. */
type Said = readonly [off: object, low: object, medium: object, high: object, budget: object]

const wishes = ['off', 'low', 'medium', 'high', 'budget'] as const

/** The wishes as Claude Code says them, which names thinking and an effort in every request. */
const messagesWishes = [
  { thinking: { type: 'disabled' }, output_config: { effort: 'high' } },
  { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
  { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } },
  { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
  { thinking: { type: 'enabled', budget_tokens: 5000 } },
]

const chatWishes = [
  { reasoning_effort: 'none' },
  { reasoning_effort: 'low' },
  { reasoning_effort: 'medium' },
  { reasoning_effort: 'high' },
  { reasoning: { max_tokens: 5000 } },
]

const otherFields = new Set(['model', 'messages', 'max_tokens', 'max_completion_tokens'])

function saidIn(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([field]) => !otherFields.has(field)))
}

function targetAt(server: string, model: string, version?: string): Partial<ChatTarget> & { model: string } {
  return { ...takesOf(serverById(server), model, version), model }
}

const args = (values: object, more: object = {}) => ({ chat_template_kwargs: values, ...more })
const effort = (word: string) => ({ reasoning_effort: word })
const nothing: Said = [{}, {}, {}, {}, {}]

/** The same for every level and for a budget. */
function alike(off: object, on: object): Said {
  return [off, on, on, on, on]
}

const byEffort: Said = [effort('none'), effort('low'), effort('medium'), effort('high'), effort('medium')]

/** Servers that people run: the template is told, and a server with a field for budgets is told them too. */
function byTemplate(off: object, on: object): Pick<Row, 'vllm' | 'sglang' | 'llama.cpp'> {
  return {
    vllm: [off, args(on), args(on), args(on), args(on, { thinking_token_budget: 5000 })],
    sglang: alike(off, args(on)),
    'llama.cpp': [off, args(on), args(on), args(on), args(on, { thinking_budget_tokens: 5000 })],
  }
}

function selfHosted(said: Said): Pick<Row, 'vllm' | 'sglang' | 'llama.cpp'> {
  return { vllm: said, sglang: said, 'llama.cpp': said }
}

interface Row {
  readonly models: readonly string[]
  readonly vllm: Said
  readonly sglang: Said
  readonly 'llama.cpp': Said
  /** For a model of which it says that it can think. */
  readonly ollama: Said
}

const enable = (on: boolean) => ({ enable_thinking: on })

const families: readonly Row[] = [
  {
    models: [
      'Qwen/Qwen3-32B',
      'qwen3.6-35b-a3b',
      'zai-org/GLM-4.5-Air',
      'glm-5.1',
      'nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B',
      'inclusionAI/Ling-2.6-flash',
      'meituan-longcat/LongCat-Flash-Thinking',
    ],
    ...byTemplate(args(enable(false)), enable(true)),
    ollama: byEffort,
  },
  {
    models: ['Qwen/Qwen3-Coder-480B-A35B-Instruct', 'Qwen/Qwen3-30B-A3B-Instruct-2507', 'qwen2.5-coder:32b'],
    ...selfHosted(nothing),
    ollama: nothing,
  },
  {
    models: [
      'Qwen/Qwen3-235B-A22B-Thinking-2507',
      'Qwen/QwQ-32B',
      'deepseek-ai/DeepSeek-R1-0528',
      'deepseek-r1-distill-llama-70b',
      'moonshotai/Kimi-K2-Thinking',
      'kimi-k2.7-code',
      'MiniMaxAI/MiniMax-M2.5',
    ],
    ...selfHosted(nothing),
    ollama: nothing,
  },
  {
    models: ['Qwen/Qwen3.8-27B'],
    ...selfHosted([
      args(enable(false), effort('none')),
      args(enable(true), effort('low')),
      args(enable(true), effort('medium')),
      args(enable(true), effort('high')),
      args(enable(true), effort('medium')),
    ]),
    ollama: byEffort,
  },
  {
    models: ['deepseek-ai/DeepSeek-V3.1-Terminus', 'deepseek-v3.2', 'ibm-granite/granite-3.3-8b-instruct'],
    ...byTemplate({}, { thinking: true }),
    ollama: byEffort,
  },
  {
    models: ['deepseek-ai/DeepSeek-V4-Flash'],
    ...selfHosted([
      args({ thinking: false }),
      args({ thinking: true }, effort('low')),
      args({ thinking: true }, effort('high')),
      args({ thinking: true }, effort('high')),
      args({ thinking: true }, effort('high')),
    ]),
    vllm: [
      args({ thinking: false }),
      args({ thinking: true }, effort('low')),
      args({ thinking: true }, effort('low')),
      args({ thinking: true }, effort('high')),
      args({ thinking: true }, effort('low')),
    ],
    ollama: [effort('none'), effort('low'), effort('high'), effort('high'), effort('high')],
  },
  {
    models: ['moonshotai/Kimi-K2.5', 'accounts/fireworks/models/kimi-k2p6'],
    ...byTemplate(args({ thinking: false }), { thinking: true }),
    ollama: byEffort,
  },
  {
    models: ['moonshotai/Kimi-K3'],
    ...selfHosted([
      args({ thinking: false }),
      args({ thinking: true }, effort('low')),
      args({ thinking: true }, effort('high')),
      args({ thinking: true }, effort('high')),
      args({ thinking: true }, effort('high')),
    ]),
    ollama: [effort('none'), effort('low'), effort('high'), effort('high'), effort('high')],
  },
  {
    models: ['zai-org/GLM-5.2'],
    ...selfHosted(alike(args(enable(false)), args({ ...enable(true), ...effort('high') }))),
    ollama: alike(effort('none'), effort('high')),
  },
  {
    models: ['zai-org/GLM-5.3-FP8'],
    ...selfHosted([
      args(enable(false)),
      args({ ...enable(true), ...effort('low') }),
      args({ ...enable(true), ...effort('high') }),
      args({ ...enable(true), ...effort('high') }),
      args({ ...enable(true), ...effort('high') }),
    ]),
    ollama: [effort('none'), effort('low'), effort('high'), effort('high'), effort('high')],
  },
  {
    models: ['MiniMaxAI/MiniMax-M3'],
    ...byTemplate(args({ thinking_mode: 'disabled' }), { thinking_mode: 'enabled' }),
    ollama: byEffort,
  },
  {
    models: ['openai/gpt-oss-120b'],
    ...selfHosted([effort('low'), effort('low'), effort('medium'), effort('high'), effort('medium')]),
    ollama: [effort('low'), effort('low'), effort('medium'), effort('high'), effort('medium')],
  },
  {
    models: ['google/gemma-4-31b-it', 'poolside/Laguna-XS.2'],
    ...byTemplate({}, enable(true)),
    ollama: byEffort,
  },
  {
    models: ['ByteDance-Seed/Seed-OSS-36B-Instruct'],
    ...selfHosted([
      args({ thinking_budget: 0 }),
      args({ thinking_budget: 2048 }),
      args({ thinking_budget: 8192 }),
      {},
      args({ thinking_budget: 5000 }),
    ]),
    ollama: byEffort,
  },
  {
    models: ['mistralai/Mistral-Small-4-119B-2603', 'mistral-medium-3.5'],
    ...selfHosted(alike(effort('none'), effort('high'))),
    ollama: alike(effort('none'), effort('high')),
  },
  {
    models: ['tencent/Hy3'],
    ...selfHosted([
      args(effort('no_think')),
      args(effort('low')),
      args(effort('high')),
      args(effort('high')),
      args(effort('high')),
    ]),
    ollama: [effort('none'), effort('low'), effort('high'), effort('high'), effort('high')],
  },
]

const type = (word: string, more: object = {}) => ({ thinking: { type: word, ...more } })

/** On, with the reasoning of earlier turns. */
const zaiOn = type('enabled', { clear_thinking: false })
const dashscopeOn = { ...enable(true), preserve_thinking: true }
const preserved = (word: string) => ({ preserve_thinking: true, ...effort(word) })

const vendors: readonly (readonly [server: string, model: string, said: Said])[] = [
  [
    'dashscope',
    'qwen3.6-plus',
    [
      enable(false),
      { ...dashscopeOn, thinking_budget: 2048 },
      { ...dashscopeOn, thinking_budget: 8192 },
      dashscopeOn,
      { ...dashscopeOn, thinking_budget: 5000 },
    ],
  ],
  ['dashscope', 'qwen3-coder-plus', nothing],
  ['dashscope', 'qwen3-235b-a22b-thinking-2507', nothing],
  [
    'dashscope',
    'qwen3.8-max',
    [effort('none'), preserved('low'), preserved('medium'), preserved('high'), preserved('medium')],
  ],
  ['zai', 'glm-4.7', alike(type('disabled'), zaiOn)],
  ['zai', 'glm-5.2', alike(type('disabled'), { ...zaiOn, ...effort('high') })],
  [
    'zai',
    'glm-5.3',
    [
      {},
      { ...zaiOn, ...effort('low') },
      { ...zaiOn, ...effort('high') },
      { ...zaiOn, ...effort('high') },
      { ...zaiOn, ...effort('high') },
    ],
  ],
  ['deepseek-api', 'deepseek-v3.2', alike(type('disabled'), type('enabled'))],
  [
    'deepseek-api',
    'deepseek-v4-pro',
    [
      type('disabled'),
      { ...type('enabled'), ...effort('low') },
      { ...type('enabled'), ...effort('high') },
      { ...type('enabled'), ...effort('high') },
      { ...type('enabled'), ...effort('high') },
    ],
  ],
  ['moonshot', 'kimi-k2.6', alike(type('disabled'), type('enabled', { keep: 'all' }))],
  ['moonshot', 'kimi-k2-thinking', nothing],
  ['moonshot', 'kimi-k2.7-code', nothing],
  ['moonshot', 'kimi-k2-0905-preview', nothing],
  ['moonshot', 'kimi-k3', [{}, effort('low'), effort('high'), effort('high'), effort('high')]],
  ['minimax-api', 'MiniMax-M3', alike(type('disabled'), type('adaptive'))],
  ['minimax-api', 'MiniMax-M2.5', nothing],
  ['novita', 'qwen/qwen3-32b', alike(enable(false), enable(true))],
  ['volcengine', 'seed-oss-36b', alike(type('disabled'), type('enabled'))],
  ['mistral-api', 'mistral-small-4', alike(effort('none'), effort('high'))],
]

function cases(server: string, models: readonly string[], said: Said) {
  return models.flatMap((model) =>
    said.map((fields, at) => [server, model, wishes[at] ?? '', fields, at] as const),
  )
}

const versions: Readonly<Record<string, string>> = { vllm: '0.27.0' }

const table = [
  ...families.flatMap((row) =>
    (['vllm', 'sglang', 'llama.cpp', 'ollama'] as const).flatMap((server) =>
      cases(server, row.models, row[server]),
    ),
  ),
  ...vendors.flatMap(([server, model, said]) => cases(server, [model], said)),
]

describe('a wish to think, or not to', () => {
  it.each(table)('at %s, model %s, %s: %j', (server, model, _, fields, at) => {
    const target = targetAt(server, model, versions[server])
    expect(saidIn(anthropicToChat(messagesWishes[at] ?? {}, target).body)).toEqual(fields)
  })

  it.each(table)('of a chat client, at %s, model %s, %s: %j', (server, model, wish, fields, at) => {
    const target = targetAt(server, model, versions[server])
    const said = saidIn(chatToChat(chatWishes[at] ?? {}, target).body)
    // Where the client's own words are among those that mean its wish, they are enough.
    if (wish === 'off' || Object.keys(said).length === 0) expect(said).toEqual(fields)
    else expect(fields).toMatchObject(said)
  })

  it.each(families.flatMap(({ models }) => models))(
    'is not said at Ollama to %s without the ability',
    (model) => {
      const target = { ...targetAt('ollama', model), thinks: false }
      for (const [at, wish] of messagesWishes.entries()) {
        expect(saidIn(anthropicToChat(wish, target).body)).toEqual({})
        expect(saidIn(chatToChat(chatWishes[at] ?? {}, target).body)).toEqual({})
      }
    },
  )
})
