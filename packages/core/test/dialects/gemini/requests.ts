import type { Block } from '../../../src/conversation.ts'
import type { AskedAt } from '../../../src/dialects/dialect.ts'
import { decodeGeminiRequest } from '../../../src/dialects/gemini/request/decode.ts'
import { encodeGeminiRequest } from '../../../src/dialects/gemini/request/encode.ts'
import type { ConversationRequest } from '../../../src/request/conversation-request.ts'
import type { RequestNote } from '../../../src/request/notes.ts'
import type { GeminiTarget } from '../../../src/request/target.ts'
import { encodeChatRequest } from '../../../src/dialects/openai-chat/request/encode.ts'
import { deepFreeze, errorIn, notedFields, readable } from '../../request/translation.ts'

export type Fields = Record<string, unknown>

/** Where a client asks for an answer of the model `m`. */
export const asked: AskedAt = { path: '/v1beta/models/m:generateContent', query: {} }

/** A request with the least that a client sends, frozen to the bottom, so that no one writes into it. */
export function geminiBody(fields: Fields): Fields {
  return deepFreeze({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }], ...fields })
}

export interface Read {
  readonly request: ConversationRequest
  readonly notes: readonly RequestNote[]
}

export function read(fields: Fields): Read {
  return readable(decodeGeminiRequest(geminiBody(fields), asked))
}

/** What a conversation of these contents is in nobody's dialect, without the client's own form. */
export function conversation(...contents: Fields[]): { speaker: string; blocks: unknown[] }[] {
  const { request } = read({ contents })
  return request.contents.map(({ speaker, blocks }) => ({ speaker, blocks: blocks.map(withoutOriginal) }))
}

function withoutOriginal(block: Block): unknown {
  const { original: _, ...rest } = block
  return rest
}

/** The conversation as an upstream of the dialect gets it from a client of the dialect. */
export function through(fields: Fields, target: Partial<GeminiTarget> = {}): Fields {
  const { request } = read(fields)
  return written(request, { sameDialect: true, ...target })
}

export function written(request: ConversationRequest, target: Partial<GeminiTarget> = {}): Fields {
  return encodeGeminiRequest(deepFreeze(request), { model: 'gemini-x', format: 'standard', ...target }).body
}

export const user = (...parts: Fields[]): Fields => ({ role: 'user', parts })
export const model = (...parts: Fields[]): Fields => ({ role: 'model', parts })
export const call = (name: string, args: Fields = {}, id?: string): Fields => ({
  functionCall: { ...(id === undefined ? {} : { id }), name, args },
})
export const response = (name: string, value: unknown, id?: string): Fields => ({
  functionResponse: { ...(id === undefined ? {} : { id }), name, response: value },
})

export const ids = (...contents: Fields[]): string[] =>
  conversation(user({ text: 'go' }), ...contents).flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      typeof block === 'object' && block !== null && 'callId' in block ? [String(block.callId)] : [],
    ),
  )

export const config = (generationConfig: Fields): ReturnType<typeof read> => read({ generationConfig })

export function fault(fields: Fields): string {
  return errorIn(decodeGeminiRequest(geminiBody(fields), asked)).field
}

/** The notes of a request that goes on to a chat server. */
export function notesTowardsChat(fields: Fields): string[] {
  const { request, notes } = read(fields)
  const encoded = encodeChatRequest(request, { model: 'up', format: 'standard' })
  return notedFields([...notes, ...encoded.notes])
}
