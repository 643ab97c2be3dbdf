import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonType } from '../../src/engines/tool-set.ts'
import { isPureString, jsonOrString, typeValue } from '../../src/engines/untyped-value.ts'
import { anyUnits, jsonText } from '../text/any-text.ts'

const everyType: readonly JsonType[] = ['null', 'boolean', 'integer', 'number', 'object', 'array', 'string']

/** All 128 sets of types that a schema can allow. */
const everySet = Array.from(
  { length: 2 ** everyType.length },
  (_, bits) => new Set(everyType.filter((_type, index) => (bits & (1 << index)) !== 0)),
)

type Literal = [text: string, types: JsonType[], json: string]

/** A text, the types it can be read as, and how it is then written. */
const literals: Literal[] = [
  ['null', ['null'], 'null'],
  ['true', ['boolean'], 'true'],
  ['false', ['boolean'], 'false'],
  ['42', ['integer', 'number'], '42'],
  ['-7', ['integer', 'number'], '-7'],
  ['2', ['integer', 'number'], '2'],
  ['1.5', ['number'], '1.5'],
  ['9007199254740993', ['integer', 'number'], '9007199254740993'],
  ['123456789012345678901234567890', ['integer', 'number'], '123456789012345678901234567890'],
  ['0.1000000000000000055511151231257827', ['number'], '0.1000000000000000055511151231257827'],
  ['{}', ['object'], '{}'],
  ['{"a": [1, "x"]}', ['object'], '{"a": [1, "x"]}'],
  ['{"__proto__": 1}', ['object'], '{"__proto__": 1}'],
  ['[]', ['array'], '[]'],
  ['[1, {"b": null}]', ['array'], '[1, {"b": null}]'],
]

/** JSON in another spelling than the usual one: where a string is possible too, it is more likely a text. */
const oddLiterals: Literal[] = [
  ['1.0', ['integer', 'number'], '1.0'],
  ['1.50', ['number'], '1.50'],
  ['-0.10', ['number'], '-0.10'],
  ['1e3', ['integer', 'number'], '1e3'],
  ['2.5E+1', ['integer', 'number'], '2.5E+1'],
  ['15e-1', ['number'], '15e-1'],
  ['1e999', ['integer', 'number'], '1e999'],
  ['  42\n', ['integer', 'number'], '42'],
  ['\n{"a":1}\n', ['object'], '{"a":1}'],
  [' null', ['null'], 'null'],
]

/** What is JSON only after a repair. */
const slips: Literal[] = [
  ['True', ['boolean'], 'true'],
  ['FALSE', ['boolean'], 'false'],
  ['None', ['null'], 'null'],
  ['NULL', ['null'], 'null'],
  ["{'a': True}", ['object'], '{"a": true}'],
  ['{"a": 1,}', ['object'], '{"a": 1}'],
  ["['x', None]", ['array'], '["x", null]'],
  ['{"a": 1}}', ['object'], '{"a": 1}'],
]

/** What stands in quotes although it is no text. */
const quoted: Literal[] = [
  ['"42"', ['integer', 'number'], '42'],
  ['"true"', ['boolean'], 'true'],
  [String.raw`"[\"x\"]"`, ['array'], '["x"]'],
]

/** What is none of JSON's literals: a string everywhere, a mismatch where strings are not allowed. */
const others = [
  'hello',
  '"quoted"',
  "'quoted'",
  '42abc',
  '007',
  '+1',
  '.5',
  '1.',
  '0x10',
  '1_000',
  'NaN',
  'Infinity',
  '-Infinity',
  'nil',
  'yes',
  '1 2',
  '1,2',
  '{"a":1} tail',
  '{"a":',
  "{'a': 'b",
  '{a: 1}',
  '\ud83d',
]

