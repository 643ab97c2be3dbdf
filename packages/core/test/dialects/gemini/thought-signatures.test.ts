import { describe, expect, it } from 'vitest'
import { writeEnvelope } from '../../../src/dialects/gemini/envelope.ts'
import { decodeChatRequest } from '../../../src/dialects/openai-chat/request/decode.ts'
import { encodeChatRequest } from '../../../src/dialects/openai-chat/request/encode.ts'
import { makeSignature } from '../../../src/request/reasoning-signature.ts'
import { chatBody, readable, valueAt } from '../../request/translation.ts'
import { call, conversation, model, read, response, through, user, written } from './requests.ts'
import {
  anthropic,
  by,
  deepseek,
  envelope,
  kimi,
  round,
  sentinel,
  sentToChat,
  signatures,
  signed,
  thought,
  use,
} from './signed-rounds.ts'
import { content, finished, translated } from './upstream.ts'

describe('an envelope of ours', () => {
  it('is base64 that begins with our name, and is read in both alphabets and without padding', () => {
    const standard = envelope(kimi, '?>~'.repeat(20))
    expect(standard).toMatch(/^ZHJhZ29tYW5f[A-Za-z\d+/]+=*$/)
    expect(atob(standard)).toMatch(/^dragoman_/)
    const urlSafe = standard.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
    expect(urlSafe).not.toBe(standard)
    for (const each of [standard, urlSafe]) {
      expect(conversation(user({ text: 'go' }), model(signed(each)))[1]?.blocks[0]).toMatchObject({
        type: 'thinking',
        thought: '?>~'.repeat(20),
      })
    }
  })

  it('on the first call alone restores the reasoning in front of the step', () => {
    const blocks = conversation(
      user({ text: 'go' }),
      model({ text: 'I look.' }, signed(envelope(kimi)), call('f', {}, 'b')),
    )[1]?.blocks
    expect(blocks).toMatchObject([
      { type: 'thinking', thought },
      { type: 'text', text: 'I look.' },
      { type: 'tool_call', id: 'a' },
      { type: 'tool_call', id: 'b' },
    ])
  })

  it('of another family is not shown', () => {
    expect(
      sentToChat(round(signed(envelope(deepseek))), { ...kimi, demandsReasoning: false }),
    ).toBeUndefined()
  })

  it('that is damaged is none, and nothing of it reaches an upstream', () => {
    const damaged = `${envelope(kimi).slice(0, 40)}!!`
    const parts = [{ text: 'seen', thought: true }, signed(damaged)]
    expect(sentToChat(round(...parts), kimi)).toBe('seen')
    expect(JSON.stringify(through(round(...parts)))).not.toContain('ZHJhZ29tYW5f')
  })

  it('with the proof of a call puts it back beside the call', () => {
    const proof = JSON.stringify({ google: { thought_signature: 'c2ln' } })
    const source = { format: 'standard', field: 'tool_calls', model: 'gemini-x', proof } as const
    const carried = writeEnvelope([{ signature: makeSignature(source), thought: '' }])
    const fields = round(signed(carried))
    const { body } = encodeChatRequest(read(fields).request, { model: 'gemini-x', format: 'standard' })
    expect(valueAt(body, 'messages', 1, 'tool_calls', 0, 'extra_content')).toEqual(JSON.parse(proof))
    expect(valueAt(through(fields), 'contents', 1, 'parts', 0, 'thoughtSignature')).toBe('c2ln')
  })
})

describe('a history', () => {
  it('with thoughts that nobody signed shows them to the upstream as its own', () => {
    expect(sentToChat(round({ text: 'hm', thought: true }, call('f', {}, 'a')), kimi)).toBe('hm')
  })

  it('with thoughts and signatures of Google’s shows them to Google alone', () => {
    const parts = [{ text: 'hm', thought: true }, signed('Q2tleQ=='), { ...call('f', {}, 'b') }]
    const fields = {
      contents: [
        user({ text: 'go' }),
        model(...parts),
        user(response('f', { output: 1 }, 'a'), response('f', { output: 2 }, 'b')),
      ],
    }
    expect(sentToChat(fields, { ...kimi, demandsReasoning: false })).toBeUndefined()
    expect(through(fields)['contents']).toEqual(fields.contents)
  })
})

describe('signatures towards Gemini', () => {
  it('come back through clients of other dialects', () => {
    const proof = JSON.stringify({ google: { thought_signature: 'c2ln' } })
    const source = { format: 'standard', field: 'tool_calls', model: 'gemini-x', proof } as const
    const redacted = { type: 'redacted_thinking', data: makeSignature(source) }
    expect(signatures(written(anthropic([use('toolu_1'), redacted, use('toolu_2')])))).toEqual([
      sentinel,
      'c2ln',
    ])
    const messages = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'f', arguments: '{}' },
            extra_content: { google: { thought_signature: 'c2ln' } },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'done' },
    ]
    expect(signatures(written(readable(decodeChatRequest(chatBody({ messages }))).request))).toEqual(['c2ln'])
  })

  it('go to clients of the chat dialect beside the call, in the field that they send back', () => {
    const part = { functionCall: { id: 'c', name: 'f', args: {} }, thoughtSignature: 'c2ln' }
    const answer =
      content([part, { functionCall: { id: 'd', name: 'f', args: { a: 1 } } }]) + finished('STOP')
    for (const wants of ['stream', 'whole'] as const) {
      const { text } = translated(answer, { from: 'gemini', to: 'openai-chat', wants })
      expect(text.match(/"extra_content":\{"google":\{"thought_signature":"c2ln"\}\}/g)).toHaveLength(1)
    }
  })

  it('of a text stand beside the text, and those of a thought beside the thought', () => {
    const blocks = [
      { type: 'thinking', thinking: 'hm', signature: by('thought') },
      { type: 'text', text: 'so' },
      { type: 'thinking', thinking: '', signature: by('thought') },
    ]
    expect(valueAt(written(anthropic(blocks)), 'contents', 1, 'parts')).toEqual([
      { text: 'hm', thought: true, thoughtSignature: 'c2ln' },
      { text: 'so', thoughtSignature: 'c2ln' },
    ])
  })
})
