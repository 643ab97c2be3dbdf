import { describe, expect, it } from 'vitest'
import { readEnvelope } from '../../../src/dialects/gemini/envelope.ts'
import { readSignature } from '../../../src/request/reasoning-signature.ts'
import { chunk, done, event } from '../openai-chat/upstream.ts'
import { completed, created, resp } from '../openai-responses/upstream.ts'
import { answered, chunksOf, partsOf, role, toolCall, usage } from './answers.ts'
import { readByGenai, rememberedByGenai } from './through-genai.ts'

describe('the stream', () => {
  it('is `data: `, one line of JSON and a blank line for each chunk, and nothing else', () => {
    const { text } = answered(role + chunk({ content: 'Hi\u2028there\n' }) + chunk({}, 'stop') + usage + done)
    expect(text).toBe(
      [
        'data: {"candidates":[{"content":{"parts":[{"text":"Hi\\u2028there\\n"}],"role":"model"},"index":0}],"modelVersion":"the-model","responseId":"answer_1"}',
        'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":5,"thoughtsTokenCount":2,"totalTokenCount":17},"modelVersion":"the-model","responseId":"answer_1"}',
      ]
        .map((line) => `${line}\n\n`)
        .join(''),
    )
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

  it('is a turn that a chat of Google’s SDK remembers', async () => {
    const { writes } = answered(role + toolCall(0, 'f', '{"a":1}') + chunk({}, 'tool_calls') + usage + done)
    const remembered = await rememberedByGenai(writes)
    expect(remembered.map((content) => content.role)).toEqual(expect.arrayContaining(['user', 'model']))
    expect(remembered.flatMap(({ parts }) => parts ?? [])).toContainEqual({
      functionCall: { id: 'call_0', name: 'f', args: { a: 1 } },
    })
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

describe('the envelope', () => {
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
