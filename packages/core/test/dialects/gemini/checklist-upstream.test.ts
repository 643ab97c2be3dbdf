import { describe, expect, it } from 'vitest'
import { decodeAnthropicRequest } from '../../../src/dialects/anthropic-messages/request/decode.ts'
import { openApiSchemaOf } from '../../../src/dialects/gemini/schema.ts'
import { readSignature } from '../../../src/request/reasoning-signature.ts'
import type { ConversationRequest } from '../../../src/request/conversation-request.ts'
import { createAnswerDecoder } from '../../../src/translate-parts.ts'
import { AnswerLog } from '../../answer/answer-log.ts'
import { anthropicBody, readable } from '../../request/translation.ts'
import { countingMint } from '../openai-chat/upstream.ts'
import { call, type Fields, model, response, through, user, written } from './requests.ts'
import * as rounds from './signed-rounds.ts'
import { content as contentChunk, counted, finished, translated } from './upstream.ts'

const { envelope, kimi, round, sentinel, signatures, signed } = rounds

function anthropic(fields: Fields): ConversationRequest {
  return readable(decodeAnthropicRequest(anthropicBody(fields))).request
}

const use = (id: string, name: string, input: Fields = {}): Fields => ({ type: 'tool_use', id, name, input })
const result = (id: string, content: unknown, more: Fields = {}): Fields => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
})

function decode(...pieces: string[]): AnswerLog {
  const sink = new AnswerLog()
  const mint = countingMint('openai-chat')
  const decoder = createAnswerDecoder('gemini', { sink, mint, parser: { format: 'kimi' } })
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  expect(sink.isEnded).toBe(true)
  return sink
}

