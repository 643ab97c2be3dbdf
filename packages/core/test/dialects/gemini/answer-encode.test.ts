import { describe, expect, it } from 'vitest'
import { readEnvelope } from '../../../src/dialects/gemini/envelope.ts'
import { decodeGeminiRequest } from '../../../src/dialects/gemini/request/decode.ts'
import type { ConversationRequest } from '../../../src/request/conversation-request.ts'
import { readSignature } from '../../../src/request/reasoning-signature.ts'
import { isRecord } from '../../support/is-record.ts'
import { chunk, done, event, kimiCall } from '../openai-chat/upstream.ts'
import { completed, created, resp } from '../openai-responses/upstream.ts'
import { readByGenai } from './through-genai.ts'
import { type Asked, type Got, translated } from './upstream.ts'

const chat = { from: 'openai-chat', to: 'gemini' } as const

function answered(body: string, more: Partial<Asked> = {}): Got {
  return translated(body, { ...chat, parser: { format: 'kimi' }, ...more })
}

function chunksOf({ text }: Got): Record<string, unknown>[] {
  return text
    .split('\n\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line.slice('data: '.length)))
    .filter(isRecord)
}

function candidateOf(given: unknown): Record<string, unknown> {
  const candidates: unknown = isRecord(given) ? given['candidates'] : undefined
  const first: unknown = Array.isArray(candidates) ? candidates[0] : undefined
  if (!isRecord(first)) throw new Error('no candidate')
  return first
}

function partsOf(got: Got): Record<string, unknown>[] {
  return chunksOf(got)
    .map(candidateOf)
    .flatMap(({ content }) => {
      const parts: unknown = isRecord(content) ? content['parts'] : undefined
      return Array.isArray(parts) ? parts.filter(isRecord) : []
    })
}

function toolCall(index: number, name: string, json: string, id = `call_${index}`): string {
  const fn = { name, arguments: json }
  return chunk({ tool_calls: [{ index, id, type: 'function', function: fn }] })
}

const role = chunk({ role: 'assistant', content: '' })
const usage = event({
  choices: [],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 7,
    total_tokens: 17,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  },
})

function asking(includeThoughts: boolean): ConversationRequest {
  const body = {
    contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    generationConfig: { thinkingConfig: { includeThoughts } },
  }
  const decoded = decodeGeminiRequest(body, { path: '/v1beta/models/m:streamGenerateContent', query: {} })
  if ('error' in decoded) throw new Error(decoded.error.message)
  return decoded.request
}

