import { countOf } from '../../../json/objects.ts'
import type { RequestDialect } from '../../dialect.ts'
import { decodeChatRequest } from './decode.ts'
import { encodeChatRequest } from './encode.ts'
import { chatMessages } from './messages.ts'
import { longestToolName } from './tools.ts'

/** The requests of OpenAI Chat Completions. */
export const chatRequests: RequestDialect = {
  decode: decodeChatRequest,
  encode: encodeChatRequest,
  messages: chatMessages,
  format: null,
  passedFields: [
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
  longestToolName,
  demandsLimit: false,
  maxTokensIn: (body) => countOf(body, 'max_completion_tokens', 'max_tokens') ?? undefined,
  threadField: null,
}
