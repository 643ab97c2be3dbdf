import { decodeAnthropicRequest } from '../../src/dialects/anthropic-messages/request/decode.ts'
import { encodeAnthropicRequest } from '../../src/dialects/anthropic-messages/request/encode.ts'
import type { RequestNote } from '../../src/request/notes.ts'
import type { ConversationRequest } from '../../src/request/conversation-request.ts'
import type { DecodedRequest, RequestError } from '../../src/request/decoding.ts'
import { decodeChatRequest } from '../../src/dialects/openai-chat/request/decode.ts'
import { encodeChatRequest } from '../../src/dialects/openai-chat/request/encode.ts'
import type { AnthropicTarget, ChatTarget } from '../../src/request/target.ts'

type Fields = Record<string, unknown>

/** What a test looks at in a body that was encoded. */
export interface Translated {
  readonly body: Fields
  readonly messages: Fields[]
  readonly notes: readonly RequestNote[]
}

const standard = { model: 'upstream-model', format: 'standard' } as const
const claude = { model: 'claude-x', format: 'anthropic' } as const

/** A request with the least that a client sends; every body is frozen to the bottom, so that no one writes into it. */
export function anthropicBody(fields: Fields): Fields {
  return deepFreeze({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], ...fields })
}

export function chatBody(fields: Fields): Fields {
  return deepFreeze({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields })
}

export function anthropicToChat(fields: Fields, target: Partial<ChatTarget> = {}): Translated {
  const decoded = readable(decodeAnthropicRequest(anthropicBody(fields)))
  const encoded = encodeChatRequest(deepFreeze(decoded.request), { ...standard, ...target })
  return translated(encoded.body, [...decoded.notes, ...encoded.notes])
}

export function chatToAnthropic(fields: Fields, target: Partial<AnthropicTarget> = {}): Translated {
  const decoded = readable(decodeChatRequest(chatBody(fields)))
  const encoded = encodeAnthropicRequest(deepFreeze(decoded.request), { ...claude, ...target })
  return translated(encoded.body, [...decoded.notes, ...encoded.notes])
}

export function chatToChat(fields: Fields, target: Partial<ChatTarget> = {}): Translated {
  const decoded = readable(decodeChatRequest(chatBody(fields)))
  const encoded = encodeChatRequest(deepFreeze(decoded.request), {
    ...standard,
    sameDialect: true,
    ...target,
  })
  return translated(encoded.body, [...decoded.notes, ...encoded.notes])
}

export function anthropicToAnthropic(fields: Fields, target: Partial<AnthropicTarget> = {}): Translated {
  const decoded = readable(decodeAnthropicRequest(anthropicBody(fields)))
  const encoded = encodeAnthropicRequest(deepFreeze(decoded.request), {
    ...claude,
    sameDialect: true,
    ...target,
  })
  return translated(encoded.body, [...decoded.notes, ...encoded.notes])
}

export function readable(decoded: DecodedRequest): {
  request: ConversationRequest
  notes: readonly RequestNote[]
} {
  if ('error' in decoded) throw new Error(`${decoded.error.field}: ${decoded.error.message}`)
  return decoded
}

export function errorIn(decoded: DecodedRequest): RequestError {
  if (!('error' in decoded)) throw new Error('the request was read')
  return decoded.error
}

export function notedFields(notes: readonly RequestNote[]): string[] {
  return notes.map(({ kind, field }) => `${kind} ${field}`)
}

/** What stands at a place in JSON; undefined where there is no such place. */
export function valueAt(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null
        ? Object.entries(at).find(([name]) => name === String(key))?.[1]
        : undefined,
    value,
  )
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}

function translated(body: Fields, notes: readonly RequestNote[]): Translated {
  const { messages } = body
  return { body, messages: Array.isArray(messages) ? messages : [], notes }
}
