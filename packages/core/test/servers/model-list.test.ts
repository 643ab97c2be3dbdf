import { describe, expect, it } from 'vitest'
import {
  entriesIn,
  factsByName,
  isSameModel,
  modelsOf,
  serverAt,
  serverById,
  serverOfList,
  servers,
} from '../../src/index.ts'

function read(answer: unknown, server = serverOfList(entriesIn(answer) ?? [])) {
  return { server: server?.id, models: modelsOf(entriesIn(answer) ?? [], server) }
}

describe('a list of models', () => {
  it('of vLLM tells the window', () => {
    const answer = {
      object: 'list',
      data: [{ id: 'Qwen/Qwen3-30B', object: 'model', owned_by: 'vllm', max_model_len: 40_000 }],
    }
    expect(read(answer)).toEqual({ server: 'vllm', models: [{ id: 'Qwen/Qwen3-30B', window: 40_000 }] })
  })

  it('of vLLM tells no window for an adapter', () => {
    const answer = { data: [{ id: 'lora', owned_by: 'vllm', max_model_len: null }] }
    expect(read(answer)).toEqual({ server: 'vllm', models: [{ id: 'lora' }] })
  })

  it('of llama.cpp tells the window of a slot apart from that of the training', () => {
    const answer = {
      models: [{ name: 'qwen.gguf', model: 'qwen.gguf' }],
      data: [{ id: 'qwen.gguf', owned_by: 'llamacpp', meta: { n_ctx: 8192, n_ctx_train: 262_144 } }],
    }
    expect(read(answer)).toEqual({
      server: 'llama.cpp',
      models: [{ id: 'qwen.gguf', window: 8192, trainedWindow: 262_144 }],
    })
  })

  it('of an older llama.cpp tells that of the training alone', () => {
    const answer = { data: [{ id: 'qwen.gguf', owned_by: 'llamacpp', meta: { n_ctx_train: 40_960 } }] }
    expect(read(answer).models).toEqual([{ id: 'qwen.gguf', trainedWindow: 40_960 }])
  })

  it('of Hugging Face tells the smallest window of the providers, and whether one takes tools', () => {
    const answer = {
      data: [
        {
          id: 'Qwen/Qwen3-32B',
          providers: [
            { provider: 'a', context_length: 131_072, supports_tools: false },
            { provider: 'b', context_length: 40_960, supports_tools: true },
            { provider: 'c', status: 'error' },
          ],
        },
        { id: 'x/y', providers: [{ provider: 'a', supports_tools: false }] },
        { id: 'x/z', providers: [] },
      ],
    }
    expect(read(answer, serverAt('https://router.huggingface.co/v1')).models).toEqual([
      { id: 'Qwen/Qwen3-32B', window: 40_960, tools: true },
      { id: 'x/y', tools: false },
      { id: 'x/z' },
    ])
  })

  it('of Anthropic tells no window: its limit is one of the input alone', () => {
    const answer = { data: [{ id: 'claude-opus-4-8', max_input_tokens: 200_000, max_tokens: 128_000 }] }
    expect(read(answer, serverById('anthropic-api')).models).toEqual([
      { id: 'claude-opus-4-8', maxOutput: 128_000 },
    ])
  })

  it('of OpenRouter tells what the provider takes, where that is less', () => {
    const answer = {
      data: [
        {
          id: 'qwen/qwen3-coder:free',
          context_length: 1_048_576,
          top_provider: { context_length: 262_000, max_completion_tokens: 32_768 },
          supported_parameters: ['tools', 'temperature'],
          architecture: { input_modalities: ['text', 'image'] },
        },
      ],
    }
    expect(read(answer, serverAt('https://openrouter.ai/api/v1')).models).toEqual([
      {
        id: 'qwen/qwen3-coder:free',
        window: 262_000,
        maxOutput: 32_768,
        tools: true,
        thinking: false,
        images: true,
      },
    ])
  })

  it('of a server that nobody knows is searched for a window in every place that one of them has', () => {
    const answer = {
      data: [
        { id: 'm', context_length: 65_536 },
        { id: 'n', max_model_len: 1024 },
      ],
    }
    expect(read(answer).models).toEqual([
      { id: 'm', window: 65_536 },
      { id: 'n', window: 1024 },
    ])
  })

  it.each([['text'], [null], [{}], [{ data: 'none' }], [{ data: [null, 3, { id: 7 }] }]])(
    'that is none tells nothing: %j',
    (answer) => {
      expect(entriesIn(answer) ?? []).toEqual([])
    },
  )

  it.each([['0'], [-1], [1.5], [0], [Number.MAX_VALUE]])('with the window %j tells no window', (window) => {
    expect(modelsOf([{ id: 'm', max_model_len: window }], serverById('vllm'))).toEqual([{ id: 'm' }])
  })
})

