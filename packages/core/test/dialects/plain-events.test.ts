import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DialectId, mintToolId, translateAnswer } from '../../src/index.ts'
import { ant, blockStart, blockStop, messageEnd, messageStart } from './anthropic-messages/upstream.ts'
import { content, finished } from './gemini/upstream.ts'
import { kimiCall } from './openai-chat/upstream.ts'
import { completed, created, messageItem, numbered, resp } from './openai-responses/upstream.ts'

/** A stream of these texts. `mark` gives each of their events a field of its own, so that none looks like another. */
type Write = (texts: readonly string[], mark: (at: number) => object) => string

const writers: readonly (readonly [DialectId, Write])[] = [
  [
    'gemini',
    (texts, mark) =>
      texts
        .map((text, at) =>
          content(
            [{ text }],
            {},
            { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: at }, ...mark(at) },
          ),
        )
        .join('') + finished('STOP'),
  ],
  ['openai-responses', (texts, mark) => numbered(responseOf(texts, mark))],
  ['openai-responses', responseOf],
  ['anthropic-messages', messageOf],
]

function messageOf(texts: readonly string[], mark: (at: number) => object): string {
  return messageStart + textBlockOf(0, texts, mark) + messageEnd('end_turn')
}

/** White space alone makes no block, so the client knows the one behind it by its number. */
function behindBlank(texts: readonly string[], mark: (at: number) => object): string {
  return messageStart + textBlockOf(0, [' '], mark) + textBlockOf(1, texts, mark) + messageEnd('end_turn')
}

function textBlockOf(index: number, texts: readonly string[], mark: (at: number) => object): string {
  return [
    blockStart(index, { type: 'text', text: '' }),
    ...texts.map((text, at) =>
      ant('content_block_delta', { index, delta: { type: 'text_delta', text }, ...mark(at) }),
    ),
    blockStop(index),
  ].join('')
}

function responseOf(texts: readonly string[], mark: (at: number) => object): string {
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const whole = messageItem('msg_1', texts.join(''))
  const part = { type: 'output_text', text: '', annotations: [] }
  return [
    created,
    resp('response.output_item.added', { output_index: 0, item: { ...whole, content: [] } }),
    resp('response.content_part.added', { ...place, part }),
    ...texts.map((delta, at) => {
      const obfuscation = 'x'.repeat(at + 1)
      return resp('response.output_text.delta', { ...place, delta, obfuscation, ...mark(at) })
    }),
    resp('response.output_text.done', { ...place, text: texts.join('') }),
    resp('response.content_part.done', { ...place, part: { ...part, text: texts.join('') } }),
    resp('response.output_item.done', { output_index: 0, item: whole }),
    completed([whole]),
  ].join('')
}

// A time may stand in every chunk of Gemini's, and says nothing by itself.
const marked = (at: number): object => ({ createTime: `t${at}` })
const unmarked = (): object => ({})

function through(
  pieces: readonly string[],
  from: DialectId,
  to: DialectId,
  wants: 'stream' | 'whole',
): string {
  let made = 0
  const answer = translateAnswer({
    from,
    to,
    delivered: 'stream',
    wants,
    parser: { format: 'kimi' },
    mint: (format, taken) => mintToolId({ dialect: to, format, newId: () => `n${made++}`, taken }),
    includeUsage: true,
    encoding: () => ({ id: 'a', model: 'm', created: 1, inputTokens: () => 1, signature: () => 's' }),
  })
  return pieces.map((piece) => answer.push(piece)).join('') + answer.end()
}

const texts = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('<|tool_calls_', 'section_begin|>', '"', '\\', '\n', '\u2028', ' ', '</think>', kimiCall),
    fc.constantFrom('f', ' f', 'ox', ' of', 'un', 'functions', '.get:0', '{"a":1}'),
  ),
  { minLength: 1, maxLength: 12 },
)
const cuts = fc.array(fc.nat(3000), { maxLength: 8 })

function cut(stream: string, at: readonly number[]): string[] {
  const places = [...at.filter((place) => place < stream.length), stream.length].toSorted((a, b) => a - b)
  return places.map((end, nth) => stream.slice(places[nth - 1] ?? 0, end))
}

const withoutMarks = (text: string): string => text.replaceAll(/,"createTime":"t\d+"/g, '')

describe.each(writers)('a stream of %s', (from, write) => {
  it('passes through the same whether its events look alike or not, however it is cut', () => {
    fc.assert(
      fc.property(texts, cuts, (said, places) => {
        const alike = through(cut(write(said, unmarked), places), from, from, 'stream')
        const unlike = through([write(said, marked)], from, from, 'stream')
        expect(alike).toBe(withoutMarks(unlike))
      }),
      { numRuns: 150 },
    )
  })

  it('says the same to a client of another dialect', () => {
    fc.assert(
      fc.property(texts, cuts, (said, places) => {
        const alike = through(cut(write(said, unmarked), places), from, 'openai-chat', 'whole')
        expect(alike).toBe(through([write(said, marked)], from, 'openai-chat', 'whole'))
      }),
      { numRuns: 150 },
    )
  })

  it('of plain texts goes on byte for byte, and in few pieces elsewhere', () => {
    const stream = write(['Oh', ' well', ' then', ' we', ' go.'], unmarked)
    expect(through([stream], from, from, 'stream')).toBe(stream)
    const elsewhere = through([stream], from, 'openai-chat', 'stream')
    expect(elsewhere.match(/"content":"[^"]+"/g)).toEqual(['"content":"Oh"', '"content":" well then we go."'])
  })
})

describe('a block that the client knows by another number', () => {
  it('has that number in all its events, whether they look alike or not', () => {
    fc.assert(
      fc.property(texts, cuts, (said, places) => {
        const alike = through(
          cut(behindBlank(said, unmarked), places),
          'anthropic-messages',
          'anthropic-messages',
          'stream',
        )
        const unlike = through(
          [behindBlank(said, marked)],
          'anthropic-messages',
          'anthropic-messages',
          'stream',
        )
        expect(alike).toBe(withoutMarks(unlike))
      }),
      { numRuns: 150 },
    )
    const plain = through(
      [behindBlank(['Oh', ' well', ' then'], unmarked)],
      'anthropic-messages',
      'anthropic-messages',
      'stream',
    )
    expect(plain.match(/"index":\d/g)).toEqual([
      '"index":0',
      '"index":0',
      '"index":0',
      '"index":0',
      '"index":0',
    ])
  })
})

describe('the counts of chunks that were not parsed', () => {
  it.each(['openai-chat', 'gemini'] as const)(
    'are told where the stream breaks off, to clients of %s',
    (to) => {
      const counted: number[] = []
      const answer = translateAnswer({
        from: 'gemini',
        to,
        delivered: 'stream',
        wants: 'stream',
        parser: {},
        mint: () => 'id',
        includeUsage: true,
        watcher: { usage: ({ outputTokens }) => counted.push(outputTokens) },
        encoding: () => ({ id: 'a', model: 'm', created: 1, inputTokens: () => 1, signature: () => 's' }),
      })
      answer.push(
        [1, 2, 3]
          .map((count) => content([{ text: 'x' }], {}, { usageMetadata: { candidatesTokenCount: count } }))
          .join(''),
      )
      answer.end()
      expect(counted.at(-1)).toBe(3)
    },
  )
})
