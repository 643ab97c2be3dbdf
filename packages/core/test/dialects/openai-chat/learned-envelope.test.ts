import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAnthropicStreamEncoder } from '../../../src/dialects/anthropic-messages/answer/encode.ts'
import { chunk, countingMint, done, kimiCall } from './upstream.ts'
import { decode } from './decode-chat.ts'
import { createSseDecoder } from '../../../src/sse/decoder.ts'
import { LearnedEnvelope } from '../../../src/dialects/openai-chat/answer/learned-envelope.ts'
import { createChatAnswerDecoder, createChatStreamRewriter } from '../../answer/stages.ts'

describe('a chunk that differs from the one before in its text alone', () => {
  it('is read without being parsed', () => {
    expect(contentOf(learned(plain('one')), plain(' two é 三'))).toBe(' two é 三')
  })

  it('is not learned from one without text, which is the first and like no other', () => {
    expect(contentOf(learned(plain('')), plain('x'))).toBeUndefined()
  })

  it('is read from wherever in a text it begins', () => {
    const text = event(plain('a')) + event(plain('b'))
    const envelope = learned(plain('one'))
    const second = envelope.match(text, 0, 1000, 1)
    expect(second).toBe(event(plain('a')).length)
    expect(envelope.match(text, second, 1000)).toBe(text.length)
    expect(envelope.content).toBe('b')
  })

  it('is left to who reports it where it is longer than the limit', () => {
    const text = event(plain('a'))
    expect(learned(plain('one')).match(text, 0, text.length - 1)).toBe(0)
    expect(learned(plain('one')).match(text, 0, text.length)).toBe(text.length)
  })

  it('is left to the parser while its end is still to come', () => {
    const text = event(plain('abc'))
    const envelope = learned(plain('one'))
    for (let end = 0; end < text.length; end++) expect(envelope.match(text.slice(0, end), 0, 1000)).toBe(0)
  })

  it.each([
    ['a text with escapes', plain('say "hi"\n')],
    ['a finish reason', plain('a').replace('null', '"stop"')],
    ['another field', plain('a').replace('"x"', '"y"')],
    ['a text with a raw line break, which is no JSON', plain('a').replace('"a"', '"a\nb"')],
  ])('is parsed where it has %s', (_, data) => {
    expect(contentOf(learned(plain('one')), data)).toBeUndefined()
  })

  it.each([
    ['usage', plain('a').replace('}]}', '}],"usage":{"total_tokens":1}}')],
    ['a call beside its text', plain('a').replace('"a"}', '"a","tool_calls":[{"index":0}]}')],
    ['another content', plain('a').replace('"x"', '{"content":"a"}')],
    ['several choices', plain('a').replace(']}', ',{"index":1,"delta":{}}]}')],
  ])('is not learned from one with %s', (_, data) => {
    expect(contentOf(learned(data), data)).toBeUndefined()
  })
})

