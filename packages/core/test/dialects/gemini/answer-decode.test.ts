import { describe, expect, it } from 'vitest'
import { createAnswerDecoder } from '../../../src/translate-parts.ts'
import { readSignature } from '../../../src/request/reasoning-signature.ts'
import { AnswerLog } from '../../answer/answer-log.ts'
import { countingMint, kimiCall } from '../openai-chat/upstream.ts'
import { content, counted, finished, translated } from './upstream.ts'

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
  it('is thoughts, text and calls in any mix of parts, with usage in every chunk and the end apart', () => {
    const log = decode(
      content([{ text: 'h', thought: true }], {}, { usageMetadata: { promptTokenCount: 9 } }),
      content([{ text: 'm', thought: true }, { text: 'Let me ' }], {}, counted),
      content([{ text: 'see.' }, { functionCall: { id: 'c1', name: 'f', args: { x: 1 } } }]),
      content([{ functionCall: { name: 'g', args: {} } }]),
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
  })

  it('has its signatures where they belong: on a call, on a thought, and on an empty text', () => {
    const empty = decode(
      content([{ text: 'Hi' }]),
      content([{ text: '', thoughtSignature: 'sig' }]),
      finished('STOP'),
    )
    expect(empty.lines.slice(1)).toEqual(['text "Hi"', 'proof sig', 'finish stop'])
    const thought = decode(
      content([{ text: 'hm', thought: true, thoughtSignature: 'sig' }, { text: 'Hi' }]),
      finished('STOP'),
    )
    expect(thought.lines.slice(1)).toEqual([
      'reasoning thought "hm"',
      'proof sig',
      'text "Hi"',
      'finish stop',
    ])
    const call = content([{ functionCall: { id: 'c', name: 'f', args: { a: 1 } }, thoughtSignature: 'sig' }])
    const { text } = translated(call + finished('STOP'), { from: 'gemini', to: 'anthropic-messages' })
    const data = /"redacted_thinking","data":"([^"]+)"/.exec(text)?.[1]
    expect(readSignature(data)).toMatchObject({
      field: 'tool_calls',
      proof: JSON.stringify({ google: { thought_signature: 'sig' } }),
    })
  })

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

  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])(
    '%s is a failure',
    (word) => {
      const log = decode(content([{ text: 'Hi' }]), finished(word))
      expect(log.failure).toMatchObject({ kind: 'upstream', code: word })
      for (const to of ['openai-chat', 'gemini'] as const) {
        const got = translated(content([{ text: 'Hi' }]) + finished(word), { from: 'gemini', to })
        expect(got.failure).toMatchObject({ code: word })
        expect(got.text).not.toContain('finishReason')
      }
    },
  )

  it('is a filter where the prompt was refused, and a failure where there are no candidates at all', () => {
    const blocked = `data: ${JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' }, ...counted })}\n\n`
    expect(decode(blocked).lines.at(-1)).toBe('finish content-filter')
    expect(decode(`data: ${JSON.stringify(counted)}\n\n`).failure).toMatchObject({
      code: 'upstream_truncated',
    })
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
