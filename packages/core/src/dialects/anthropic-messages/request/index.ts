import { countOf } from '../../../json/objects.ts'
import type { RequestDialect } from '../../dialect.ts'
import { decodeAnthropicRequest } from './decode.ts'
import { encodeAnthropicRequest } from './encode.ts'
import { anthropicMessages } from './messages.ts'
import { longestToolName } from './tools.ts'

/** The requests of Anthropic Messages. */
export const anthropicRequests: RequestDialect = {
  decode: decodeAnthropicRequest,
  encode: encodeAnthropicRequest,
  messages: anthropicMessages,
  format: 'anthropic',
  passedFields: [
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
  longestToolName,
  demandsLimit: true,
  maxTokensIn: (body) => countOf(body, 'max_tokens') ?? undefined,
  threadField: 'thread',
}
