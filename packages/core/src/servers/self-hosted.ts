import { isJsonObject, type JsonObject, nonEmptyText } from '../json/objects.ts'
import type { ModelFacts, Server } from './server.ts'
import {
  byTemplate,
  llamaCppThinking,
  ollamaThinking,
  sglangThinking,
  studioThinking,
  vllmThinking,
} from './thinking.ts'

/** Routers in front of these servers look for the key of a conversation under one of these names. */
const sessionKey = { headers: ['x-session-id', 'x-session-affinity', 'x-smg-routing-key'] }

/** Servers that people run themselves. They are known by what they answer, or by what the configuration says. */
export const selfHostedServers: readonly Server[] = [
  {
    id: 'vllm',
    title: 'vLLM',
    port: 8000,
    owner: /^vllm$/,
    probes: [{ path: '/version', read: (answer) => versionIn(answer, 'version') }],
    windowAt: ['max_model_len'],
    withoutLimit: 'rest of the window',
    takes: {
      topK: true,
      responsesItems: 'plain',
      thinking: vllmThinking.chat,
      messagesThinking: vllmThinking.messages,
      responsesThinking: vllmThinking.responses,
    },
    exceptions: [
      { since: '0.18', takes: { thinking: vllmThinking.since18 } },
      { since: '0.19', takes: { thinking: vllmThinking.since19 } },
      { since: '0.21', takes: { thinking: vllmThinking.since21 } },
      { models: /deepseek.*v-?4/i, since: '0.21', takes: { thinking: vllmThinking.deepseekV4 } },
      // These versions show the model only the reasoning that stands in the newer field.
      { since: '0.16', until: '0.22', takes: { reasoningFields: ['reasoning', 'reasoning_content'] } },
    ],
    // Since 0.25 its parsers swallow calls of a model that was told to make none.
    textCalls: {
      by: 'fields',
      fields: { tool_choice: 'none', skip_special_tokens: false },
      until: '0.25',
    },
    sessionKey,
    countsTokens: true,
  },
  {
    id: 'sglang',
    title: 'SGLang',
    port: 30000,
    owner: /^sglang$/,
    probes: [
      {
        path: '/model_info',
        proves: true,
        read: (answer) =>
          'model_path' in answer && modelInfoFields.some((field) => field in answer) ? {} : null,
      },
    ],
    windowAt: ['max_model_len'],
    withoutLimit: 'rest of the window',
    takes: {
      topK: true,
      thinking: sglangThinking.chat,
      messagesThinking: sglangThinking.messages,
      redactedThinking: false,
      responsesItems: 'plain',
    },
    sessionKey,
    countsTokens: true,
  },
  {
    id: 'llama.cpp',
    title: 'llama.cpp',
    port: 8080,
    owner: /^llamacpp$/,
    probes: [
      {
        path: '/props',
        proves: true,
        read: (answer) => {
          const settings = objectAt(answer, 'default_generation_settings')
          if (settings === undefined) return null
          const vision = objectAt(answer, 'modalities')?.['vision']
          return {
            ...versionIn(answer, 'build_info'),
            model: {
              ...window(settings['n_ctx']),
              ...(typeof vision === 'boolean' ? { images: vision } : {}),
            },
          }
        },
      },
    ],
    windowAt: ['meta.n_ctx'],
    trainedWindowAt: ['meta.n_ctx_train'],
    withoutLimit: 'rest of the window',
    // The object form of a named choice means `auto` to it.
    takes: {
      topK: true,
      namedToolChoice: 'alone',
      responsesItems: 'plain',
      thinking: llamaCppThinking.chat,
      messagesThinking: llamaCppThinking.messages,
    },
    textCalls: { by: 'fields', fields: { tool_choice: 'none', reasoning_format: 'none' } },
    sessionKey,
    countsTokens: true,
  },
  {
    id: 'ollama',
    title: 'Ollama',
    port: 11434,
    owner: /^library$/,
    probes: [
      { path: '/api/version', read: (answer) => versionIn(answer, 'version') },
      { path: '/api/ps', read: (answer) => ({ models: loadedIn(answer) }) },
      {
        path: '/api/show',
        body: (model) => ({ model }),
        read: (answer) => {
          const { capabilities } = answer
          if (!Array.isArray(capabilities)) return null
          const info = Object.entries(objectAt(answer, 'model_info') ?? {})
          const trained = info.find(([name]) => name.endsWith('.context_length'))?.[1]
          return {
            model: {
              tools: capabilities.includes('tools'),
              thinking: capabilities.includes('thinking'),
              images: capabilities.includes('vision'),
              ...(isCount(trained) ? { trainedWindow: trained } : {}),
            },
          }
        },
      },
    ],
    windowAt: [],
    withoutLimit: 'rest of the window',
    tooLong: 'silence',
    // Without `temperature` and `top_p` both are 1 there, whatever the model was made for. Nothing is sent in their place,
    // because the values of its makers are not known for each family.
    takes: {
      maxTokensField: 'max_tokens',
      reasoningFields: ['reasoning'],
      resultsAsText: true,
      forcedToolChoice: 'nudge',
      namedToolChoice: 'alone',
      noneToolChoice: 'no-tools',
      responsesItems: 'plain',
      // It shows the model no other reasoning of earlier items.
      responsesReasoning: 'encrypted_content',
      thinking: ollamaThinking.chat,
      responsesThinking: ollamaThinking.responses,
    },
    exceptions: [
      {
        since: '0.33',
        takes: { thinking: ollamaThinking.since33, responsesThinking: ollamaThinking.responsesSince33 },
      },
    ],
    textCalls: { by: 'prompt' },
    aliasesOf: ollamaNames,
  },
  {
    id: 'lm-studio',
    title: 'LM Studio',
    port: 1234,
    owner: /^organization_owner$/,
    probes: [
      {
        path: '/api/v0/models',
        proves: true,
        read: (answer) => {
          const models = objectsAt(answer, 'data')
          const isItsOwn = models.some(
            (model) => 'max_context_length' in model || 'loaded_context_length' in model,
          )
          return isItsOwn ? { models: studioModels(models) } : null
        },
      },
      {
        path: '/api/v1/models',
        read: (answer) => {
          const models = objectsAt(answer, 'models')
          const isItsOwn = models.some((model) => 'loaded_instances' in model)
          return isItsOwn ? { models: studioInstances(models) } : null
        },
      },
    ],
    windowAt: ['loaded_context_length'],
    tooLong: 'silence',
    takes: { topK: true, responsesItems: 'plain', thinking: studioThinking },
    textCalls: { by: 'prompt' },
  },
  {
    id: 'tgi',
    title: 'Text Generation Inference',
    port: 3000,
    probes: [
      {
        path: '/info',
        proves: true,
        read: (answer) => {
          const { model_id: model } = answer
          if (typeof model !== 'string' || !('max_total_tokens' in answer || 'max_input_tokens' in answer)) {
            return null
          }
          return { ...versionIn(answer, 'version'), model: window(answer['max_total_tokens']) }
        },
      },
    ],
    windowAt: [],
    takes: {},
    textCalls: { by: 'prompt' },
  },
  {
    id: 'mlx-lm',
    title: 'MLX-LM',
    port: 8080,
    probes: [],
    windowAt: [],
    // Without a limit an answer ends in the middle of its first call.
    withoutLimit: 512,
    takes: {
      topK: true,
      reasoningFields: ['reasoning', 'reasoning_content'],
      thinking: byTemplate,
      // It reads no choice of a tool.
      forcedToolChoice: 'nudge',
      namedToolChoice: 'alone',
      noneToolChoice: 'no-tools',
    },
    textCalls: { by: 'prompt' },
  },
  {
    id: 'tensorrt-llm',
    title: 'TensorRT-LLM',
    port: 8000,
    owner: /^tensorrt[_-]llm$/,
    probes: [],
    windowAt: ['max_model_len', 'context_window'],
    withoutLimit: 'rest of the window',
    takes: { topK: true },
    sessionKey,
  },
  {
    id: 'dynamo',
    title: 'Dynamo',
    port: 8000,
    owner: /^nvidia$/,
    probes: [],
    windowAt: ['context_window', 'max_model_len'],
    takes: { topK: true },
    sessionKey: { headers: ['x-dynamo-session-id', ...sessionKey.headers] },
  },
]

