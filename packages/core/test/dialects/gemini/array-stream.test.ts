import { describe, expect, it } from 'vitest'
import { geminiErrorEvent } from '../../../src/dialects/gemini/errors.ts'
import { geminiHttp } from '../../../src/dialects/gemini/http.ts'
import { content, finished } from './upstream.ts'

function framing(query: Record<string, string> = {}, path = '/v1beta/models/m:streamGenerateContent') {
  return geminiHttp.framing?.({ path, query }) ?? null
}

describe('a stream for who does not ask for events', () => {
  it('is one JSON array, with an element in each write', () => {
    const frame = framing()
    const writes = [content([{ text: 'H' }]), '\n', content([{ text: 'i' }]), finished('STOP')].map(
      (events) => frame?.write(events) ?? '',
    )
    expect(writes[0]).toMatch(/^\[\{.*\}$/)
    const array: unknown = JSON.parse(writes.join('') + (frame?.end() ?? ''))
    expect(array).toHaveLength(3)
    expect(frame?.contentType).toContain('application/json')
  })

  it('has an error as its last element, and a failure in its place in an array', () => {
    const frame = framing()
    const failure = { kind: 'upstream', code: 'x', message: 'It broke.' } as const
    const text = [content([{ text: 'H' }]), geminiErrorEvent(failure)]
      .map((events) => frame?.write(events) ?? '')
      .join('')
    expect(JSON.parse(text + (frame?.end() ?? ''))).toMatchObject([{}, { error: { status: 'INTERNAL' } }])
    expect(framing()?.failure({ error: {} })).toEqual([{ error: {} }])
    expect(framing()?.end()).toBe('[]')
  })

  it('is one of events for who asks for them', () => {
    expect(framing({ alt: 'sse' })).toBeNull()
    expect(framing({}, '/v1beta/models/m:generateContent')).toBeNull()
  })
})