describe('giving a bare text the type that the schema allows', () => {
  it.each(literals)('%j is read as %j where one of these is allowed, and copied', (text, types, json) => {
    for (const allowed of everySet) {
      const isRead = types.some((type) => allowed.has(type))
      expect({ allowed, ...typeValue(text, allowed) }).toEqual({
        allowed,
        ...(isRead ? { json } : kept(text, allowed)),
      })
    }
  })

  it.each(oddLiterals)('%j is read as %j where no string is allowed, and copied', (text, types, json) => {
    for (const allowed of everySet) {
      const isRead = !allowed.has('string') && types.some((type) => allowed.has(type))
      expect({ allowed, ...typeValue(text, allowed) }).toEqual({
        allowed,
        ...(isRead ? { json } : kept(text, allowed)),
      })
    }
  })

  it.each([...slips, ...quoted])(
    '%j is repaired to %j only where no string is allowed, and recorded',
    (text, types, json) => {
      for (const allowed of everySet) {
        const isRead = !allowed.has('string') && types.some((type) => allowed.has(type))
        const { repairs, ...value } = typeValue(text, allowed)
        expect({ allowed, ...value }).toEqual({ allowed, ...(isRead ? { json } : kept(text, allowed)) })
        expect((repairs?.size ?? 0) > 0).toBe(isRead)
      }
    },
  )

  it.each([
    ['0', 'false'],
    ['1', 'true'],
  ])('%j is a number where one is allowed, and %s where only a boolean is', (text, word) => {
    for (const allowed of everySet) {
      const isNumber = allowed.has('integer') || allowed.has('number')
      const isWord = !isNumber && allowed.has('boolean') && !allowed.has('string')
      const { repairs, ...value } = typeValue(text, allowed)
      const expected = isNumber ? { json: text } : isWord ? { json: word } : kept(text, allowed)
      expect({ allowed, ...value }).toEqual({ allowed, ...expected })
      expect(repairs?.has('declared-type') ?? false).toBe(isWord)
    }
  })

  it('brackets that are missing at the end of a value are added, and that is recorded', () => {
    const { json, repairs } = typeValue('[1, {"a": "x"', new Set(['array']))
    expect(JSON.parse(json)).toEqual([1, { a: 'x' }])
    expect([...(repairs ?? [])]).toEqual(['missing-closer'])
  })

  it.each(others)('%j stays a string, whatever is allowed', (text) => {
    for (const allowed of everySet) {
      expect({ allowed, ...typeValue(text, allowed) }).toEqual({ allowed, ...kept(text, allowed) })
    }
  })

  it.each(['', ' \n'])(
    'the empty text %j is an empty object where only objects fit, else a string',
    (text) => {
      for (const allowed of everySet) {
        const isObject = allowed.has('object') && !allowed.has('string')
        const expected = isObject ? { json: '{}' } : kept(text, allowed)
        expect({ allowed, ...typeValue(text, allowed) }).toEqual({ allowed, ...expected })
      }
    },
  )

  it('where nothing but a string is possible, or nothing is known, the text is kept to the letter', () => {
    fc.assert(
      fc.property(fc.oneof(anyUnits(), jsonText()), (text) => {
        expect(typeValue(text, new Set(['string']))).toEqual({ json: JSON.stringify(text) })
        expect(typeValue(text, new Set())).toEqual({ json: JSON.stringify(text) })
      }),
    )
  })

  it('null is not the text "null" where no string is allowed, though null is not allowed either', () => {
    const kinds: JsonType[] = ['integer', 'number', 'boolean', 'object', 'array']
    for (const type of kinds) {
      expect(typeValue('null', new Set([type]))).toEqual({ json: 'null', mismatch: true })
      expect(typeValue('null', new Set([type, 'string']))).toEqual({ json: '"null"' })
    }
  })

  it('whatever the text, the value is JSON: of an allowed type, or null, or the text itself', () => {
    fc.assert(
      fc.property(fc.oneof(anyUnits(), jsonText()), fc.constantFrom(...everySet), (text, allowed) => {
        const { json } = typeValue(text, allowed)
        const value: unknown = JSON.parse(json)
        if (typeof value === 'string') expect(value).toBe(text)
        else expect(isNull(text) || typesOf(value).some((type) => allowed.has(type))).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })

  it('only a string can be sent on before it is whole', () => {
    expect(everySet.filter(isPureString)).toEqual([new Set(), new Set(['string'])])
  })
})

describe('a text that the model itself calls JSON', () => {
  it.each([...literals, ...oddLiterals])('%j is copied', (text, _, json) => {
    expect(jsonOrString(text)).toEqual({ json })
  })

  it('a string in quotes is a string', () => {
    expect(jsonOrString(' "a\\nb" ')).toEqual({ json: '"a\\nb"' })
  })

  it.each(slips)('%j is repaired, and recorded', (text, _, json) => {
    const { repairs, ...value } = jsonOrString(text)
    expect(value).toEqual({ json })
    expect(repairs?.size).toBe(1)
  })

  it.each(['', 'hello', '{"a":', '007', "'x'"])('%j is none: it stays a string, with a mismatch', (text) => {
    expect(jsonOrString(text)).toEqual({ json: JSON.stringify(text), mismatch: true })
  })
})

/** The text as a string, or null; and if the schema has no place for that, that this is so. */
function kept(text: string, allowed: ReadonlySet<JsonType>): { json: string; mismatch?: true } {
  const json = JSON.stringify(text)
  if (allowed.size === 0 || allowed.has('string')) return { json }
  return { json: isNull(text) ? 'null' : json, mismatch: true }
}

function isNull(text: string): boolean {
  return /^\s*(?:null|none)\s*$/i.test(text)
}

function typesOf(value: unknown): JsonType[] {
  if (value === null) return ['null']
  if (typeof value === 'boolean') return ['boolean']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number']
  return [Array.isArray(value) ? 'array' : 'object']
}