/** Fields of SGLang's answer of which each version has at least one. */
const modelInfoFields = ['tool_call_parser', 'reasoning_parser', 'is_generation']

/**
 * A name without a tag means the newest, and the library is where every name without a place stands. Capital letters
 * make no difference.
 */
function ollamaNames(model: string): string[] {
  const name = model.toLowerCase().replace(/^(?:registry\.ollama\.ai\/)?(?:library\/)?/, '')
  return /:[^/]*$/.test(name) ? [name] : [`${name}:latest`]
}

function versionIn(answer: JsonObject, field: string): { version: string } | null {
  const version = nonEmptyText(answer[field])
  return version === null ? null : { version }
}

/** Ollama tells the window that it really gave a model only while that model is loaded. */
function loadedIn(answer: JsonObject): ReadonlyMap<string, ModelFacts> {
  return new Map(
    objectsAt(answer, 'models').flatMap((model) =>
      [model['name'], model['model']]
        .filter((name) => typeof name === 'string')
        .map((name) => [name, window(model['context_length'])] as const),
    ),
  )
}

function studioModels(models: readonly JsonObject[]): ReadonlyMap<string, ModelFacts> {
  return new Map(
    models.flatMap(({ id, type, capabilities, loaded_context_length: loaded, max_context_length: most }) => {
      if (typeof id !== 'string') return []
      const facts: ModelFacts = {
        ...window(loaded),
        ...(isCount(most) ? { trainedWindow: most } : {}),
        ...(Array.isArray(capabilities) ? { tools: capabilities.includes('tool_use') } : {}),
        ...(typeof type === 'string' ? { images: type === 'vlm' } : {}),
      }
      return [[id, facts] as const]
    }),
  )
}

