import { describe, expect, it } from 'vitest'
import { encodeAnthropicRequest } from '../../../src/dialects/anthropic-messages/request/encode.ts'
import { readEnvelope } from '../../../src/dialects/gemini/envelope.ts'
import { decodeGeminiRequest } from '../../../src/dialects/gemini/request/decode.ts'
import { readSignature } from '../../../src/request/reasoning-signature.ts'
import { isRecord } from '../../support/is-record.ts'
import { valueAt } from '../../request/translation.ts'
import { chunk, done, kimiCall } from '../openai-chat/upstream.ts'
import { answered, asking, candidateOf, chunksOf, partsOf, role, toolCall, usage } from './answers.ts'
import { call, model, read, response, user } from './requests.ts'
import { deepseek, envelope, kimi, round, sentToChat, signed, thought } from './signed-rounds.ts'
import { readByGenai } from './through-genai.ts'
import { content as contentChunk, counted, finished, translated } from './upstream.ts'

/** Reasoning, and two calls behind it. */
const reasoned =
  role +
  chunk({ reasoning_content: 'Häm 😀' }) +
  toolCall(0, 'f', '{"a":1}') +
  toolCall(1, 'g', '{"b":2}') +
  chunk({}, 'tool_calls') +
  done

describe('an answer for a client of Gemini', () => {
  it('16. Role, index, responseId constant', () => {
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

  it('17. Thought then text; one kind per part', () => {
    const got = answered(
      role + chunk({ reasoning_content: 'h' }) + chunk({ content: 'Hi' }) + chunk({}, 'stop') + done,
    )
    expect(partsOf(got)).toEqual([{ text: 'h', thought: true }, { text: 'Hi' }])
    const both = role + chunk({ reasoning_content: 'h', content: 'Hi' }) + chunk({}, 'stop') + done
    expect(partsOf(answered(both))).toEqual([{ text: 'h', thought: true }, { text: 'Hi' }])
  })

  it('18. One call, parallel, text before, call first', () => {
    const two = toolCall(0, 'f', '{"a":1}') + toolCall(1, 'g', '{"b":2}') + chunk({}, 'tool_calls') + done
    const called = [
      { functionCall: { id: 'call_0', name: 'f', args: { a: 1 } } },
      { functionCall: { id: 'call_1', name: 'g', args: { b: 2 } } },
    ]
    const one = toolCall(0, 'f', '{"a":1}') + chunk({}, 'tool_calls') + done
    expect(partsOf(answered(role + one))).toEqual(called.slice(0, 1))
    expect(partsOf(answered(role + two))).toEqual(called)
    const callFirst =
      role + toolCall(0, 'f', '{"a":1}') + chunk({ content: 'There.' }) + chunk({}, 'tool_calls')
    expect(partsOf(answered(callFirst + done))).toEqual([called[0], { text: 'There.' }])
    expect(partsOf(answered(role + chunk({ content: 'So: ' }) + two))).toEqual([{ text: 'So: ' }, ...called])
    const inBand = answered(role + chunk({ content: `So: ${kimiCall}` }) + chunk({}, 'stop') + done)
    expect(partsOf(inBand)).toMatchObject([
      { text: 'So: ' },
      { functionCall: { id: 'call_kimi_n0', args: expect.any(Object) } },
    ])
  })

  it('19. args {}; long numbers kept; not an object: failure', () => {
    const parts = partsOf(answered(role + toolCall(0, 'f', '') + chunk({}, 'tool_calls') + done))
    expect(parts).toEqual([{ functionCall: { id: 'call_0', name: 'f', args: {} } }])
    const long = '{"id": 12345678901234567890,\n"part": 1.0}'
    for (const wants of ['stream', 'whole'] as const) {
      const { text } = answered(role + toolCall(0, 'f', long) + chunk({}, 'tool_calls') + done, { wants })
      expect(text).toContain('"args":{"id": 12345678901234567890, "part": 1.0}')
    }
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

  it('20. 1 MB arguments; beyond the limit failure', () => {
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
    const inText = kimiCall.match(/.{1,10}/gs)?.map((piece) => contentChunk([{ text: piece }])) ?? []
    const passed = translated(inText.join('') + finished('STOP'), {
      from: 'gemini',
      to: 'gemini',
      parser: { format: 'kimi', limits: { toolCallBytes: 8 } },
    })
    expect(passed.failure).toMatchObject({ code: 'tool_call_too_large' })
    expect(passed.text).not.toContain('functionCall')
  })

  it('21. finishReason once, last, with usage, also if usage is late or missing', () => {
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

  it('22. Total is the sum; thoughts outside candidates', () => {
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

  it('24. Non-stream = joined stream', async () => {
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
    const joined = chunksOf(answered(body)).map(candidateOf)
    const said = partsOf(answered(body))
    const texts = (isThought: boolean): string =>
      said
        .map(({ text, thought: is }) => ((is === true) === isThought && typeof text === 'string' ? text : ''))
        .join('')
    expect(valueAt(whole, 'candidates', 0, 'content', 'parts')).toEqual([
      { text: texts(true), thought: true },
      { text: texts(false) },
      ...said.filter(({ functionCall }) => functionCall !== undefined),
    ])
    expect(valueAt(whole, 'candidates', 0, 'finishReason')).toBe(joined.at(-1)?.['finishReason'])
    expect(valueAt(whole, 'usageMetadata')).toEqual(chunksOf(answered(body)).at(-1)?.['usageMetadata'])
  })

  it('25. Ids unique over ten turns, no `NAME__`', () => {
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

  it('26. Envelope on the first call only; base64; survives urlsafe re-encoding', () => {
    const signatures = partsOf(answered(reasoned, { request: asking(false) })).map(
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

  it('27. Envelope restores for Kimi, DeepSeek; no doubling; sentinel = none', () => {
    for (const target of [kimi, deepseek]) {
      expect(sentToChat(round(signed(envelope(target))), target)).toBe(thought)
    }
    for (const wants of [true, false]) {
      const parts = partsOf(answered(reasoned, { request: asking(wants) }))
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
    {
      const fields = round({ text: thought, thought: true }, signed(envelope(kimi)))
      expect(sentToChat(fields, kimi)).toBe(thought)
      const apart = {
        contents: [
          user({ text: 'go' }),
          model({ text: thought, thought: true }),
          model(signed(envelope(kimi))),
          user(response('f', {}, 'a')),
        ],
      }
      expect(sentToChat(apart, kimi)).toBe(thought)
    }
    for (const words of ['skip_thought_signature_validator', 'skip/thought/signature/validator']) {
      const fields = round({ text: 'hm', thought: true }, signed(words))
      expect(sentToChat(fields, kimi)).toBe('hm')
    }
  })

  it('28. History without thoughts or signatures works', () => {
    const parts = partsOf(answered(role + toolCall(0, 'f', '{"a":1}') + chunk({}, 'tool_calls') + done))
    expect(parts).toEqual([{ functionCall: { id: 'call_0', name: 'f', args: { a: 1 } } }])
    const fields = round(call('f', {}, 'a'))
    expect(sentToChat(fields, { ...kimi, demandsReasoning: false })).toBeUndefined()
    const { body } = encodeAnthropicRequest(read(fields).request, { model: 'claude-x', format: 'anthropic' })
    expect(valueAt(body, 'messages', 1, 'content', 0, 'type')).toBe('tool_use')
  })

  it('30. length in text, in a call, with no output', () => {
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

  it('31. Filter with and without text; promptFeedback upstream', () => {
    for (const said of [chunk({ content: 'Hi' }), '']) {
      const got = answered(role + said + chunk({}, 'content_filter') + done)
      expect(candidateOf(chunksOf(got).at(-1))['finishReason']).toBe('SAFETY')
    }
    const blocked = `data: ${JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' }, ...counted })}\n\n`
    const passed = translated(blocked, { from: 'gemini', to: 'gemini' })
    expect(passed).toMatchObject({ failure: null, text: blocked })
    expect(translated(blocked, { from: 'gemini', to: 'openai-chat' }).text).toContain(
      '"finish_reason":"content_filter"',
    )
    expect(
      translated(`data: ${JSON.stringify(counted)}\n\n`, { from: 'gemini', to: 'gemini' }).failure,
    ).toMatchObject({
      code: 'upstream_truncated',
    })
  })

  it('32. Empty answer: failure', () => {
    const { failure, isStarted, text } = answered(role + chunk({}, 'stop') + done)
    expect({ text, isStarted }).toEqual({ text: '', isStarted: false })
    expect(failure).toMatchObject({ code: 'upstream_empty' })
    for (const wants of ['stream', 'whole'] as const) {
      const passed = translated(finished('STOP'), { from: 'gemini', to: 'gemini', wants })
      expect(passed.failure).toMatchObject({ code: 'upstream_empty' })
      expect(passed.text).not.toContain('finishReason')
    }
  })
})
