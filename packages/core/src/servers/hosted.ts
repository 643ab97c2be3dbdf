import type { Server } from './server.ts'
import {
  byEnableThinking,
  byReasoningObject,
  byServersEfforts,
  byTemplate,
  byThinkingType,
  byThreeEfforts,
  deepseekEffort,
  effortFor,
  minimaxThinking,
  moonshotThinking,
  zaiThinking,
} from './thinking.ts'

/** These servers answer in the first field. It is not known in which they read, and they refuse neither. */
const reasoningFields = ['reasoning', 'reasoning_content']

/** Vendors and routers. They are known by their addresses. */
export const hostedServers: readonly Server[] = [
  {
    id: 'openrouter',
    title: 'OpenRouter',
    hosts: /(?:^|\.)openrouter\.ai$/,
    probes: [],
    // What the model could hold may be more than what the provider behind the router takes.
    windowAt: ['top_provider.context_length', 'context_length'],
    outputAt: ['top_provider.max_completion_tokens'],
    takes: {
      cacheControl: true,
      topK: true,
      thinking: {
        on: { 'reasoning.enabled': true },
        off: { 'reasoning.effort': 'none' },
        effort: {
          field: 'reasoning.effort',
          words: ['minimal', 'low', 'medium', 'high', 'xhigh'],
          readBy: 'server',
        },
        budget: { field: 'reasoning.max_tokens' },
      },
    },
    sessionKey: { field: 'prompt_cache_key' },
  },
  {
    id: 'openai-api',
    title: 'OpenAI',
    hosts: /^api\.openai\.com$|\.openai\.azure\.com$/,
    probes: [],
    windowAt: [],
    takes: { mostStops: 4, maxTools: 128, responsesItems: 'openai' },
    exceptions: [
      // For these models it answers 400 to fields that it accepts for all older ones.
      {
        models: /^(?:o\d|gpt-5)/,
        takes: {
          maxTokensField: 'max_completion_tokens',
          fixedSampling: true,
          thinks: true,
          thinking: { effort: effortFor(['low', 'medium', 'high'], 'server') },
        },
      },
    ],
    sessionKey: { field: 'prompt_cache_key' },
  },
  {
    id: 'anthropic-api',
    title: 'Anthropic',
    hosts: /^api\.anthropic\.com$/,
    probes: [],
    // The list tells the longest input, which is no limit of prompt and answer together.
    windowAt: [],
    outputAt: ['max_tokens'],
    takes: { billingLine: 'keep', signatures: 'checked' },
    countsTokens: true,
    runsServerTools: true,
    clientHeaders: ['anthropic-beta'],
  },
  {
    id: 'gemini-api',
    title: 'Gemini',
    hosts: /^generativelanguage\.googleapis\.com$/,
    probes: [],
    windowAt: ['inputTokenLimit'],
    outputAt: ['outputTokenLimit'],
    takes: {},
  },
  {
    id: 'moonshot',
    title: 'Moonshot',
    hosts: /(?:^|\.)moonshot\.(?:ai|cn)$|^api\.kimi\.com$/,
    probes: [],
    windowAt: ['context_length'],
    knownModels: [
      { names: /k3/i, window: 1_048_576, maxOutput: 131_072 },
      { names: /k2/i, window: 262_144, maxOutput: 32_768 },
    ],
    takes: {
      maxTokensField: 'max_completion_tokens',
      prefill: 'partial',
      forcedToolChoice: 'nudge',
      strictTools: false,
      demandsReasoning: true,
      resultsAsText: true,
      thinking: byThinkingType,
    },
    exceptions: [
      { models: /k2\.[56]/i, takes: { thinking: moonshotThinking } },
      { models: /^kimi-k(?:2\.[5-9]|[3-9])/, takes: { fixedSampling: true } },
      // It cannot be turned off there.
      { models: /k3/i, takes: { thinking: { effort: effortFor(['low', 'high', 'max']) } } },
    ],
    sessionKey: { field: 'prompt_cache_key' },
  },
  {
    id: 'deepseek-api',
    title: 'DeepSeek',
    hosts: /^api\.deepseek\.com$/,
    probes: [],
    windowAt: [],
    knownModels: [{ names: /v4|deepseek-(?:chat|reasoner)/i, window: 1_048_576, maxOutput: 393_216 }],
    takes: {
      forcedToolChoice: 'nudge while thinking',
      demandsReasoning: true,
      resultsAsText: true,
      thinking: { ...byThinkingType, effort: deepseekEffort },
    },
    exceptions: [{ models: /reasoner/, takes: { forcedToolChoice: 'nudge' } }],
  },
  {
    id: 'dashscope',
    title: 'DashScope',
    hosts: /^dashscope(?:-intl|-us|-finance)?\.aliyuncs\.com$/,
    probes: [],
    windowAt: [],
    knownModels: [
      { names: /^qwen-?3\.\d|^coder-model$/i, window: 1_000_000, maxOutput: 65_536 },
      { names: /^qwen3-coder-(?:plus|flash)|^qwen-(?:plus|flash)/i, window: 1_000_000, maxOutput: 32_768 },
      { names: /^qwen3-(?:max|coder)/i, window: 262_144, maxOutput: 32_768 },
    ],
    takes: {
      forcedToolChoice: 'nudge while thinking',
      cacheControl: true,
      topK: true,
      thinking: {
        ...byEnableThinking,
        on: { ...byEnableThinking.on, preserve_thinking: true },
        budget: { field: 'thinking_budget', least: 1, forEfforts: true },
      },
    },
    exceptions: [
      // It refuses an effort beside a budget.
      {
        models: /qwen-?3\.8/,
        takes: {
          thinking: {
            on: { preserve_thinking: true },
            off: { reasoning_effort: 'none' },
            effort: effortFor(['low', 'medium', 'high']),
          },
        },
      },
    ],
    // Without it the marks of a cache mean nothing there.
    headers: { 'x-dashscope-cachecontrol': 'enable' },
  },
  {
    id: 'zai',
    title: 'Z.ai',
    hosts: /^api\.z\.ai$|^open\.bigmodel\.cn$/,
    probes: [],
    windowAt: [],
    knownModels: [
      { names: /glm-?5\.[2-9]/i, window: 1_048_576, maxOutput: 131_072 },
      { names: /glm/i, window: 202_752 },
    ],
    tooLong: 'silence',
    takes: {
      maxTokensField: 'max_tokens',
      forcedToolChoice: 'nudge',
      strictTools: false,
      cacheControl: true,
      // Without it the arguments of a call come in one piece.
      streamedToolFields: { tool_stream: true },
      thinking: zaiThinking,
    },
    exceptions: [
      { models: /5\.2/, takes: { thinking: { ...zaiThinking, effort: effortFor(['high', 'max']) } } },
      // It cannot be turned off there.
      {
        models: /5\.3/,
        takes: { thinking: { on: zaiThinking.on, effort: effortFor(['low', 'high', 'max']) } },
      },
    ],
  },
  {
    id: 'minimax-api',
    title: 'MiniMax',
    hosts: /^api\.minimax(?:i)?\.(?:io|com|chat)$/,
    probes: [],
    windowAt: [],
    knownModels: [
      { names: /m3/i, window: 1_048_576 },
      { names: /m2/i, window: 196_608 },
    ],
    takes: {
      maxTokensField: 'max_completion_tokens',
      cacheControl: true,
      thinking: minimaxThinking.chat,
      messagesThinking: minimaxThinking.messages,
    },
  },
  {
    id: 'fireworks',
    title: 'Fireworks',
    hosts: /^api\.fireworks\.ai$/,
    probes: [],
    windowAt: ['context_length'],
    takes: {
      topK: true,
      thinking: {
        ...byServersEfforts,
        // It refuses an effort beside it.
        budget: { field: 'thinking.budget_tokens', least: 1024, beside: { 'thinking.type': 'enabled' } },
      },
    },
    sessionKey: { headers: ['x-session-affinity'], field: 'prompt_cache_key' },
  },
  {
    id: 'together',
    title: 'Together',
    hosts: /^api\.together\.(?:xyz|ai)$/,
    probes: [],
    windowAt: ['context_length'],
    takes: {
      topK: true,
      reasoningFields,
      thinking: byReasoningObject,
    },
    exceptions: [
      { models: /qwen/i, takes: { thinking: byTemplate } },
      { models: /gpt-oss/i, takes: { thinking: byThreeEfforts } },
    ],
  },
  {
    id: 'groq',
    title: 'Groq',
    hosts: /^api\.groq\.com$/,
    probes: [],
    windowAt: ['context_window'],
    outputAt: ['max_completion_tokens'],
    takes: { mostStops: 4, maxTools: 128, reasoningFields, thinking: {} },
    exceptions: [
      {
        models: /qwen/i,
        takes: { thinking: { on: { reasoning_effort: 'default' }, off: { reasoning_effort: 'none' } } },
      },
      { models: /gpt-oss/i, takes: { thinking: byThreeEfforts } },
    ],
  },
  {
    id: 'cerebras',
    title: 'Cerebras',
    hosts: /^api\.cerebras\.ai$/,
    probes: [],
    windowAt: [],
    takes: { mostStops: 4, reasoningFields, thinking: {} },
    exceptions: [
      { models: /gpt-oss/i, takes: { thinking: byThreeEfforts } },
      {
        models: /glm/i,
        takes: { thinking: { on: { clear_thinking: false }, off: { reasoning_effort: 'none' } } },
      },
    ],
    sessionKey: { field: 'prompt_cache_key' },
  },
  {
    id: 'siliconflow',
    title: 'SiliconFlow',
    hosts: /^api\.siliconflow\.(?:cn|com)$/,
    probes: [],
    windowAt: [],
    takes: {
      topK: true,
      thinking: {
        ...byEnableThinking,
        budget: { field: 'thinking_budget', least: 128, most: 32_768, forEfforts: true },
      },
    },
    exceptions: [
      {
        models: /v-?4|glm-?5\.2/i,
        takes: { thinking: { ...byEnableThinking, effort: effortFor(['high', 'max']) } },
      },
    ],
  },
  {
    id: 'novita',
    title: 'Novita',
    hosts: /^api\.novita\.ai$/,
    probes: [],
    windowAt: ['context_length', 'context_size'],
    outputAt: ['max_output_tokens'],
    takes: { topK: true, thinking: byEnableThinking },
  },
  {
    id: 'huggingface',
    title: 'Hugging Face',
    hosts: /^router\.huggingface\.co$/,
    probes: [],
    windowAt: ['providers[].context_length'],
    takes: {},
  },
  {
    id: 'xiaomi',
    title: 'Xiaomi MiMo',
    hosts: /(?:^|\.)xiaomimimo\.com$/,
    probes: [],
    windowAt: [],
    takes: { demandsReasoning: true },
  },
  {
    id: 'volcengine',
    title: 'Volcengine Ark',
    hosts: /^ark\.[\w-]+\.(?:volces|bytepluses)\.com$/,
    probes: [],
    windowAt: [],
    takes: { thinking: byThinkingType },
  },
  {
    id: 'mistral-api',
    title: 'Mistral',
    hosts: /^api\.mistral\.ai$/,
    probes: [],
    windowAt: ['max_context_length'],
    // Any field of reasoning in the history is a 400.
    takes: { prefill: 'prefix', reasoningFields: [], thinking: { effort: effortFor(['none', 'high']) } },
  },
  {
    id: 'xai',
    title: 'xAI',
    hosts: /^api\.x\.ai$/,
    probes: [],
    windowAt: ['context_length'],
    takes: {},
    sessionKey: { field: 'prompt_cache_key' },
  },
  {
    id: 'deepinfra',
    title: 'DeepInfra',
    hosts: /^api\.deepinfra\.com$/,
    probes: [],
    windowAt: ['metadata.context_length'],
    outputAt: ['metadata.max_tokens'],
    takes: { topK: true },
    sessionKey: { field: 'prompt_cache_key' },
  },
]
