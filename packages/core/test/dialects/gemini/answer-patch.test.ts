import { describe, expect, it } from 'vitest'
import { kimiCall } from '../openai-chat/upstream.ts'
import { content, counted, finished, type Got, translated } from './upstream.ts'

function patched(body: string, faults: 'fail' | 'pass' = 'fail'): Got {
  return translated(body, { from: 'gemini', to: 'gemini', parser: { format: 'kimi' }, faults })
}

function call(id: string | undefined, args?: object): object {
  return { functionCall: { id, name: 'f', args } }
}

describe('an answer for a client of the same dialect', () => {
  it('goes on byte for byte where nothing has to change', () => {
    const body = [
      content([{ text: 'hm', thought: true }], {}, counted),
      content(
        [{ text: 'Hi' }],
        { safetyRatings: [{ category: 'X' }], avgLogprobs: -0.125 },
        { x_new: { a: 1 } },
      ),
      content([
        { functionCall: { name: 'f', args: { n: 7 } }, thoughtSignature: 'sig' },
        { functionCall: { name: 'g', args: {} } },
      ]).replace('"n":7', '"n": 12345678901234567890'),
      content([{ text: '', thoughtSignature: 'sig' }], { finishReason: 'STOP' }, counted),
    ].join('')
    expect(patched(body).text).toBe(body)
  })

  it('has calls of the text as parts, and keeps what else the chunks say', () => {
    const { text, failure } = patched(
      content([{ text: 'So: ' }], {}, { x_new: 1 }) +
        content([{ text: kimiCall, thoughtSignature: 'sig' }], { groundingMetadata: { a: 1 } }) +
        finished('STOP'),
    )
    expect(failure).toBeNull()
    expect(text).toContain('"x_new":1')
    expect(text).toContain('"groundingMetadata":{"a":1}')
    expect(text).toContain('"functionCall":{"id":"call_kimi_n0"')
    expect(text).toContain('{"text":"","thoughtSignature":"sig"}')
    expect(text).not.toContain('tool_call_begin')
    expect(text.match(/finishReason/g)).toHaveLength(1)
  })

  it('has an id that is empty or comes twice made anew, and arguments that are missing filled in', () => {
    const { text } = patched(
      content([call('', { a: 1 }), call('x', { a: 2 }), call('x', { a: 3 }), call('y')]) + finished('STOP'),
    )
    const ids = [...text.matchAll(/"functionCall":\{"id":"([^"]*)"/g)].map(([, id]) => id)
    expect(ids).toEqual(['call_std_n0', 'x', 'call_std_n1', 'y'])
    expect(text).toContain('"id":"y","name":"f","args":{}')
  })

  it('has one finish, in the last chunk, where the upstream says it with every chunk', () => {
    const { text } = patched(
      content([{ text: 'H' }], { finishReason: 'STOP' }) +
        content([{ text: 'i' }], { finishReason: 'STOP' }, counted),
    )
    expect(text.match(/finishReason/g)).toHaveLength(1)
    expect(text.trim().split('\n\n').at(-1)).toContain('"text":"i"')
  })

  it('has no comments and no other lines, which stop its clients', () => {
    const { text } = patched(
      `: alive\n\nevent: x\n${content([{ text: 'Hi' }])}retry: 3\n\n${finished('STOP')}`,
    )
    expect(text).toBe(content([{ text: 'Hi' }]) + finished('STOP'))
  })

  it('passes arguments that come value by value on as they come', () => {
    const body =
      content([{ functionCall: { name: 'f', id: 'c', willContinue: true } }]) +
      content([
        { functionCall: { partialArgs: [{ jsonPath: '$.a', stringValue: 'x' }], willContinue: true } },
      ]) +
      content([{ functionCall: {} }]) +
      finished('STOP')
    expect(patched(body).text).toBe(body)
  })

  it('tells the upstream’s own error, and what came before it', () => {
    const error = { error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } }
    const { text, failure } = patched(`${content([{ text: 'Hi <|tool' }])}data: ${JSON.stringify(error)}\n\n`)
    expect(failure).toMatchObject({ kind: 'overloaded' })
    expect(text).toContain('"text":"Hi "')
    expect(text.endsWith(`data: ${JSON.stringify(error)}\n\n`)).toBe(true)
    expect(text).not.toContain('finishReason')
  })

  it('is the very body where it comes and goes whole', () => {
    const body = `{ "candidates": [ {"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": "STOP", "index": 0, "n": 1.0 } ] }`
    const got = translated(body, { from: 'gemini', to: 'gemini', delivered: 'whole', wants: 'whole' })
    expect(got.text).toBe(body)
  })
})