describe('the stream', () => {
  it('is `data: `, one line of JSON and a blank line for each chunk, and nothing else', () => {
    const { text } = answered(role + chunk({ content: 'Hi\u2028there\n' }) + chunk({}, 'stop') + usage + done)
    expect(text).toBe(
      [
        'data: {"candidates":[{"content":{"parts":[{"text":"Hi\\u2028there\\n"}],"role":"model"},"index":0}],"modelVersion":"the-model","responseId":"answer_1"}',
        'data: {"candidates":[{"content":{"parts":[],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":5,"thoughtsTokenCount":2,"totalTokenCount":17},"modelVersion":"the-model","responseId":"answer_1"}',
      ]
        .map((line) => `${line}\n\n`)
        .join(''),
    )
  })

  it('has one role, one index and one id throughout', () => {
    const got = answered(
      role +
        chunk({ reasoning_content: 'hm' }) +
        chunk({ content: 'Hi' }) +
        toolCall(0, 'f', '{"a":1}') +
        chunk({}, 'tool_calls') +
        done,
    )
    const seen = chunksOf(got).map((each) => {
      const { index, content } = candidateOf(each)
      return [each['responseId'], index, isRecord(content) ? content['role'] : null].join(' ')
    })
    expect(new Set(seen)).toEqual(new Set(['answer_1 0 model']))
    expect(seen.length).toBeGreaterThan(3)
  })

  it('has thoughts before the text, and one kind in each part', () => {
    const got = answered(
      role + chunk({ reasoning_content: 'h' }) + chunk({ content: 'Hi' }) + chunk({}, 'stop') + done,
    )
    expect(partsOf(got)).toEqual([{ text: 'h', thought: true }, { text: 'Hi' }])
  })

  it('shows thoughts to who asks for them, and the envelope of a call to everybody', () => {
    const body =
      role + chunk({ reasoning_content: 'hm' }) + toolCall(0, 'f', '{}') + chunk({}, 'tool_calls') + done
    const [shown, hidden] = [true, false].map((wants) => partsOf(answered(body, { request: asking(wants) })))
    expect(shown?.map(({ text }) => text)).toEqual(['hm', undefined])
    expect(hidden).toHaveLength(1)
    expect(hidden?.[0]?.['thoughtSignature']).toBe(shown?.[1]?.['thoughtSignature'])
    expect(hidden?.[0]?.['thoughtSignature']).toMatch(/^ZHJhZ29tYW5f/)
  })

  it('is read by Google’s SDK: text, thoughts, calls and the end', async () => {
    const { writes } = answered(
      role +
        chunk({ reasoning_content: 'hm' }) +
        chunk({ content: 'Hi' }) +
        toolCall(0, 'f', '{"a":1}') +
        chunk({}, 'tool_calls') +
        usage +
        done,
    )
    const { chunks, error } = await readByGenai(writes)
    expect(error).toBeNull()
    expect(chunks.map(({ text }) => text ?? '').join('')).toBe('Hi')
    expect(chunks.flatMap(({ functionCalls }) => functionCalls ?? [])).toEqual([
      { id: 'call_0', name: 'f', args: { a: 1 } },
    ])
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP')
    expect(chunks.at(-1)?.usageMetadata?.totalTokenCount).toBe(17)
  })

  it('may have a line break in front of any chunk, which is sent while the client waits', async () => {
    const { writes } = answered(role + chunk({ content: 'Hi' }) + chunk({}, 'stop') + done)
    const { chunks, error } = await readByGenai(writes.flatMap((write) => ['\n', write, '\n']))
    expect(error).toBeNull()
    expect(chunks.map(({ text }) => text ?? '').join('')).toBe('Hi')
    const older = /^\s*data: (.*)(\n\n|\r\r|\r\n\r\n)/
    expect(older.exec(`\n\n${writes[0]}`)?.[1]).toBe(writes[0]?.trim().slice('data: '.length))
  })
})

