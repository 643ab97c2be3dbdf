import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeAnthropicRequest } from '../../../src/dialects/anthropic-messages/request/decode.ts'
import { encodeAnthropicRequest } from '../../../src/dialects/anthropic-messages/request/encode.ts'
import { decodeGeminiRequest } from '../../../src/dialects/gemini/request/decode.ts'
import { encodeGeminiRequest } from '../../../src/dialects/gemini/request/encode.ts'
import { openApiSchemaOf } from '../../../src/dialects/gemini/schema.ts'
import { decodeChatRequest } from '../../../src/dialects/openai-chat/request/decode.ts'
import { encodeChatRequest } from '../../../src/dialects/openai-chat/request/encode.ts'
import type { ConversationRequest } from '../../../src/request/conversation-request.ts'
import type { DecodedRequest } from '../../../src/request/decoding.ts'
import { anyAnthropicMessages, anyChatMessages } from '../../request/any-messages.ts'
import { deepFreeze, readable, valueAt } from '../../request/translation.ts'
import { asked, call, type Fields, model, read, response, user, written } from './requests.ts'

/** What Google answers 400 to, in a conversation; none in one that is sound. */
function faultsIn(body: Fields): string[] {
  const contents = listIn(body, 'contents')
  const faults: string[] = []
  let calls: unknown[] = []
  for (const [at, content] of contents.entries()) {
    const role = valueAt(content, 'role')
    const parts = listIn(content, 'parts')
    if (role !== (at % 2 === 0 ? 'user' : 'model')) faults.push(`${at}: the roles do not alternate`)
    if (parts.length === 0) faults.push(`${at}: no parts`)
    const responses = namesIn(parts, 'functionResponse')
    if (JSON.stringify(responses) !== JSON.stringify(calls)) faults.push(`${at}: other responses than calls`)
    if (responses.length > 0 && !('functionResponse' in Object(parts[0]))) faults.push(`${at}: not in front`)
    calls = namesIn(parts, 'functionCall')
    if (calls.some((name) => name === '' || name === undefined)) faults.push(`${at}: a call without a name`)
    const first = parts.find((part) => valueAt(part, 'functionCall') !== undefined)
    if (first !== undefined && typeof valueAt(first, 'thoughtSignature') !== 'string')
      faults.push(`${at}: a first call without a signature`)
  }
  if (calls.length > 0) faults.push('the last calls have no responses')
  return faults
}

function listIn(value: unknown, field: string): unknown[] {
  const list = valueAt(value, field)
  return Array.isArray(list) ? list : []
}

function namesIn(parts: readonly unknown[], kind: string): unknown[] {
  return parts.filter((part) => valueAt(part, kind) !== undefined).map((part) => valueAt(part, kind, 'name'))
}

function expectSound(decoded: DecodedRequest): void {
  expect(faultsIn(written(readable(decoded).request))).toEqual([])
}

const anyText = fc.string({ minLength: 1, maxLength: 6 })
const anyName = fc.constantFrom('f', 'g')
const anyId = fc.constantFrom(undefined, 'a', 'b', 'c')
const anyArgs = fc.dictionary(fc.constantFrom('a_b', 'type', '$ref'), fc.jsonValue({ maxDepth: 1 }), {
  maxKeys: 2,
})
const anySignature = fc.constantFrom({}, { thoughtSignature: 'c2ln' }, { thought_signature: 'ZHJhZ29tYW5f!' })
const anyPart: fc.Arbitrary<Fields> = fc.oneof(
  anyText.map((text) => ({ text })),
  fc.tuple(anyText, anySignature).map(([text, signed]) => Object.assign({ text, thought: true }, signed)),
  fc.tuple(anyText, anySignature).map(([text, signed]) => Object.assign({ text }, signed)),
  fc.constant({ inlineData: { mimeType: 'image/png', data: 'aGk=' } }),
  fc.constant({ executableCode: { language: 'PYTHON', code: '1' } }),
  fc.constant({ somethingNew: {} }),
)
const anyCall = fc
  .tuple(anyName, anyArgs, anyId, anySignature)
  .map(([name, args, id, signed]) => Object.assign(call(name, args, id), signed))
