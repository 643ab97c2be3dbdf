import { describe, expect, it } from 'vitest'
import { ToolSet } from '../../src/engines/tool-set.ts'

describe('the tools of a request', () => {
  it('are read in the shape of every client', () => {
    const tools = new ToolSet([
      { type: 'function', function: { name: 'openai', parameters: withProperty({ type: 'integer' }) } },
      { name: 'anthropic', input_schema: withProperty({ type: 'boolean' }) },
      { name: 'bare', parameters: withProperty({ type: 'null' }) },
      { name: 'mcp', inputSchema: withProperty({ type: 'array' }) },
      { type: 'custom', custom: { name: 'custom' } },
    ])
    expect([...tools.names()]).toEqual(['openai', 'anthropic', 'bare', 'mcp', 'custom'])
    expect(tools.types('openai', 'p')).toEqual(new Set(['integer']))
    expect(tools.types('anthropic', 'p')).toEqual(new Set(['boolean']))
    expect(tools.types('bare', 'p')).toEqual(new Set(['null']))
    expect(tools.types('mcp', 'p')).toEqual(new Set(['array']))
  })

  it('that nobody told are unknown, which is not the same as none', () => {
    expect([new ToolSet(undefined).isKnown, new ToolSet([]).isKnown]).toEqual([false, true])
    expect([new ToolSet(undefined).size, new ToolSet([]).size]).toEqual([0, 0])
  })

  it('without a name are passed over, but were offered', () => {
    const tools = new ToolSet([{}, { name: 7 }, { function: 'no' }, { type: 'web_search' }, { name: 'good' }])
    expect([...tools.names()]).toEqual(['good'])
    expect([tools.size, tools.offered]).toEqual([1, 5])
  })

  it('are not confused by names that every object has', () => {
    const tools = new ToolSet([{ name: 'good', parameters: withProperty({ type: 'integer' }) }])
    expect(['good', 'constructor', '__proto__', 'toString'].map((name) => tools.has(name))).toEqual([
      true,
      false,
      false,
      false,
    ])
    const named = new ToolSet([{ name: '__proto__', parameters: withProperty({ type: 'integer' }) }])
    expect([...named.types('__proto__', 'p')]).toEqual(['integer'])
  })

  it.each([[undefined], [null], ['x'], [[]], [{}], [{ properties: null }], [{ properties: [] }]])(
    'with the schema %j declare no properties',
    (parameters) => {
      const tools = new ToolSet([{ name: 'tool', parameters }])
      expect(tools.properties('tool')).toBeUndefined()
      expect([...tools.types('tool', 'p')]).toEqual([])
      expect(tools.required('tool')).toEqual([])
    },
  )

  it('declare properties in every part of their schema, and behind references', () => {
    const parameters = {
      properties: { a: {} },
      allOf: [{ properties: { b: {} } }, { $ref: '#/$defs/More' }],
      $defs: { More: { properties: { c: { type: 'integer' } }, allOf: [{ $ref: '#/$defs/More' }] } },
    }
    const tools = new ToolSet([{ name: 'tool', parameters }])
    expect(Object.keys(tools.properties('tool') ?? {})).toEqual(['a', 'b', 'c'])
    expect([...tools.types('tool', 'c')]).toEqual(['integer'])
  })

  it('list what they require', () => {
    const tools = new ToolSet([{ name: 'tool', parameters: { required: ['a', 7, 'b'] } }])
    expect(tools.required('tool')).toEqual(['a', 'b'])
    expect(tools.required('other')).toEqual([])
  })
})

