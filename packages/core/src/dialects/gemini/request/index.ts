import { countOf, objectIn } from '../../../json/objects.ts'
import type { RequestDialect } from '../../dialect.ts'
import { decodeGeminiRequest } from './decode.ts'
import { encodeGeminiRequest } from './encode.ts'
import { geminiMessages } from './messages.ts'
import { longestToolName } from './tools.ts'

/** The requests of Gemini. */
export const geminiRequests: RequestDialect = {
  decode: decodeGeminiRequest,
  encode: encodeGeminiRequest,
  messages: geminiMessages,
  format: null,
  passedFields: [
    'generationConfig',
    'labels',
    'safetySettings',
    'serviceTier',
    'store',
    'toolConfig',
    'tools',
  ],
  longestToolName,
  demandsLimit: false,
  maxTokensIn: (body) => countOf(objectIn(body, 'generationConfig'), 'maxOutputTokens') ?? undefined,
  // A conversation that is kept elsewhere is refused when the request is read.
  threadField: null,
}
