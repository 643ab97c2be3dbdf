import { describe, expect, it } from 'vitest'
import { openApiSchemaOf } from '../../../src/dialects/gemini/schema.ts'
import type { Fields } from './requests.ts'

const clean = (schema: Fields): unknown =>
  openApiSchemaOf({ type: 'object', properties: { x: schema } })?.['properties']

const x = (schema: Fields): Fields => ({ x: schema })

describe('JSON Schema for `parameters`', () => {
  it('does not grow without bounds where references double', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        {
          type: 'object',
          properties: { a: { $ref: `#/$defs/d${at + 1}` }, b: { $ref: `#/$defs/d${at + 1}` } },
        },
      ]),
    )
    expect(JSON.stringify(openApiSchemaOf({ $ref: '#/$defs/d0', $defs })).length).toBeLessThan(100_000)
  })

  it('writes unions, null, constants and choices in the one way that it knows', () => {
    expect(clean({ type: ['string', 'null'] })).toEqual(x({ type: 'string', nullable: true }))
    expect(clean({ type: ['string', 'number'] })).toEqual(
      x({ anyOf: [{ type: 'string' }, { type: 'number' }] }),
    )
    expect(clean({ anyOf: [{ type: 'string' }, { type: 'null' }], description: 'd' })).toEqual(
      x({ type: 'string', nullable: true, description: 'd' }),
    )
    expect(clean({ oneOf: [{ type: 'string' }, { type: 'integer' }] })).toEqual(
      x({ anyOf: [{ type: 'string' }, { type: 'integer' }] }),
    )
    expect(clean({ type: 'string', anyOf: [{ minLength: 1 }, { pattern: 'x' }, { type: 'null' }] })).toEqual(
      x({
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'string', pattern: 'x' },
        ],
        nullable: true,
      }),
    )
    expect(clean({ const: 'a' })).toEqual(x({ type: 'string', format: 'enum', enum: ['a'] }))
    expect(clean({ type: 'integer', enum: [1, 2, null] })).toEqual(
      x({ type: 'string', format: 'enum', enum: ['1', '2'], nullable: true }),
    )
    expect(
      clean({ type: ['array', 'string', 'null'], items: { type: 'number' }, minLength: 1, description: 'd' }),
    ).toEqual(
      x({
        description: 'd',
        anyOf: [
          { type: 'array', items: { type: 'number' } },
          { type: 'string', minLength: 1 },
        ],
        nullable: true,
      }),
    )
    expect(clean({ type: 'array' })).toEqual(x({ type: 'array', items: { type: 'string' } }))
    expect(clean({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] })).toEqual(
      x({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
    )
    expect(
      clean({
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: { type: 'string' } }, required: ['b', 'gone'] },
        ],
      }),
    ).toEqual(
      x({
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        required: ['a', 'b'],
      }),
    )
  })

  it('leaves out variants that only tell which properties belong together', () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' } }
    const either = [{ required: ['a'] }, { required: ['b'] }]
    expect(openApiSchemaOf({ type: 'object', properties, anyOf: either })).toEqual({
      type: 'object',
      properties,
    })
    expect(clean({ type: 'string', oneOf: [{ not: {} }, { if: {} }] })).toEqual(x({ type: 'string' }))
  })

  it('leaves out what would be refused, and an object without properties at the root', () => {
    const odd = {
      $schema: 'x',
      $id: 'y',
      type: 'object',
      additionalProperties: false,
      patternProperties: { '^x': {} },
      if: {},
      properties: {
        a: { type: 'string', title: 'A', default: 'x', format: 'uri', examples: ['x'], exclusiveMinimum: 1 },
      },
    }
    expect(openApiSchemaOf(odd)).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
    expect(openApiSchemaOf({ type: 'object', properties: {} })).toBeUndefined()
    expect(openApiSchemaOf({})).toBeUndefined()
  })
})
