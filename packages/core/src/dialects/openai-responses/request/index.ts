import { countOf } from '../../../json/objects.ts'
import type { RequestDialect } from '../../dialect.ts'
import { decodeResponsesRequest } from './decode.ts'
import { encodeResponsesRequest } from './encode.ts'
import { responsesMessages } from './messages.ts'
import { itemReferences } from './references.ts'
import { longestToolName } from './tools.ts'

/** The requests of OpenAI Responses. */
export const responsesRequests: RequestDialect = {
  decode: decodeResponsesRequest,
  encode: encodeResponsesRequest,
  messages: responsesMessages,
  format: null,
  passedFields: [
    'context_management',
    'frequency_penalty',
    'include',
    'max_tool_calls',
    'metadata',
    'min_p',
    'presence_penalty',
    'prompt_cache_key',
    'prompt_cache_options',
    'prompt_cache_retention',
    'reasoning',
    'repetition_penalty',
    'safety_identifier',
    'service_tier',
    'stream_options',
    'text',
    'tools',
    'top_k',
    'top_logprobs',
    'truncation',
    'verbosity',
  ],
  longestToolName,
  demandsLimit: false,
  maxTokensIn: (body) => countOf(body, 'max_output_tokens') ?? undefined,
  // A client that leaves its conversation with a server is told that nothing is kept, whoever the upstream is.
  threadField: null,
  references: itemReferences,
}
