import { dialects } from '../../../src/dialects/index.ts'
import { encodeAnthropicRequest } from '../../../src/dialects/anthropic-messages/request/encode.ts'
import { decodeChatRequest } from '../../../src/dialects/openai-chat/request/decode.ts'
import { encodeChatRequest } from '../../../src/dialects/openai-chat/request/encode.ts'
import { decodeResponsesRequest } from '../../../src/dialects/openai-responses/request/decode.ts'
import { encodeResponsesRequest } from '../../../src/dialects/openai-responses/request/encode.ts'
import type { ConversationRequest } from '../../../src/request/conversation-request.ts'
import type { RequestNote } from '../../../src/request/notes.ts'
import type { AnthropicTarget, ChatTarget, ResponsesTarget } from '../../../src/request/target.ts'
import { chatBody, deepFreeze, readable } from '../../request/translation.ts'

type Fields = Record<string, unknown>

export interface Written {
  readonly body: Fields
  /** The messages or items of the body. */
  readonly items: readonly Fields[]
  readonly notes: readonly RequestNote[]
}

const standard = { model: 'upstream-model', format: 'standard' } as const

/** A request with the least that a client sends. */
export function responsesBody(fields: Fields): Fields {
  return deepFreeze({ model: 'm', input: 'hi', ...fields })
}

export function decoded(fields: Fields): { request: ConversationRequest; notes: readonly RequestNote[] } {
  const read = readable(decodeResponsesRequest(responsesBody(fields)))
  deepFreeze(read.request)
  return read
}

export function toChat(fields: Fields, target: Partial<ChatTarget> = {}): Written {
  const { request, notes } = decoded(fields)
  const encoded = encodeChatRequest(request, { ...standard, ...target })
  return written(encoded.body, 'messages', [...notes, ...encoded.notes])
}

export function toAnthropic(fields: Fields, target: Partial<AnthropicTarget> = {}): Written {
  const { request, notes } = decoded(fields)
  const encoded = encodeAnthropicRequest(request, { model: 'claude-x', format: 'anthropic', ...target })
  return written(encoded.body, 'messages', [...notes, ...encoded.notes])
}

export function toGemini(fields: Fields): Written {
  const { request, notes } = decoded(fields)
  const encoded = dialects.gemini.request.encode(request, { model: 'gemini-x', format: 'standard' })
  return written(encoded.body, 'contents', [...notes, ...encoded.notes])
}

/** To an upstream of the same dialect. */
export function toResponses(fields: Fields, target: Partial<ResponsesTarget> = {}): Written {
  const { request, notes } = decoded(fields)
  const encoded = encodeResponsesRequest(request, { ...standard, sameDialect: true, ...target })
  return written(encoded.body, 'input', [...notes, ...encoded.notes])
}

export function toPlain(fields: Fields, target: Partial<ResponsesTarget> = {}): Written {
  return toResponses(fields, { responsesItems: 'plain', ...target })
}

export function toOpenAi(fields: Fields, target: Partial<ResponsesTarget> = {}): Written {
  return toResponses(fields, { responsesItems: 'openai', ...target })
}

/** From a client of the chat dialect. */
export function fromChat(fields: Fields, target: Partial<ResponsesTarget> = {}): Written {
  const { request, notes } = readable(decodeChatRequest(chatBody(fields)))
  const encoded = encodeResponsesRequest(deepFreeze(request), { ...standard, ...target })
  return written(encoded.body, 'input', [...notes, ...encoded.notes])
}

function written(body: Fields, field: string, notes: readonly RequestNote[]): Written {
  const items = body[field]
  return { body, items: Array.isArray(items) ? items : [], notes }
}