function probe(server: string, path: string, answer: object, model = 'm') {
  const found = serverById(server)?.probes.find((one) => one.path === path)
  if (found === undefined) throw new Error(`${server} has no probe ${path}`)
  return found.read({ ...answer }, model)
}

describe('what a probe tells', () => {
  it('the version of vLLM and of Ollama', () => {
    expect(probe('vllm', '/version', { version: '0.21.0' })).toEqual({ version: '0.21.0' })
    expect(probe('ollama', '/api/version', { version: '0.33.0' })).toEqual({ version: '0.33.0' })
    expect(probe('vllm', '/version', { detail: 'Not Found' })).toBeNull()
  })

  it('the window and the eyes of a model in llama.cpp', () => {
    const answer = { default_generation_settings: { n_ctx: 4096 }, modalities: { vision: false } }
    expect(probe('llama.cpp', '/props', answer)).toEqual({ model: { window: 4096, images: false } })
  })

  it('what a model of Ollama can do, and the window that it was given', () => {
    const shown = {
      capabilities: ['completion', 'tools'],
      model_info: { 'qwen2.context_length': 32_768, 'general.architecture': 'qwen2' },
    }
    expect(probe('ollama', '/api/show', shown)).toEqual({
      model: { tools: true, thinking: false, images: false, trainedWindow: 32_768 },
    })
    const loaded = { models: [{ name: 'qwen2.5:7b', model: 'qwen2.5:7b', context_length: 4096 }] }
    expect(probe('ollama', '/api/ps', loaded)?.models?.get('qwen2.5:7b')).toEqual({ window: 4096 })
  })

  it('the models that LM Studio has loaded', () => {
    const answer = {
      data: [
        {
          id: 'a',
          type: 'llm',
          loaded_context_length: 4096,
          max_context_length: 131_072,
          capabilities: ['tool_use'],
        },
        { id: 'b', type: 'vlm', max_context_length: 32_768 },
      ],
    }
    expect([...(probe('lm-studio', '/api/v0/models', answer)?.models ?? [])]).toEqual([
      ['a', { window: 4096, trainedWindow: 131_072, tools: true, images: false }],
      ['b', { trainedWindow: 32_768, images: true }],
    ])
  })

  it('the smallest window that LM Studio gave an instance of a model', () => {
    const answer = {
      models: [
        {
          key: 'qwen/qwen3',
          max_context_length: 131_072,
          loaded_instances: [
            { id: 'qwen/qwen3', config: { context_length: 32_768 } },
            { id: 'qwen/qwen3:2', config: { context_length: 4096 } },
          ],
          capabilities: { vision: false, trained_for_tool_use: true },
        },
        { key: 'b', max_context_length: 8192, loaded_instances: [] },
      ],
    }
    const facts = { window: 4096, trainedWindow: 131_072, tools: true, images: false }
    expect([...(probe('lm-studio', '/api/v1/models', answer)?.models ?? [])]).toEqual([
      ['qwen/qwen3', facts],
      ['qwen/qwen3:2', facts],
      ['b', { trainedWindow: 8192 }],
    ])
    expect(probe('lm-studio', '/api/v1/models', { models: [{ name: 'm' }] })).toBeNull()
    expect(probe('lm-studio', '/api/v1/models', { error: 'Unexpected endpoint' })).toBeNull()
  })

  it('the window of Text Generation Inference', () => {
    const answer = { model_id: 'x/y', max_input_tokens: 3000, max_total_tokens: 4096, version: '3.3.4' }
    expect(probe('tgi', '/info', answer)).toEqual({ version: '3.3.4', model: { window: 4096 } })
    expect(probe('tgi', '/info', { name: 'something else' })).toBeNull()
  })
})

