import { describe, expect, it } from 'vitest'
import { createAnswerDecoder } from '../../../src/translate-parts.ts'
import { AnswerLog } from '../../answer/answer-log.ts'
import { countingMint, kimiCall } from '../openai-chat/upstream.ts'
import { content, finished, translated } from './upstream.ts'

function decode(...pieces: string[]): AnswerLog {
  const sink = new AnswerLog()
  const mint = countingMint('openai-chat')
  const decoder = createAnswerDecoder('gemini', { sink, mint, parser: { format: 'kimi' } })
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  expect(sink.isEnded).toBe(true)
  return sink
}

function part(functionCall: object): string {
  return content([{ functionCall }])
}

describe('a stream of a Gemini upstream', () => {
  it('keeps every digit of the arguments', () => {
    const chunk = content([{ functionCall: { id: 'c', name: 'f', args: { n: 7 } } }]).replace(
      '"n":7',
      '"n":12345678901234567890',
    )
    expect(decode(chunk, finished('STOP')).lines.join('\n')).toContain('12345678901234567890')
  })

  it('has the calls that the model wrote into its text or its thoughts', () => {
    for (const written of [{ text: kimiCall }, { text: kimiCall, thought: true }]) {
      const { lines } = decode(content([written]), finished('STOP'))
      expect(lines.filter((line) => line.startsWith('call '))).toHaveLength(1)
      expect(lines.at(-1)).toBe('finish tool-calls')
    }
  })

  it('may bring the arguments of a call value by value', () => {
    const begun = [
      part({ name: 'f', id: 'c', willContinue: true }),
      part({
        partialArgs: [{ jsonPath: '$.a.b[0]', stringValue: 'x', willContinue: true }],
        willContinue: true,
      }),
      part({
        partialArgs: [
          { jsonPath: '$.a.b[0]', stringValue: 'y' },
          { jsonPath: '$.n', numberValue: 2 },
        ],
        willContinue: true,
      }),
    ]
    const { lines } = decode(...begun, part({}), finished('STOP'))
    expect(lines).toContain('delta 0 {"a":{"b":["xy"]},"n":2}')
    expect(decode(...begun, finished('STOP')).failure).toMatchObject({ code: 'incomplete_tool_call' })
    expect(decode(...begun, finished('MAX_TOKENS')).lines.at(-1)).toBe('finish length')
  })
})

describe('the end', () => {
  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content-filter'],
    ['RECITATION', 'content-filter'],
    ['IMAGE_SAFETY', 'content-filter'],
    ['OTHER', 'stop'],
  ])('%s behind text means %s', (word, reason) => {
    expect(decode(content([{ text: 'Hi' }]), finished(word)).lines.at(-1)).toBe(`finish ${reason}`)
  })

  it('with a word that nobody knows is a failure where nothing came', () => {
    expect(decode(finished('OTHER', { finishMessage: 'No idea.' })).failure?.message).toBe(
      'The upstream ended its answer with "OTHER". No idea.',
    )
  })

  it('is missing where the stream was cut off, streamed or whole, and that is a failure', () => {
    const cut = content([{ text: 'Hi' }])
    expect(decode(cut).failure).toMatchObject({ code: 'upstream_truncated' })
    for (const to of ['openai-chat', 'gemini'] as const) {
      const body = cut.slice('data: '.length).trim()
      const got = translated(body, { from: 'gemini', to, delivered: 'whole', wants: 'whole' })
      expect(got.failure).toMatchObject({ code: 'upstream_truncated' })
    }
  })
})

describe('a whole answer', () => {
  it('may have come as an array of chunks', () => {
    const chunks = [content([{ text: 'H' }]), content([{ text: 'i' }]), finished('STOP')]
    const body = `[${chunks.map((each) => each.slice('data: '.length).trim()).join(',\n')}]`
    for (const to of ['openai-chat', 'gemini'] as const) {
      const got = translated(body, { from: 'gemini', to, delivered: 'whole', wants: 'whole' })
      expect(got.failure).toBeNull()
      expect(got.text).toContain(to === 'gemini' ? '"text":"Hi"' : '"content":"Hi"')
    }
  })
})
