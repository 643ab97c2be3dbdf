import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunk, kimiCall } from './chat-upstream.ts'
import { decode } from './decode-chat.ts'
import { LearnedEnvelope } from '../../src/dialects/openai-chat/learned-envelope.ts'

describe('a chunk that differs from the one before in its text alone', () => {
  it('is read without being parsed', () => {
    expect(learned(plain('one')).read(plain(' two é 三'))).toBe(' two é 三')
    expect(learned(plain('')).read(plain('x'))).toBe('x')
  })

  it.each([
    ['a text with escapes', plain('say "hi"\n')],
    ['a finish reason', plain('a').replace('null', '"stop"')],
    ['another field', plain('a').replace('"x"', '"y"')],
    ['a text with a raw line break, which is no JSON', plain('a').replace('"a"', '"a\nb"')],
  ])('is parsed where it has %s', (_, data) => {
    expect(learned(plain('one')).read(data)).toBeUndefined()
  })

  it.each([
    ['usage', plain('a').replace('}]}', '}],"usage":{"total_tokens":1}}')],
    ['a call beside its text', plain('a').replace('"a"}', '"a","tool_calls":[{"index":0}]}')],
    ['another content', plain('a').replace('"x"', '{"content":"a"}')],
    ['several choices', plain('a').replace(']}', ',{"index":1,"delta":{}}]}')],
  ])('is not learned from one with %s', (_, data) => {
    expect(learned(data).read(data)).toBeUndefined()
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

  it('fails on data that is no JSON even where it looks like a known chunk', () => {
    const broken = chunk({ content: 'b' }).replace('"b"', '"b\tc"')
    const { lines } = decode([chunk({ content: 'a' }), broken])
    expect(lines.at(-1)).toContain('fail')
  })
})

function plain(content: string): string {
  return `{"id":"x","choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}},"finish_reason":null}]}`
}

function learned(data: string): LearnedEnvelope {
  const envelope = new LearnedEnvelope()
  envelope.learn(data, JSON.parse(data))
  return envelope
}