describe('calls', () => {
  it('are whole parts: one, several, behind text or first, and those that the model wrote into its text', () => {
    const two = toolCall(0, 'f', '{"a":1}') + toolCall(1, 'g', '{"b":2}') + chunk({}, 'tool_calls') + done
    const called = [
      { functionCall: { id: 'call_0', name: 'f', args: { a: 1 } } },
      { functionCall: { id: 'call_1', name: 'g', args: { b: 2 } } },
    ]
    expect(partsOf(answered(role + two))).toEqual(called)
    expect(partsOf(answered(role + chunk({ content: 'So: ' }) + two))).toEqual([{ text: 'So: ' }, ...called])
    const inBand = answered(role + chunk({ content: `So: ${kimiCall}` }) + chunk({}, 'stop') + done)
    expect(partsOf(inBand)).toMatchObject([
      { text: 'So: ' },
      { functionCall: { id: 'call_kimi_n0', args: expect.any(Object) } },
    ])
  })

  it('have an object for arguments: an empty one where there are none, and every digit of a long number', () => {
    const parts = partsOf(answered(role + toolCall(0, 'f', '') + chunk({}, 'tool_calls') + done))
    expect(parts).toEqual([{ functionCall: { id: 'call_0', name: 'f', args: {} } }])
    const long = '{"id": 12345678901234567890,\n"part": 1.0}'
    for (const wants of ['stream', 'whole'] as const) {
      const { text } = answered(role + toolCall(0, 'f', long) + chunk({}, 'tool_calls') + done, { wants })
      expect(text).toContain('"args":{"id": 12345678901234567890, "part": 1.0}')
    }
  })

  it('are a failure where the arguments are no object', () => {
    const structured = answered(
      role + chunk({ content: 'So ' }) + toolCall(0, 'f', '[1]') + chunk({}, 'tool_calls') + done,
    )
    const inBand = answered(
      role + chunk({ content: `So ${kimiCall.replace(/\{.*?\}/, '[1]')}` }) + chunk({}, 'stop') + done,
    )
    for (const { failure, text } of [structured, inBand]) {
      expect(failure).toMatchObject({ code: 'invalid_tool_arguments' })
      expect(text).not.toMatch(/functionCall|finishReason/)
    }
  })

  it('may be a megabyte long, and are a failure beyond the limit', () => {
    const json = `{"text":"${'x'.repeat(1024 * 1024)}"}`
    const body = role + toolCall(0, 'f', json) + chunk({}, 'tool_calls') + done
    expect(partsOf(answered(body))).toMatchObject([{ functionCall: { args: JSON.parse(json) } }])
    const pieces = `{"text":"${'x'.repeat(2000)}"}`
      .match(/.{1,100}/g)
      ?.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }))
    const parser = { format: 'kimi', limits: { toolCallBytes: 1000 } } as const
    const { failure, text } = answered(role + toolCall(0, 'f', '') + (pieces ?? []).join('') + done, {
      parser,
    })
    expect(failure).toMatchObject({ code: 'tool_call_too_large' })
    expect(text).not.toContain('functionCall')
  })

  it('have ids that no other call of the conversation has, over ten turns, none with the name and two underscores', () => {
    const ids = new Set<string>()
    for (let turn = 0; turn < 10; turn++) {
      const id = ['functions.f:0', 'f__1', '', 'call_0'][turn % 4] ?? ''
      const body =
        role + toolCall(0, 'f', '{}', id) + toolCall(1, 'f', '{"a":1}', id) + chunk({}, 'tool_calls') + done
      let count = turn * 2
      const got = answered(body, { conversationIds: new Set(ids) })
      for (const { functionCall } of partsOf(got)) {
        const made = String(isRecord(functionCall) ? functionCall['id'] : '')
        expect(made).not.toMatch(/^$|__/)
        expect(ids.has(made)).toBe(false)
        ids.add(made)
        count++
      }
      expect(ids.size).toBe(count)
    }
  })
})

