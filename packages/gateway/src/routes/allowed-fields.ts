import type { Dialect } from './plan.ts'

/**
 * Which of the fields that we only pass on may come from clients that need a key. An upstream can have fields that
 * change its templates, its routing or where it fetches from; whoever pays for it decides about those, under
 * `upstreams.*.body`.
 */
export const allowedFields: Readonly<Record<Dialect, readonly string[]>> = {
  'openai-chat': [
    'audio',
    'enable_thinking',
    'frequency_penalty',
    'logit_bias',
    'logprobs',
    'max_completion_tokens',
    'metadata',
    'min_p',
    'modalities',
    'n',
    'prediction',
    'presence_penalty',
    'prompt_cache_key',
    'prompt_cache_retention',
    'reasoning',
    'repetition_penalty',
    'response_format',
    'safety_identifier',
    'seed',
    'service_tier',
    'store',
    'stream_options',
    'thinking',
    'tools',
    'top_a',
    'top_k',
    'top_logprobs',
    'verbosity',
    'web_search_options',
  ],
  'anthropic-messages': [
    'cache_control',
    'container',
    'context_management',
    'inference_geo',
    'metadata',
    'output_config',
    'output_format',
    'service_tier',
    'speed',
    'thinking',
    'tools',
    'top_k',
  ],
}
