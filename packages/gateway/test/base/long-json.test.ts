import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  dictionary,
  jsonValue,
  letrec,
  oneof,
  string,
  tuple,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBody } from '../../src/base/json-body.ts'
import { parseLongBody } from '../../src/base/read-long-json.ts'
import { LongJson, writeLongJson } from '../../src/base/write-long-json.ts'

const limits = { depth: 128, values: 100_000 }

/** What a text may hold that has to be written otherwise than it is, or takes more than one byte or unit. */
const units = ['a', ' ', 'é', '漢', '😀', '"', '\\', '\n', '\u0001', '\ud800', '\udc00', '\u2028', '/']

/** Texts on both sides of every length at which something else begins. */
const longText = tuple(
  array(constantFrom(...units), { minLength: 1, maxLength: 40 }),
  constantFrom(3, 4095, 4097, 262_145, 530_000, 1_100_000),
).map(([some, length]) => some.join('').repeat(Math.ceil(length / some.join('').length)))

const { value: anyValue } = letrec((tie) => ({
  value: oneof({ maxDepth: 4 }, jsonValue({ maxDepth: 1 }), longText, tie('list'), tie('fields')),
  list: array(tie('value'), { maxLength: 3 }),
  fields: dictionary(oneof(string(), constant('__proto__')), tie('value'), { maxKeys: 3 }),
}))

function escapedAll(text: string): string {
  return text.replaceAll(/[a-z]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

describe('a long body that is read in slices', () => {
  it('means what it means read at once', async () => {
    await assert(
      asyncProperty(anyValue, constantFrom(undefined, 2), async (value, spaces) => {
        const text = JSON.stringify(value, undefined, spaces)
        const bytes = Buffer.from(text)
        expect(await parseLongBody(bytes, limits)).toEqual(parseBody(bytes.toString('utf8'), limits))
      }),
      { numRuns: 60 },
    )
  })

  it('is not cut inside what stands for a character', async () => {
    // Every place in an escape comes to stand at the end of a slice.
    for (let shift = 0; shift < 7; shift++) {
      const text = `["${'x'.repeat(shift)}${escapedAll('tick').repeat(40_000)}${String.raw`\\\"\\`.repeat(100_000)}"]`
      expect(await parseLongBody(Buffer.from(text), limits)).toEqual({ is: 'json', value: JSON.parse(text) })
    }
  })

  it.each([
    ['a text without an end', `{"a":"${'x'.repeat(5000)}`],
    ['an escape that there is not', String.raw`["${'x'.repeat(5000)}\x"]`],
    ['a line break in a text', `["${'x'.repeat(5000)}\n"]`],
    ['a comma too much', `["${'x'.repeat(5000)}",]`],
    ['something behind it', `["${'x'.repeat(5000)}"] more`],
    ['nothing at all', ''],
    ['a quote alone', '"'],
  ])('is no JSON with %s', async (_, text) => {
    const read = await parseLongBody(Buffer.from(text), limits)
    expect(read).toEqual({ is: 'invalid', message: 'The body is not JSON.' })
    expect(parseBody(text, limits).is).toBe('invalid')
  })

  it('may have long keys, and of two equal ones the last counts', async () => {
    const key = 'k'.repeat(9000)
    const text = `{"${key}" : "${'a'.repeat(9000)}", "${key}":"${'b'.repeat(9000)}"}`
    expect(await parseLongBody(Buffer.from(text), limits)).toEqual({ is: 'json', value: JSON.parse(text) })
  })

  it('has the same limits', async () => {
    const long = JSON.stringify('x'.repeat(9000))
    const deep = `${'['.repeat(200)}${long}${']'.repeat(200)}`
    expect(await parseLongBody(Buffer.from(deep), limits)).toEqual(parseBody(deep, limits))
    const many = `[${Array.from({ length: 200 }, () => long).join(',')}]`
    const few = { depth: 128, values: 100 }
    expect(await parseLongBody(Buffer.from(many), few)).toEqual(parseBody(many, few))
    expect(parseBody(many, few).is).toBe('invalid')
  })

  it('leaves others their turn', async () => {
    const text = JSON.stringify(Array.from({ length: 20 }, () => 'x'.repeat(400_000)))
    expect(await turnsDuring(parseLongBody(Buffer.from(text), limits))).toBeGreaterThan(10)
  })
})

describe('long JSON that is written in slices', () => {
  it('is what JSON.stringify writes', async () => {
    await assert(
      asyncProperty(anyValue, async (value) => {
        const body = { value, none: undefined, list: [undefined, value] }
        expect((await writeLongJson(body)).equals(Buffer.from(JSON.stringify(body)))).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('leaves others their turn', async () => {
    const value = Array.from({ length: 20 }, () => 'x'.repeat(400_000))
    expect(await turnsDuring(writeLongJson(value))).toBeGreaterThan(10)
  })

  it('is written once, however often it is sent', async () => {
    const json = new LongJson({ a: 1 })
    expect(await json.bytes()).toBe(await json.bytes())
  })
})

/** How often the event loop came around before the work was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  const count = (): void => {
    turns++
    counted = setImmediate(count)
  }
  let counted = setImmediate(count)
  await work
  clearImmediate(counted)
  return turns
}