describe('the envelope', () => {
  const body =
    role +
    chunk({ reasoning_content: 'Häm 😀' }) +
    toolCall(0, 'f', '{"a":1}') +
    toolCall(1, 'g', '{"b":2}') +
    chunk({}, 'tool_calls') +
    done

  it('stands on the first call alone, in standard base64, and survives the other alphabet', () => {
    const signatures = partsOf(answered(body, { request: asking(false) })).map(
      ({ thoughtSignature }) => thoughtSignature,
    )
    expect(signatures).toEqual([expect.stringMatching(/^ZHJhZ29tYW5f[A-Za-z\d+/]*={0,2}$/), undefined])
    const [signature] = signatures
    const bytes = Buffer.from(String(signature), 'base64')
    for (const spelled of [String(signature), bytes.toString('base64url')]) {
      const [carried] = readEnvelope(spelled) ?? []
      expect(carried?.thought).toBe('Häm 😀')
      expect(readSignature(carried?.signature)).toMatchObject({ format: 'kimi', field: 'reasoning_content' })
    }
  })

  it('comes back as the reasoning of the step, once, whether or not the client returns the thoughts as well', () => {
    for (const wants of [true, false]) {
      const parts = partsOf(answered(body, { request: asking(wants) }))
      const contents = [
        { role: 'user', parts: [{ text: 'Hello' }] },
        { role: 'model', parts },
      ]
      const decoded = decodeGeminiRequest(
        { contents },
        { path: '/v1beta/models/m:generateContent', query: {} },
      )
      if ('error' in decoded) throw new Error(decoded.error.message)
      const blocks = decoded.request.contents.flatMap((each) => each.blocks)
      expect(blocks.map(({ type }) => type)).toEqual(['text', 'thinking', 'tool_call', 'tool_call'])
      expect(blocks[1]).toMatchObject({ thought: 'Häm 😀', signature: expect.stringMatching(/^dragoman_/) })
    }
  })

  it('is no part of a call without reasoning before it, and a history without any is read', () => {
    const parts = partsOf(answered(role + toolCall(0, 'f', '{"a":1}') + chunk({}, 'tool_calls') + done))
    expect(parts).toEqual([{ functionCall: { id: 'call_0', name: 'f', args: { a: 1 } } }])
    const contents = [
      { role: 'user', parts: [{ text: 'Hello' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'f', args: {} }, thoughtSignature: 'skip_thought_signature_validator' },
        ],
      },
    ]
    const decoded = decodeGeminiRequest({ contents }, { path: '/v1beta/models/m:generateContent', query: {} })
    const blocks = 'error' in decoded ? [] : decoded.request.contents.flatMap((each) => each.blocks)
    expect(blocks.map(({ type }) => type)).toEqual(['text', 'tool_call'])
  })

  it('holds what the upstream wants back with a call', () => {
    const extra = { google: { thought_signature: 'sig' } }
    const fn = { name: 'f', arguments: '{}' }
    const call = chunk({
      tool_calls: [{ index: 0, id: 'c', type: 'function', function: fn, extra_content: extra }],
    })
    const [part] = partsOf(answered(role + call + chunk({}, 'tool_calls') + done))
    const [carried] = readEnvelope(String(part?.['thoughtSignature'])) ?? []
    expect(readSignature(carried?.signature)).toMatchObject({
      field: 'tool_calls',
      proof: JSON.stringify(extra),
    })
  })

  it('holds what the upstream encrypted, which goes back to it with its place, behind reasoning or without', () => {
    const item = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAAAx' }
    const shown = { id: 'rs_0', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }
    const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }
    for (const items of [
      [item, call],
      [shown, item, call],
    ]) {
      const events = items.map((each, at) =>
        resp('response.output_item.done', { output_index: at, item: each }),
      )
      const got = answered(created + events.join('') + completed(items), { from: 'openai-responses' })
      const part = partsOf(got).find(({ functionCall }) => functionCall !== undefined)
      const carried = readEnvelope(String(part?.['thoughtSignature'])) ?? []
      expect(readSignature(carried.at(-1)?.signature)).toMatchObject({
        field: 'encrypted_content',
        proof: 'gAAAAx',
      })
      expect(carried).toHaveLength(items.length - 1)
    }
  })
})

