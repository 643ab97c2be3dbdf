import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeAnthropicRequest } from '../../src/dialects/anthropic-messages/request/decode.ts'
import { encodeAnthropicRequest } from '../../src/dialects/anthropic-messages/request/encode.ts'
import { decodeChatRequest } from '../../src/dialects/openai-chat/request/decode.ts'
import { encodeChatRequest } from '../../src/dialects/openai-chat/request/encode.ts'
import { anyAnthropicBody, anyChatBody } from './any-body.ts'
import { anyAnthropicMessages, anyChatMessages, plainChatMessages } from './any-messages.ts'
import { deepFreeze, readable } from './translation.ts'

const claude = { model: 'm', format: 'anthropic', sameDialect: true } as const
const standard = { model: 'm', format: 'standard', sameDialect: true } as const

describe('decoding and encoding in one dialect', () => {
  it('changes nothing in a Messages request', () => {
    fc.assert(
      fc.property(anyAnthropicBody, (body) => {
        const { request, notes } = readable(decodeAnthropicRequest(deepFreeze(body)))
        const encoded = encodeAnthropicRequest(deepFreeze(request), claude)
        expect(encoded.body).toEqual(body)
        expect([...notes, ...encoded.notes]).toEqual([])
      }),
    )
  })

  it('changes nothing in a Chat request', () => {
    fc.assert(
      fc.property(anyChatBody, (body) => {
        const { request, notes } = readable(decodeChatRequest(deepFreeze(body)))
        const encoded = encodeChatRequest(deepFreeze(request), standard)
        expect(encoded.body).toEqual(body)
        expect([...notes, ...encoded.notes]).toEqual([])
      }),
    )
  })
})

describe('messages in any form that their dialect has', () => {
  it('are the same again in Messages, and nothing is noted', () => {
    fc.assert(
      fc.property(anyAnthropicMessages, (said) => {
        const body = { model: 'm', max_tokens: 100, ...said }
        const { request, notes } = readable(decodeAnthropicRequest(deepFreeze(body)))
        const encoded = encodeAnthropicRequest(deepFreeze(request), claude)
        expect(encoded.body).toEqual(body)
        expect([...notes, ...encoded.notes]).toEqual([])
      }),
    )
  })

  it('are the same again in Chat, where the format says nothing', () => {
    fc.assert(
      fc.property(anyChatMessages, (messages) => {
        const { request, notes } = readable(decodeChatRequest(deepFreeze({ model: 'm', messages })))
        const encoded = encodeChatRequest(deepFreeze(request), standard)
        expect(encoded.body['messages']).toEqual(messages)
        expect([...notes, ...encoded.notes]).toEqual([])
      }),
    )
  })

  it('are the same again in Chat, for a template that takes instructions anywhere', () => {
    fc.assert(
      fc.property(plainChatMessages, (messages) => {
        const { request, notes } = readable(decodeChatRequest(deepFreeze({ model: 'm', messages })))
        const encoded = encodeChatRequest(deepFreeze(request), { ...standard, format: 'glm' })
        expect(encoded.body['messages']).toEqual(messages)
        expect([...notes, ...encoded.notes]).toEqual([])
      }),
    )
  })

  it('change no more at the second time, for templates that they have to be fitted to', () => {
    fc.assert(
      fc.property(anyChatMessages, (messages) => {
        const { request } = readable(decodeChatRequest({ model: 'm', messages }))
        for (const format of ['mistral', 'qwen', 'kimi'] as const) {
          const { body } = encodeChatRequest(request, { ...standard, format })
          const again = readable(decodeChatRequest(body)).request
          expect(encodeChatRequest(again, { ...standard, format }).body).toEqual(body)
        }
      }),
    )
  })
})

describe('decoding and encoding from one dialect to the other', () => {
  it('changes nothing at the second time: Messages by way of Chat', () => {
    fc.assert(
      fc.property(anyAnthropicBody, (body) => {
        const chat = encodeChatRequest(readable(decodeAnthropicRequest(body)).request, {
          ...standard,
          sameDialect: false,
        })
        const again = encodeChatRequest(readable(decodeChatRequest(chat.body)).request, standard)
        expect(again.body).toEqual(chat.body)
      }),
    )
  })
})

describe('any JSON at all', () => {
  it('is read or refused, and what was read can be sent', () => {
    const part = fc.oneof(
      fc.string(),
      fc.record({
        type: fc.constantFrom('text', 'image', 'tool_use', 'tool_result', 'thinking', 'x'),
        text: fc.jsonValue(),
      }),
      fc.jsonValue(),
    )
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'function'),
      content: fc.oneof(fc.string(), fc.array(part), fc.jsonValue()),
      tool_calls: fc.oneof(fc.constant(undefined), fc.jsonValue()),
    })
    const body = fc.record({
      model: fc.constant('m'),
      messages: fc.array(message),
      tools: fc.oneof(fc.constant([]), fc.jsonValue()),
      thinking: fc.jsonValue(),
      metadata: fc.jsonValue(),
      tool_choice: fc.jsonValue(),
      response_format: fc.jsonValue(),
      __proto__: fc.constant({}),
    })
    fc.assert(
      fc.property(fc.oneof(body, fc.jsonValue()), (any) => {
        for (const decode of [decodeAnthropicRequest, decodeChatRequest]) {
          const decoded = decode(any)
          if ('error' in decoded) {
            expect(decoded.error.field).not.toBe('')
            continue
          }
          expect(encodeChatRequest(decoded.request, standard).body['model']).toBe('m')
          expect(encodeAnthropicRequest(decoded.request, claude).body['model']).toBe('m')
        }
      }),
    )
  })
})
