import { describe, expect, it } from 'vitest'
import { createParser } from '../src/parser.ts'
import { joined } from './support/run-parser.ts'

const written = '{"name": "write", "parameters": {"text": "'

describe('a bare call in the format that was named', () => {
  it('is held while a sentence may speak of it', () => {
    const parser = createParser({ format: 'llama' })
    expect(parser.push(`${written}short"}}`)).toEqual([])
    const events = [...parser.push(' is an example.'), ...parser.end()]
    expect(joined(events, 'text')).toBe(`${written}short"}} is an example.`)
  })

  it('streams once it is longer than an example', () => {
    const parser = createParser({ format: 'llama' })
    expect(parser.push(`${written}${'a'.repeat(1900)}`)).toEqual([])
    const [start, delta] = parser.push('a'.repeat(200))
    expect(start).toMatchObject({ type: 'call-start', name: 'write' })
    expect(delta).toMatchObject({ type: 'call-delta' })
    expect(parser.push('and more')).toMatchObject([{ type: 'call-delta', json: 'and more' }])
  })
})
