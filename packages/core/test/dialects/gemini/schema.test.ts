import { describe, expect, it } from 'vitest'
import { jsonSchemaOf, openApiSchemaOf } from '../../../src/dialects/gemini/schema.ts'
import { type Fields, read, through, call, model, user, response } from './requests.ts'

const meaning = (declaration: Fields): unknown =>
  read({ tools: [{ functionDeclarations: [{ name: 'f', ...declaration }] }] }).request.tools[0]?.parameters

const clean = (schema: Fields): unknown =>
  openApiSchemaOf({ type: 'object', properties: { x: schema } })?.['properties']

const x = (schema: Fields): Fields => ({ x: schema })

describe('a schema of the dialect', () => {
  it('says in `parameters` what JSON Schema says: types, null, limits, references', () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        pattern: { type: 'STRING', minLength: '2', maxLength: '10', nullable: true },
        type: { type: 'INTEGER', minimum: 1, format: 'int32' },
        color: { type: 'STRING', format: 'enum', enum: ['red'], nullable: true },
        either: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], nullable: true },
        min_items: { type: 'ARRAY', min_items: '1', items: { $ref: '#/$defs/item' } },
      },
      required: ['type'],
      propertyOrdering: ['type', 'pattern'],
      $defs: { item: { type: 'STRING' } },
    }
    const parametersJsonSchema = {
      type: 'object',
      properties: {
        pattern: { type: ['string', 'null'], minLength: 2, maxLength: 10 },
        type: { type: 'integer', minimum: 1, format: 'int32' },
        color: { type: ['string', 'null'], enum: ['red', null] },
        either: { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
        min_items: { type: 'array', minItems: 1, items: { $ref: '#/$defs/item' } },
      },
      required: ['type'],
      $defs: { item: { type: 'string' } },
    }
    expect(meaning({ parameters })).toEqual(parametersJsonSchema)
    expect(meaning({ parametersJsonSchema })).toEqual(parametersJsonSchema)
    expect(jsonSchemaOf(parametersJsonSchema)).toEqual(parametersJsonSchema)
  })
})

describe('JSON Schema for `parameters`', () => {
  it('keeps properties that are named like keywords', () => {
    const properties = Object.fromEntries(
      ['pattern', 'title', 'format', 'type', '$ref', 'properties', 'default', 'my_name'].map((name) => [
        name,
        { type: 'string' },
      ]),
    )
    const schema = { type: 'object', properties, required: Object.keys(properties) }
    expect(openApiSchemaOf(schema)).toEqual(schema)
  })

  it('cuts recursion, and replaces references by what they refer to', () => {
    const schema = {
      type: 'object',
      properties: {
        tree: { $ref: '#/$defs/node', description: 'The root.' },
        leaf: { $ref: '#/definitions/a~1b' },
        lost: { $ref: '#/$defs/nowhere' },
        remote: { $ref: 'https://example.com/x.json' },
      },
      $defs: {
        node: {
          type: 'object',
          description: 'A node.',
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
        },
      },
      definitions: { 'a/b': { type: 'number' } },
    }
    expect(openApiSchemaOf(schema)).toEqual({
      type: 'object',
      properties: {
        tree: {
          type: 'object',
          description: 'The root.',
          properties: { name: { type: 'string' }, children: { type: 'array', items: { type: 'object' } } },
        },
        leaf: { type: 'number' },
        lost: {},
        remote: {},
      },
    })
  })

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
    expect(clean({ const: 'a' })).toEqual(x({ type: 'string', format: 'enum', enum: ['a'] }))
    expect(clean({ type: 'integer', enum: [1, 2, null] })).toEqual(
      x({ type: 'string', format: 'enum', enum: ['1', '2'], nullable: true }),
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

  it('is made of schemas alone: arguments and responses stay as they are', () => {
    const args = { $ref: '#/x', type: ['string', 'null'], const: 1, any_of: [], nullable: true }
    const contents = [
      user({ text: 'go' }),
      model({ ...call('f', args, 'a'), thoughtSignature: 'c2ln' }),
      user(response('f', args, 'a')),
    ]
    expect(through({ contents }, { schemas: 'openapi' })['contents']).toEqual(contents)
  })
})