describe('the types that a schema allows', () => {
  it.each([
    ['a type', { type: 'integer' }, ['integer']],
    ['a list of types', { type: ['string', 'null'] }, ['string', 'null']],
    ['a type that JSON does not know', { type: 'date' }, []],
    ['a list with such types', { type: ['date', 'number', 7] }, ['number']],
    ['nothing', {}, []],
    ['only a description', { description: 'a number' }, []],
    ['a schema that is true', true, []],
    ['values of an enum', { enum: ['a', 'b'] }, ['string']],
    ['an enum of everything', { enum: [null, true, 1, 1.5, {}, [], 'a'] }, everyType()],
    ['an enum beside a type, which says more', { type: 'string', enum: [1, null] }, ['string']],
    ['a constant', { const: 7 }, ['integer']],
    ['the constant null', { const: null }, ['null']],
    ['an empty enum', { enum: [] }, []],
    ['properties without a type', { properties: {} }, ['object']],
    ['items without a type', { items: {} }, ['array']],
    ['nullable', { type: 'integer', nullable: true }, ['integer', 'null']],
    ['not nullable', { type: 'integer', nullable: false }, ['integer']],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, ['string', 'integer']],
    ['oneOf', { oneOf: [{ type: 'object' }, { const: null }] }, ['object', 'null']],
    ['allOf', { allOf: [{ type: 'array' }, { description: 'x' }] }, ['array']],
    ['unions in unions', { anyOf: [{ oneOf: [{ allOf: [{ type: 'number' }] }] }] }, ['number']],
    ['a union beside a type', { type: 'string', anyOf: [{ type: 'null' }] }, ['string', 'null']],
    ['a union that is no list', { anyOf: { type: 'string' } }, []],
    ['a union of nonsense', { anyOf: [null, 7, 'string', []] }, []],
    ['a reference', { $ref: '#/$defs/Count' }, ['integer']],
    ['a reference in a union', { anyOf: [{ $ref: '#/$defs/Count' }, { type: 'null' }] }, ['integer', 'null']],
    ['a reference to a reference', { $ref: '#/$defs/Again' }, ['integer']],
    ['a reference with escapes', { $ref: '#/$defs/a~1b~0c' }, ['boolean']],
    ['a reference to a property', { $ref: '#/properties/other' }, ['array']],
    ['a reference to nowhere', { $ref: '#/$defs/None' }, []],
    ['a reference to what every object has', { $ref: '#/$defs/constructor' }, []],
    ['a reference elsewhere', { $ref: 'https://example.com/schema#/$defs/Count' }, []],
    ['a reference that is none', { $ref: 7 }, []],
    ['a reference to itself', { $ref: '#/properties/p' }, []],
    ['a cycle of references', { $ref: '#/$defs/Ping' }, ['string', 'null']],
  ])('%s', (_, schema, types) => {
    const parameters = {
      type: 'object',
      properties: { p: schema, other: { type: 'array' } },
      $defs: {
        Count: { type: 'integer' },
        Again: { $ref: '#/$defs/Count' },
        'a/b~c': { type: 'boolean' },
        Ping: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/Pong' }] },
        Pong: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/Ping' }] },
      },
    }
    expect([...new ToolSet([{ name: 'tool', parameters }]).types('tool', 'p')]).toEqual(types)
  })

  it('are none for a parameter or a tool that is not declared', () => {
    const tools = new ToolSet([{ name: 'tool', parameters: withProperty({ type: 'integer' }) }])
    expect([...tools.types('tool', 'q')]).toEqual([])
    expect([...tools.types('other', 'p')]).toEqual([])
  })

  it('are none for a parameter whose name every object has, unless it is declared', () => {
    const plain = new ToolSet([{ name: 'tool', parameters: withProperty({ type: 'integer' }) }])
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect(plain.types('tool', name).size).toBe(0)

    const parameters: unknown = JSON.parse('{"properties":{"__proto__":{"type":"integer"}}}')
    expect([...new ToolSet([{ name: 'tool', parameters }]).types('tool', '__proto__')]).toEqual(['integer'])
  })

  it('are the same when they are asked for again, and the schema is not changed', () => {
    const parameters = withProperty({ anyOf: [{ type: 'string' }, { type: 'null' }] })
    const before = structuredClone(parameters)
    const tools = new ToolSet([{ name: 'tool', parameters }])
    expect(tools.types('tool', 'p')).toBe(tools.types('tool', 'p'))
    expect(parameters).toEqual(before)
  })
})

describe('what is given as tools', () => {
  it('null means that nobody knows, as undefined does; an empty list means none', () => {
    expect(new ToolSet(null).isKnown).toBe(false)
    expect(new ToolSet(undefined).isKnown).toBe(false)
    expect(new ToolSet([])).toMatchObject({ isKnown: true, offered: 0 })
  })

  it('a list of anything but objects is a mistake of the caller, and named', () => {
    const broken: unknown = JSON.parse('[{"name":"fine"}, null]')
    const tools = Array.isArray(broken) ? broken : []
    expect(() => new ToolSet(tools)).toThrow(expect.objectContaining({ code: 'invalid-option' }))
    expect(() => new ToolSet(tools)).toThrow('tools[1]')
  })

  it('a tool whose name cannot be read is still one that was offered', () => {
    expect(new ToolSet([{ type: 'web_search' }])).toMatchObject({ offered: 1, size: 0 })
  })

  it('custom tools and MCP definitions are known by name', () => {
    const tools = new ToolSet([
      { type: 'custom', custom: { name: 'patch' } },
      { name: 'read', inputSchema: withProperty({ type: 'integer' }) },
    ])
    expect([...tools.names()]).toEqual(['patch', 'read'])
    expect([...tools.types('read', 'p')]).toEqual(['integer'])
  })

  it('schemas that refer to themselves many times over are looked at once', () => {
    const again = Array.from({ length: 12 }, () => ({ $ref: '#/$defs/A' }))
    const parameters = {
      ...withProperty({ $ref: '#/$defs/A' }),
      $defs: { A: { anyOf: [...again, { type: 'integer' }], allOf: again } },
    }
    expect([...new ToolSet([{ name: 'tool', parameters }]).types('tool', 'p')]).toEqual(['integer'])
  })
})

function withProperty(schema: unknown): Record<string, unknown> {
  return { type: 'object', properties: { p: schema } }
}

function everyType(): string[] {
  return ['null', 'boolean', 'integer', 'number', 'object', 'array', 'string']
}