describe('chunks that follow one another and differ in their texts alone', () => {
  const run = [plain('a'), plain(' b'), plain(''), plain('c')].map(event).join('')

  it('are one text', () => {
    const envelope = learned(plain('one'))
    expect(envelope.match(run, 0, 1000)).toBe(run.length)
    expect(envelope).toMatchObject({ content: 'a bc', ends: [1, 3, 3, 4] })
  })

  it('end where one has to be parsed, is cut, or is too long', () => {
    for (const rest of [event(plain('"')), event(plain('d')).slice(0, -1), event(plain('d'.repeat(99)))]) {
      const envelope = learned(plain('one'))
      expect(envelope.match(run + rest, 0, event(plain('four')).length)).toBe(run.length)
      expect(envelope).toMatchObject({ content: 'a bc', ends: [1, 3, 3, 4] })
    }
  })

  it('are left to the parser where the first of them is', () => {
    expect(learned(plain('one')).match(event(plain('"')) + run, 0, 1000)).toBe(0)
  })

  it('are one delta in the other dialect', () => {
    let sent = ''
    const sink = createAnthropicStreamEncoder({
      messageId: 'msg_1',
      model: 'm',
      inputTokens: 1,
      signature: () => '',
      write: (text) => (sent += text),
    })
    const decoder = createChatAnswerDecoder({ parser: {}, mint: countingMint(), sink })
    const texts = ['Oh. ', 'Hel', 'lo', ' you'].map((content) => chunk({ content }))
    decoder.push(texts.join(''))
    expect(sent.match(/"text":"[^"]+"/g)).toEqual(['"text":"Oh. "', '"text":"Hello you"'])
  })

  it('go on one by one in their own dialect, but for the one in which something has to change', () => {
    const texts = ['Oh', '. ', 'Hel', 'lo', '</think>', 'you'].map((content) => chunk({ content }))
    const sent = passOn([chunk({ role: 'assistant' }), texts.join('')])
    for (const same of texts.filter((text) => !text.includes('think'))) expect(sent).toContain(same)
  })
})

describe('an answer', () => {
  it('is the same whether its chunks look alike or not', () => {
    const texts = fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 12 }),
        fc.constantFrom('<|tool_calls_', 'section_begin|>', '"', '\\', '\n', '</think>', kimiCall),
      ),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(texts, (contents) => {
        const chunks = contents.map((content) => chunk({ content }))
        const alike = decode([...chunks, chunk({}, 'stop')])
        // An id of its own in each chunk keeps every envelope from being known.
        const unlike = decode([
          ...contents.map((content, at) => chunk({ content }, null, { system_fingerprint: String(at) })),
          chunk({}, 'stop'),
        ])
        expect(alike.lines).toEqual(unlike.lines)
      }),
      { numRuns: 500 },
    )
  })

  it('passes through in its own dialect the same, however it is cut', () => {
    const texts = fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 12 }),
        fc.constantFrom('<|tool_calls_', 'section_begin|>', '"', '\\', '\n', '</think>', kimiCall),
        // A stripped call begins with `functions.`, and so does many a word.
        fc.constantFrom('f', ' f', 'ox', ' of', 'un', 'functions', '.get:0', '{"a":1}'),
      ),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(texts, fc.array(fc.nat(400), { maxLength: 8 }), (contents, cuts) => {
        const alike = [...contents.map((content) => chunk({ content })), chunk({}, 'stop'), done].join('')
        const places = [...cuts, alike.length].toSorted((a, b) => a - b)
        const pieces = places.map((end, at) => alike.slice(places[at - 1] ?? 0, end))
        // A field of its own in each chunk keeps every envelope from being known.
        const unlike = [
          ...contents.map((content, at) => chunk({ content }, null, { system_fingerprint: at })),
          chunk({}, 'stop'),
          done,
        ]
        expect(passOn(pieces)).toBe(passOn(unlike).replaceAll(/,"system_fingerprint":\d+/g, ''))
      }),
      { numRuns: 500 },
    )
  })

  it('fails on data that is no JSON even where it looks like a known chunk', () => {
    const broken = chunk({ content: 'b' }).replace('"b"', '"b\tc"')
    const { lines } = decode([chunk({ content: 'a' }), broken])
    expect(lines.at(-1)).toContain('fail')
  })
})

function passOn(pieces: readonly string[]): string {
  let ids = 0
  const rewriter = createChatStreamRewriter({ parser: { format: 'kimi' }, newId: () => `n${ids++}` })
  return [...pieces.flatMap((piece) => rewriter.push(piece)), ...rewriter.end()].join('')
}

function plain(content: string): string {
  return `{"id":"x","choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}},"finish_reason":null}]}`
}

function event(data: string): string {
  return `data: ${data}\n\n`
}

function contentOf(envelope: LearnedEnvelope, data: string): string | undefined {
  return envelope.match(event(data), 0, 1000) > 0 ? envelope.content : undefined
}

function learned(data: string): LearnedEnvelope {
  const envelope = new LearnedEnvelope()
  const [item] = createSseDecoder().push(event(data))
  if (item?.kind === 'event') envelope.learn(item, JSON.parse(data))
  return envelope
}