describe('a probe that proves what server answers', () => {
  it('is one of those whose answers no other server gives', () => {
    const proving = servers.flatMap(({ id, probes }) =>
      probes.filter(({ proves }) => proves === true).map(({ path }) => `${id} ${path}`),
    )
    expect(proving).toEqual([
      'sglang /model_info',
      'llama.cpp /props',
      'lm-studio /api/v0/models',
      'tgi /info',
    ])
  })

  it.each([
    ['sglang', '/model_info', { model_path: 'x/y', is_generation: true }, {}],
    ['sglang', '/model_info', { model_path: 'x/y', reasoning_parser: null }, {}],
    ['sglang', '/model_info', { model_path: 'x/y' }, null],
    ['sglang', '/model_info', { reasoning_parser: 'qwen3' }, null],
    ['llama.cpp', '/props', { model_path: 'x' }, null],
    ['lm-studio', '/api/v0/models', { data: [{ id: 'm', owned_by: 'somebody' }] }, null],
    ['lm-studio', '/api/v0/models', { data: [] }, null],
    ['tgi', '/info', { model_id: 'x/y' }, null],
  ])('%s %s, answer %j: %j', (server, path, answer, told) => {
    expect(probe(server, path, answer)).toEqual(told)
  })
})

describe('a name in the list of a server', () => {
  const ollama = serverById('ollama')

  it.each([
    ['qwen3:latest', 'qwen3', true],
    ['qwen3:latest', 'Qwen3', true],
    ['hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M', 'hf.co/unsloth/qwen3-8b-gguf:q4_k_m', true],
    ['qwen3:latest', 'registry.ollama.ai/library/qwen3:latest', true],
    ['qwen3:8b', 'qwen3', false],
    ['someone/qwen3:latest', 'qwen3', false],
  ])('of Ollama, %s, for the model %s: %s', (listed, model, expected) => {
    expect(isSameModel(ollama, listed, model)).toBe(expected)
  })

  it('means only itself elsewhere', () => {
    expect(isSameModel(serverById('vllm'), 'qwen3', 'qwen3')).toBe(true)
    expect(isSameModel(serverById('vllm'), 'qwen3:latest', 'qwen3')).toBe(false)
    expect(isSameModel(undefined, 'Qwen3', 'qwen3')).toBe(false)
  })
})

describe('the list of a server that speaks Gemini', () => {
  it('has the names of resources, and two limits', () => {
    const models = [
      { name: 'models/gemini-x', inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 },
      { name: 'tunedModels/y' },
    ]
    expect(modelsOf(entriesIn({ models }) ?? [], undefined)).toEqual([
      { id: 'gemini-x', window: 1_048_576, maxOutput: 65_536 },
    ])
  })
})

describe('a model whose server tells nothing', () => {
  it('is known by its name', () => {
    expect(factsByName(serverAt('https://api.z.ai/api/paas/v4'), 'glm-5.1')).toMatchObject({
      window: 202_752,
    })
    expect(factsByName(serverAt('https://api.deepseek.com'), 'deepseek-v4')).toMatchObject({
      window: 1_048_576,
    })
    expect(factsByName(undefined, 'glm-5.1')).toEqual({})
  })

  it('has no limit for its answer where nobody tells one', () => {
    expect(factsByName(serverById('zai'), 'glm-4.7')).toEqual({ window: 202_752 })
  })

  it.each([
    ['qwen3.6-plus', { window: 1_000_000, maxOutput: 65_536 }],
    ['qwen3.8-max', { window: 1_000_000, maxOutput: 65_536 }],
    ['qwen3.5-flash', { window: 1_000_000, maxOutput: 65_536 }],
    ['qwen3-coder-plus', { window: 1_000_000, maxOutput: 32_768 }],
    ['qwen3-coder-flash-2026-01-01', { window: 1_000_000, maxOutput: 32_768 }],
    ['qwen-plus-latest', { window: 1_000_000, maxOutput: 32_768 }],
    ['qwen3-max', { window: 262_144, maxOutput: 32_768 }],
    ['qwen3-coder-480b-a35b-instruct', { window: 262_144, maxOutput: 32_768 }],
    ['qwen-vl-max', {}],
  ])('is, at DashScope, %s: %j', (model, facts) => {
    expect(factsByName(serverById('dashscope'), model)).toEqual(facts)
  })
})
