import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Phrases } from '../../src/simulator/phrases.ts'
import { seededRandom } from '../../src/simulator/random.ts'
import { fillSchema } from '../../src/simulator/schema-value.ts'

function fill(properties: object, text = '', more: object = {}): unknown {
  const schema = { type: 'object', properties, required: Object.keys(properties), ...more }
  return fillSchema(schema, new Phrases(text), seededRandom(1))
}

describe('arguments from a schema', () => {
  it('only what is required is filled, or the first property where nothing is', () => {
    const properties = { city: { type: 'string' }, days: { type: 'integer' } }
    expect(fill(properties, 'in Oslo', { required: ['city'] })).toEqual({ city: 'Oslo' })
    expect(fill(properties, 'in Oslo', { required: [] })).toEqual({ city: 'Oslo' })
    expect(fill({})).toEqual({})
  })

  it('the words of the user give the values', () => {
    const text =
      'Mail ada@lab.org about https://x.dev/a?b=1. Replace "old one" by "new one" in src/a.ts, 3 times, on 2025-02-03, near New York.'
    expect(
      fill(
        {
          email: { type: 'string' },
          url: { type: 'string' },
          old_string: { type: 'string' },
          new_string: { type: 'string' },
          file_path: { type: 'string' },
          count: { type: 'integer' },
          date: { type: 'string' },
          city: { type: 'string' },
        },
        text,
      ),
    ).toEqual({
      email: 'ada@lab.org',
      url: 'https://x.dev/a?b=1',
      old_string: 'old one',
      new_string: 'new one',
      file_path: 'src/a.ts',
      count: 3,
      date: '2025-02-03',
      city: 'New York',
    })
  })

  it('an apostrophe quotes nothing', () => {
    expect(fill({ text: { type: 'string' } }, "It's what I'd say, isn't it")).toEqual({ text: 'simulated' })
  })

  it('a command that nobody quoted is harmless', () => {
    expect(fill({ command: { type: 'string' } }, 'Clean up /tmp/x')).toEqual({ command: 'echo simulated' })
  })

  it('nested objects, lists, choices, constants, alternatives and references are followed', () => {
    const properties = {
      filter: {
        type: 'object',
        properties: {
          tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
          deep: { $ref: '#/$defs/deep' },
        },
        required: ['tags', 'deep'],
      },
      unit: { enum: ['celsius', 'fahrenheit'] },
      kind: { const: 'x' },
      either: { anyOf: [{ type: 'null' }, { type: 'boolean' }] },
      all: {
        allOf: [
          { properties: { a: { type: 'null' } }, required: ['a'] },
          { properties: { b: { const: 2 } }, required: ['b'] },
        ],
      },
      nullable: { type: ['null', 'string'] },
    }
    const $defs = {
      deep: { type: 'object', properties: { ok: { type: 'boolean', default: true } }, required: ['ok'] },
    }
    expect(fill(properties, 'Use fahrenheit', { $defs })).toEqual({
      filter: { tags: ['simulated', 'simulated'], deep: { ok: true } },
      unit: 'fahrenheit',
      kind: 'x',
      either: false,
      all: { a: null, b: 2 },
      nullable: 'simulated',
    })
  })

  it('a schema that refers to itself comes to an end', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['next'] }
    expect(JSON.stringify(fill({ node }, '', { $defs: { node } })).length).toBeLessThan(200)
    expect(fill({ loop: { $ref: '#/properties/loop' } })).toEqual({ loop: 'simulated' })
  })

  it('lengths and ranges are kept', () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        fc.nat(50),
        fc.integer({ min: -99, max: 99 }),
        fc.nat(99),
        fc.nat(),
        (least, more, low, span, seed) => {
          const schema = {
            properties: {
              text: { type: 'string', minLength: least, maxLength: least + more },
              whole: { type: 'integer', minimum: low, maximum: low + span },
              number: { type: 'number', exclusiveMinimum: low, exclusiveMaximum: low + span + 2 },
            },
            required: ['text', 'whole', 'number'],
          }
          const { text, whole, number } = fillSchema(
            schema,
            new Phrases('say "a word or two", 5'),
            seededRandom(seed),
          )
          expect(String(text).length).toBeGreaterThanOrEqual(least)
          expect(String(text).length).toBeLessThanOrEqual(least + more)
          expect(Number.isInteger(whole) && Number(whole) >= low && Number(whole) <= low + span).toBe(true)
          expect(Number(number) > low && Number(number) < low + span + 2).toBe(true)
        },
      ),
    )
  })

  it('no schema, however odd, makes it fail', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('type', 'properties', 'required', 'items', 'enum', 'anyOf', 'allOf', '$ref'),
          fc.jsonValue(),
        ),
        (odd) => {
          expect(fill({ odd })).toHaveProperty('odd')
        },
      ),
    )
  })
})
