import { describe, expect, it } from 'vitest'
import { encodeAnthropicRequest } from '../../../src/dialects/anthropic-messages/request/encode.ts'
import { decodeAnthropicRequest } from '../../../src/dialects/anthropic-messages/request/decode.ts'
import { writeEnvelope } from '../../../src/dialects/gemini/envelope.ts'
import { decodeChatRequest } from '../../../src/dialects/openai-chat/request/decode.ts'
import { encodeChatRequest } from '../../../src/dialects/openai-chat/request/encode.ts'
import type { ConversationRequest } from '../../../src/request/conversation-request.ts'
import { makeSignature } from '../../../src/request/reasoning-signature.ts'
import type { ChatTarget } from '../../../src/request/target.ts'
import { anthropicBody, chatBody, readable, valueAt } from '../../request/translation.ts'
import { call, conversation, type Fields, model, read, response, through, user, written } from './requests.ts'

function signatures(body: Fields): unknown[] {
  const contents = body['contents']
  return Array.isArray(contents)
    ? contents.flatMap((content: unknown) => {
        const parts = valueAt(content, 'parts')
        return Array.isArray(parts)
          ? parts.flatMap((part: unknown) =>
              valueAt(part, 'functionCall') === undefined ? [] : [valueAt(part, 'thoughtSignature')],
            )
          : []
      })
    : []
}

const anthropic = (content: Fields[]): ConversationRequest =>
  readable(
    decodeAnthropicRequest(
      anthropicBody({
        messages: [
          { role: 'user', content: 'go' },
          { role: 'assistant', content },
          {
            role: 'user',
            content: content
              .filter(({ type }) => type === 'tool_use')
              .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'done' })),
          },
        ],
      }),
    ),
  ).request

const use = (id: string): Fields => ({ type: 'tool_use', id, name: 'f', input: {} })

const by = (field: string): string =>
  makeSignature({ format: 'standard', field, model: 'gemini-x', proof: 'c2ln' })

const kimi = { model: 'kimi-k2', format: 'kimi' } as const
const deepseek = { model: 'deepseek-v3', format: 'deepseek' } as const
const thought = 'Größer – 🙂 ¿qué?'

function envelope(
  source: { model: string; format: 'kimi' | 'deepseek' | 'standard' },
  text = thought,
): string {
  const signature = makeSignature({ ...source, field: 'reasoning_content' })
  return writeEnvelope([{ signature, thought: text }])
}

/** A round with one tool, the parts of the model as they are given. */
function round(...parts: Fields[]): Fields {
  return {
    contents: [user({ text: 'go' }), model(...parts), user(response('f', { output: 'done' }, 'a'))],
  }
}

const signed = (thoughtSignature: string, part: Fields = call('f', {}, 'a')): Fields => ({
  ...part,
  thoughtSignature,
})

function sentToChat(fields: Fields, target: ChatTarget): unknown {
  const { body } = encodeChatRequest(read(fields).request, target)
  return valueAt(body, 'messages', 1, 'reasoning_content')
}

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

  it.each([kimi, deepseek])('brings its reasoning back to %j', (target) => {
    expect(sentToChat(round(signed(envelope(target))), target)).toBe(thought)
  })

  it('of another family is not shown', () => {
    expect(
      sentToChat(round(signed(envelope(deepseek))), { ...kimi, demandsReasoning: false }),
    ).toBeUndefined()
  })

  it('counts once where the client returns the thoughts as well', () => {
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
  it('without thoughts or signatures goes to every upstream', () => {
    const fields = round(call('f', {}, 'a'))
    expect(sentToChat(fields, { ...kimi, demandsReasoning: false })).toBeUndefined()
    const { body } = encodeAnthropicRequest(read(fields).request, { model: 'claude-x', format: 'anthropic' })
    expect(valueAt(body, 'messages', 1, 'content', 0, 'type')).toBe('tool_use')
  })

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

  it('in which the words for no signature stand has none, in either alphabet', () => {
    for (const words of ['skip_thought_signature_validator', 'skip/thought/signature/validator']) {
      const fields = round({ text: 'hm', thought: true }, signed(words))
      expect(sentToChat(fields, kimi)).toBe('hm')
    }
  })
})

describe('signatures towards Gemini', () => {
  const sentinel = 'skip_thought_signature_validator'

  it('stay where they were, and the first call of each step that has none gets the words for that', () => {
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
  })

  it('are never ours', () => {
    const fields = round({ text: 'x', thoughtSignature: envelope(kimi) }, signed(envelope(kimi)))
    const body = through(fields)
    expect(signatures(body)).toEqual([sentinel])
    expect(JSON.stringify(body)).not.toContain('ZHJhZ29tYW5f')
    expect(JSON.stringify(body)).not.toContain('dragoman')
  })

  it('are never Anthropic’s', () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: `E${'a'.repeat(60)}` }
    const body = written(anthropic([thinking, use('toolu_1')]))
    expect(signatures(body)).toEqual([sentinel])
    expect(JSON.stringify(body)).not.toContain('aaaa')
    expect(JSON.stringify(body)).not.toContain('hm')
  })

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

  it('of a text stand beside the text, and those of a thought beside the thought', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: by('thought') },
      { type: 'text', text: 'so' },
      { type: 'thinking', thinking: '', signature: by('thought') },
    ]
    expect(valueAt(written(anthropic(content)), 'contents', 1, 'parts')).toEqual([
      { text: 'hm', thought: true, thoughtSignature: 'c2ln' },
      { text: 'so', thoughtSignature: 'c2ln' },
    ])
  })
})
