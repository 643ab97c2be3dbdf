import { isJsonObject, type JsonObject, nonEmptyText } from '../json/objects.ts'
import type { ModelFacts, Server } from './server.ts'
import {
  byServersEfforts,
  byTemplate,
  llamaCppThinking,
  ollamaThinking,
  sglangThinking,
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
    },
    exceptions: [
      { since: '0.18', takes: { thinking: vllmThinking.since18 } },
      { since: '0.19', takes: { thinking: vllmThinking.since19 } },
      { since: '0.21', takes: { thinking: vllmThinking.since21 } },
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
        read: (answer) =>
          'reasoning_parser' in answer || 'tool_call_parser' in answer || 'model_path' in answer ? {} : null,
      },
    ],
    windowAt: ['max_model_len'],
    withoutLimit: 'rest of the window',
    takes: {
      topK: true,
      responsesItems: 'plain',
      thinking: sglangThinking.chat,
      messagesThinking: sglangThinking.messages,
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
    takes: {
      maxTokensField: 'max_tokens',
      reasoningFields: ['reasoning'],
      resultsAsText: true,
      forcedToolChoice: 'nudge',
      namedToolChoice: 'alone',
      noneToolChoice: 'no-tools',
      responsesItems: 'plain',
      thinking: ollamaThinking,
    },
    textCalls: { by: 'prompt' },
  },
  {
    id: 'lm-studio',
    title: 'LM Studio',
    port: 1234,
    owner: /^organization_owner$/,
    probes: [
      {
        path: '/api/v0/models',
        read: (answer) => {
          const { data } = answer
          return Array.isArray(data) ? { models: studioModels(data) } : null
        },
      },
    ],
    windowAt: ['loaded_context_length'],
    tooLong: 'silence',
    takes: { topK: true, responsesItems: 'plain', thinking: byServersEfforts },
    textCalls: { by: 'prompt' },
  },
  {
    id: 'tgi',
    title: 'Text Generation Inference',
    port: 3000,
    probes: [
      {
        path: '/info',
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
    takes: { topK: true, reasoningFields: ['reasoning', 'reasoning_content'], thinking: byTemplate },
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

function versionIn(answer: JsonObject, field: string): { version: string } | null {
  const version = nonEmptyText(answer[field])
  return version === null ? null : { version }
}

/** Ollama tells the window that it really gave a model only while that model is loaded. */
function loadedIn({ models }: JsonObject): ReadonlyMap<string, ModelFacts> {
  const loaded = Array.isArray(models) ? models.filter((model: unknown) => isJsonObject(model)) : []
  return new Map(
    loaded.flatMap((model) =>
      [model['name'], model['model']]
        .filter((name) => typeof name === 'string')
        .map((name) => [name, window(model['context_length'])] as const),
    ),
  )
}

function studioModels(list: readonly unknown[]): ReadonlyMap<string, ModelFacts> {
  const models = list.filter((model) => isJsonObject(model))
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

function window(value: unknown): ModelFacts {
  return isCount(value) ? { window: value } : {}
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

function objectAt(answer: JsonObject, field: string): JsonObject | undefined {
  const value = answer[field]
  return isJsonObject(value) ? value : undefined
}