describe('the end', () => {
  it('is told once, in the last chunk, with the usage, also where that is late or missing', () => {
    for (const body of [
      role + chunk({ content: 'Hi' }) + chunk({}, 'stop') + usage + done,
      role + chunk({ content: 'Hi' }) + chunk({}, 'stop') + done,
    ]) {
      const chunks = chunksOf(answered(body))
      expect(chunks.map((each) => candidateOf(each)['finishReason'])).toEqual([undefined, 'STOP'])
      expect(chunks.map((each) => each['usageMetadata'] !== undefined)).toEqual([false, true])
    }
    const estimated = chunksOf(answered(role + chunk({ content: 'Hello there' }) + chunk({}, 'stop') + done))
    expect(estimated.at(-1)?.['usageMetadata']).toEqual({
      promptTokenCount: 42,
      candidatesTokenCount: 3,
      totalTokenCount: 45,
    })
  })

  it('counts thoughts beside the candidates, and the total is the sum', () => {
    const counts = chunksOf(answered(role + chunk({ content: 'Hi' }) + chunk({}, 'stop') + usage + done)).at(
      -1,
    )?.['usageMetadata']
    expect(counts).toEqual({
      promptTokenCount: 10,
      cachedContentTokenCount: 4,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 2,
      totalTokenCount: 17,
    })
  })

  it('is MAX_TOKENS where the model was stopped: in its text, in a call, which is left out, and before anything', () => {
    const half = chunk({
      tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":' } }],
    })
    for (const said of [chunk({ content: 'Hi' }), chunk({ content: 'Hi' }) + half, '']) {
      const got = answered(role + said + chunk({}, 'length') + done)
      expect(got.failure).toBeNull()
      expect(
        chunksOf(got)
          .map((each) => candidateOf(each)['finishReason'])
          .at(-1),
      ).toBe('MAX_TOKENS')
      expect(got.text).not.toContain('functionCall')
    }
  })

  it('is SAFETY for filtered content, with and without text', () => {
    for (const said of [chunk({ content: 'Hi' }), '']) {
      const got = answered(role + said + chunk({}, 'content_filter') + done)
      expect(candidateOf(chunksOf(got).at(-1))['finishReason']).toBe('SAFETY')
    }
  })

  it('is a failure where nothing was said, because clients would take it for a good end', () => {
    const { failure, isStarted, text } = answered(role + chunk({}, 'stop') + done)
    expect({ text, isStarted }).toEqual({ text: '', isStarted: false })
    expect(failure).toMatchObject({ code: 'upstream_empty' })
  })

  it('is a failure where the upstream says none', () => {
    const { failure, text } = answered(role + chunk({ content: 'Hi' }))
    expect(failure).toMatchObject({ code: 'upstream_truncated' })
    expect(text).not.toContain('finishReason')
  })
})

describe('a failure in the middle', () => {
  const broken: readonly (readonly [string, string])[] = [
    ['an error', event({ error: { message: 'busy', type: 'server_error', code: 500 } })],
    ['a cut', ''],
    ['garbage', 'data: {"choices":[\n\n'],
  ]
  const call = chunk({
    tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":' } }],
  })

  it.each(broken)('%s is an error for clients, in text and in a call, and no end', async (_, fault) => {
    for (const said of [chunk({ content: 'Hi' }), chunk({ content: 'Hi' }) + call]) {
      const got = answered(role + said + fault)
      expect(got.failure).not.toBeNull()
      expect(got.text).not.toMatch(/finishReason|functionCall/)
      expect(chunksOf(got).at(-1)).toMatchObject({ error: { code: expect.any(Number), status: 'INTERNAL' } })
      const { chunks, error } = await readByGenai(got.writes)
      expect(error).toContain('INTERNAL')
      expect(chunks.map(({ text }) => text ?? '').join('')).toBe('Hi')
    }
  })
})

describe('a whole answer', () => {
  it('is what its stream adds up to', async () => {
    const body =
      role +
      chunk({ reasoning_content: 'h' }) +
      chunk({ reasoning_content: 'm' }) +
      chunk({ content: 'H' }) +
      chunk({ content: 'i' }) +
      toolCall(0, 'f', '{"a":1}') +
      chunk({}, 'tool_calls') +
      usage +
      done
    const whole: unknown = JSON.parse(answered(body, { wants: 'whole' }).text)
    expect(whole).toEqual({
      candidates: [
        {
          content: {
            parts: [
              { text: 'hm', thought: true },
              { text: 'Hi' },
              {
                functionCall: { id: 'call_0', name: 'f', args: { a: 1 } },
                thoughtSignature: expect.any(String),
              },
            ],
            role: 'model',
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: expect.objectContaining({ totalTokenCount: 17 }),
      modelVersion: 'the-model',
      responseId: 'answer_1',
    })
    const { chunks } = await readByGenai(answered(body).writes)
    expect(chunks.map(({ text }) => text ?? '').join('')).toBe('Hi')
  })
})