/** A model may be loaded several times. Nobody says which instance answers, so the smallest window counts. */
function studioInstances(models: readonly JsonObject[]): ReadonlyMap<string, ModelFacts> {
  return new Map(
    models.flatMap((model) => {
      const instances = objectsAt(model, 'loaded_instances')
      const windows = instances
        .map((instance) => objectAt(instance, 'config')?.['context_length'])
        .filter((tokens) => isCount(tokens))
      const { vision, trained_for_tool_use: tools } = objectAt(model, 'capabilities') ?? {}
      const most = model['max_context_length']
      const facts: ModelFacts = {
        ...(windows.length === 0 ? {} : { window: Math.min(...windows) }),
        ...(isCount(most) ? { trainedWindow: most } : {}),
        ...(typeof tools === 'boolean' ? { tools } : {}),
        ...(typeof vision === 'boolean' ? { images: vision } : {}),
      }
      return [model['key'], ...instances.map(({ id }) => id)]
        .filter((name) => typeof name === 'string')
        .map((name) => [name, facts] as const)
    }),
  )
}

function window(value: unknown): ModelFacts {
  return isCount(value) ? { window: value } : {}
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

function objectsAt(answer: JsonObject, field: string): JsonObject[] {
  const list = answer[field]
  return Array.isArray(list) ? list.filter((entry: unknown) => isJsonObject(entry)) : []
}

function objectAt(answer: JsonObject, field: string): JsonObject | undefined {
  const value = answer[field]
  return isJsonObject(value) ? value : undefined
}