describe('an upstream of Gemini', () => {
  it('41. Encode: alternation, counts, names', () => {
    const messages = [
      { role: 'assistant', content: 'Hello.' },
      { role: 'assistant', content: [use('toolu_1', 'f', { a: 1 }), use('toolu_2', 'g')] },
      { role: 'user', content: [result('toolu_2', 'two'), result('toolu_1', 'no', { is_error: true })] },
      { role: 'user', content: 'and now?' },
      { role: 'assistant', content: [use('toolu_3', 'f')] },
    ]
    expect(written(anthropic({ messages }))['contents']).toEqual([
      { role: 'user', parts: [{ text: 'Go on.' }] },
      {
        role: 'model',
        parts: [
          { text: 'Hello.' },
          { functionCall: { id: 'toolu_1', name: 'f', args: { a: 1 } }, thoughtSignature: sentinel },
          { functionCall: { id: 'toolu_2', name: 'g', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'toolu_1', name: 'f', response: { error: 'no' } } },
          { functionResponse: { id: 'toolu_2', name: 'g', response: { output: 'two' } } },
          { text: 'and now?' },
        ],
      },
      {
        role: 'model',
        parts: [{ functionCall: { id: 'toolu_3', name: 'f', args: {} }, thoughtSignature: sentinel }],
      },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'toolu_3',
              name: 'f',
              response: { output: 'The result of this call is not available.' },
            },
          },
        ],
      },
    ])
  })

  it('42. Encode: signatures in place, sentinel where lacking, never ours or Anthropic’s', () => {
    const fields = {
      contents: [
        user({ text: 'go' }),
        model(signed('c2lnMQ=='), call('f', {}, 'b')),
        user(response('f', {}, 'a'), response('f', {}, 'b')),
        model(call('f', {}, 'c'), signed('c2lnMg==', call('f', {}, 'd'))),
        user(response('f', {}, 'c'), response('f', {}, 'd')),
      ],
    }
    expect(signatures(through(fields))).toEqual(['c2lnMQ==', undefined, sentinel, 'c2lnMg=='])
    const ours = round({ text: 'x', thoughtSignature: envelope(kimi) }, signed(envelope(kimi)))
    const body = through(ours)
    expect(signatures(body)).toEqual([sentinel])
    expect(JSON.stringify(body)).not.toContain('ZHJhZ29tYW5f')
    expect(JSON.stringify(body)).not.toContain('dragoman')
    const thinking = { type: 'thinking', thinking: 'hm', signature: `E${'a'.repeat(60)}` }
    const signedElsewhere = written(rounds.anthropic([thinking, rounds.use('toolu_1')]))
    expect(signatures(signedElsewhere)).toEqual([sentinel])
    expect(JSON.stringify(signedElsewhere)).not.toContain('aaaa')
    expect(JSON.stringify(signedElsewhere)).not.toContain('hm')
  })

  it('43. Cleaner: properties named `pattern title format type` survive; recursion cut; arguments untouched', () => {
    const properties = Object.fromEntries(
      ['pattern', 'title', 'format', 'type', '$ref', 'properties', 'default', 'my_name'].map((name) => [
        name,
        { type: 'string' },
      ]),
    )
    const named = { type: 'object', properties, required: Object.keys(properties) }
    expect(openApiSchemaOf(named)).toEqual(named)
    const schema = {
      type: 'object',
      properties: {
        tree: { $ref: '#/$defs/node', description: 'The root.' },
        leaf: { $ref: '#/definitions/a~1b' },
        lost: { $ref: '#/$defs/nowhere' },
        remote: { $ref: 'https://example.com/x.json' },
      },
      $defs: {
        node: {
          type: 'object',
          description: 'A node.',
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
        },
      },
      definitions: { 'a/b': { type: 'number' } },
    }
    expect(openApiSchemaOf(schema)).toEqual({
      type: 'object',
      properties: {
        tree: {
          type: 'object',
          description: 'The root.',
          properties: { name: { type: 'string' }, children: { type: 'array', items: { type: 'object' } } },
        },
        leaf: { type: 'number' },
        lost: {},
        remote: {},
      },
    })
    const args = { $ref: '#/x', type: ['string', 'null'], const: 1, any_of: [], nullable: true }
    const contents = [
      user({ text: 'go' }),
      model({ ...call('f', args, 'a'), thoughtSignature: 'c2ln' }),
      user(response('f', args, 'a')),
    ]
    expect(through({ contents }, { schemas: 'openapi' })['contents']).toEqual(contents)
  })

  it('44. Decode: usage per chunk, finish alone, no candidates, thoughts, signature on empty text', () => {
    const log = decode(
      contentChunk([{ text: 'h', thought: true }], {}, { usageMetadata: { promptTokenCount: 9 } }),
      contentChunk([{ text: 'm', thought: true }, { text: 'Let me ' }], {}, counted),
      contentChunk([{ text: 'see.' }, { functionCall: { id: 'c1', name: 'f', args: { x: 1 } } }]),
      contentChunk([{ functionCall: { name: 'g', args: {} } }]),
      finished('STOP'),
    )
    expect(log.lines).toEqual([
      'start up up-model',
      'reasoning thought "hm"',
      'text "Let me see."',
      'call 0 c1 f',
      'delta 0 {"x":1}',
      'call-end 0',
      'call 1 call_std_n0 g',
      'delta 1 {}',
      'call-end 1',
      'finish tool-calls',
    ])
    expect(log.counted).toEqual({
      inputTokens: 9,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 7,
      reasoningTokens: 3,
    })
    const empty = decode(
      contentChunk([{ text: 'Hi' }]),
      contentChunk([{ text: '', thoughtSignature: 'sig' }]),
      finished('STOP'),
    )
    expect(empty.lines.slice(1)).toEqual(['text "Hi"', 'proof sig', 'finish stop'])
    const thought = decode(
      contentChunk([{ text: 'hm', thought: true, thoughtSignature: 'sig' }, { text: 'Hi' }]),
      finished('STOP'),
    )
    expect(thought.lines.slice(1)).toEqual([
      'reasoning thought "hm"',
      'proof sig',
      'text "Hi"',
      'finish stop',
    ])
    const calling = contentChunk([
      { functionCall: { id: 'c', name: 'f', args: { a: 1 } }, thoughtSignature: 'sig' },
    ])
    const { text } = translated(calling + finished('STOP'), { from: 'gemini', to: 'anthropic-messages' })
    const data = /"redacted_thinking","data":"([^"]+)"/.exec(text)?.[1]
    expect(readSignature(data)).toMatchObject({
      field: 'tool_calls',
      proof: JSON.stringify({ google: { thought_signature: 'sig' } }),
    })
    const blocked = `data: ${JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' }, ...counted })}\n\n`
    expect(decode(blocked).lines.at(-1)).toBe('finish content-filter')
    expect(decode(`data: ${JSON.stringify(counted)}\n\n`).failure).toMatchObject({
      code: 'upstream_truncated',
    })
  })

  it('45. MALFORMED_FUNCTION_CALL: failure', () => {
    for (const word of ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS']) {
      const log = decode(contentChunk([{ text: 'Hi' }]), finished(word))
      expect(log.failure).toMatchObject({ kind: 'upstream', code: word })
      for (const to of ['openai-chat', 'gemini'] as const) {
        const got = translated(contentChunk([{ text: 'Hi' }]) + finished(word), { from: 'gemini', to })
        expect(got.failure).toMatchObject({ code: word })
        expect(got.text).not.toContain('finishReason')
      }
    }
  })
})