const anyResponse = fc
  .tuple(anyName, fc.jsonValue({ maxDepth: 2 }), anyId)
  .map(([name, value, id]) => response(name, value, id))
const anyContent: fc.Arbitrary<Fields> = fc.oneof(
  fc.array(fc.oneof(anyPart, anyResponse), { maxLength: 4 }).map((parts) => user(...parts)),
  fc.array(fc.oneof(anyPart, anyCall), { maxLength: 4 }).map((parts) => model(...parts)),
)
const anyContents = fc
  .array(anyContent, { maxLength: 6 })
  .map((contents) => [user({ text: 'go' })].concat(contents))

describe('a conversation that is written for Gemini', () => {
  it('is sound, whatever client it came from', () => {
    fc.assert(
      fc.property(anyChatMessages, (messages) => {
        expectSound(decodeChatRequest(deepFreeze({ model: 'm', messages })))
      }),
    )
    fc.assert(
      fc.property(anyAnthropicMessages, (said) => {
        expectSound(decodeAnthropicRequest(deepFreeze({ model: 'm', max_tokens: 9, ...said })))
      }),
    )
  })

  it('is sound where its client speaks the dialect and leaves out what it likes', () => {
    fc.assert(
      fc.property(anyContents, (contents) => {
        const { request } = read({ contents })
        expect(faultsIn(written(request, { sameDialect: true }))).toEqual([])
        expect(faultsIn(written(request))).toEqual([])
      }),
    )
  })

  it('is the same when it is written again', () => {
    fc.assert(
      fc.property(anyContents, (contents) => {
        const once = written(read({ contents }).request, { sameDialect: true })
        const again = written(read({ contents: once['contents'] }).request, { sameDialect: true })
        expect(again).toEqual(once)
      }),
    )
  })
})

describe('a conversation of a client of Gemini', () => {
  it('has one result for each call in every other dialect', () => {
    const encoders: ((request: ConversationRequest) => Fields)[] = [
      (request) => encodeChatRequest(request, { model: 'm', format: 'kimi' }).body,
      (request) => encodeAnthropicRequest(request, { model: 'm', format: 'anthropic' }).body,
    ]
    fc.assert(
      fc.property(anyContents, (contents) => {
        const { request } = read({ contents })
        for (const encode of encoders) {
          const text = JSON.stringify(encode(request))
          const calls = text.match(/"type":"function"|"type":"tool_use"/g) ?? []
          const results = text.match(/"tool_call_id":|"tool_use_id":/g) ?? []
          expect(results).toHaveLength(calls.length)
          expect(text).not.toContain('ZHJhZ29tYW5f')
        }
      }),
    )
  })
})

describe('a body of anything', () => {
  it('is read or refused, and never breaks', () => {
    const odd = fc.jsonValue({ maxDepth: 4 })
    const parts = fc.array(
      fc.record(
        {
          text: odd,
          thought: odd,
          functionCall: odd,
          functionResponse: odd,
          inlineData: odd,
          thoughtSignature: odd,
        },
        { requiredKeys: [] },
      ),
    )
    const body = fc.record(
      {
        contents: fc.oneof(odd, fc.array(fc.record({ role: fc.constantFrom('user', 'model'), parts }))),
        systemInstruction: odd,
        tools: fc.oneof(
          odd,
          fc.array(fc.record({ functionDeclarations: fc.array(fc.record({ name: odd, parameters: odd })) })),
        ),
        toolConfig: odd,
        generationConfig: odd,
      },
      { requiredKeys: ['contents'] },
    )
    fc.assert(
      fc.property(body, (given) => {
        const decoded = decodeGeminiRequest(deepFreeze(given), asked)
        if ('error' in decoded) return
        const target = { model: 'm', format: 'standard', schemas: 'openapi' } as const
        encodeGeminiRequest(decoded.request, target)
        encodeGeminiRequest(decoded.request, { ...target, sameDialect: true })
        encodeChatRequest(decoded.request, target)
        encodeAnthropicRequest(decoded.request, target)
      }),
    )
  })

  it('is no schema that breaks', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (schema) => {
        openApiSchemaOf(deepFreeze(schema))
        openApiSchemaOf({ type: 'object', properties: { a: schema }, allOf: [schema], anyOf: [schema] })
      }),
    )
  })
})
