import { DragomanError } from '../errors.ts'

/** A tool definition in any client's shape: OpenAI `{type, function: {name, parameters}}`, Anthropic `{name, input_schema}`, or bare `{name, parameters}`. */
export type ToolDefinition = Readonly<Record<string, unknown>>

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'object' | 'array' | 'string'

const jsonTypes: ReadonlyMap<string, JsonType> = new Map([
  ['null', 'null'],
  ['boolean', 'boolean'],
  ['integer', 'integer'],
  ['number', 'number'],
  ['object', 'object'],
  ['array', 'array'],
  ['string', 'string'],
  ['none', 'null'],
  ['bool', 'boolean'],
  ['int', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
  ['dict', 'object'],
  ['list', 'array'],
  ['tuple', 'array'],
  ['str', 'string'],
])

/** Types of other languages, which say how many bits a number has. */
const widths: readonly (readonly [RegExp, JsonType])[] = [
  [/^(?:u?int\d+|u?int|long|short)$/i, 'integer'],
  [/^(?:float|double)\d*$/i, 'number'],
]

/** The tools a request offered, as far as reading calls needs to know them. */
export class ToolSet {
  /** Undefined tools mean that the caller does not know them: then no name counts as undeclared. */
  readonly isKnown: boolean
  private readonly schemas = new Map<string, unknown>()
  private readonly propertiesOf = new Map<string, Readonly<Record<string, unknown>> | null>()
  private readonly typesOf = new Map<string, ReadonlySet<JsonType>>()

  /** How many tools were offered, also those whose names cannot be read. */
  readonly offered: number

  constructor(tools: readonly ToolDefinition[] | null | undefined) {
    if (tools !== undefined && tools !== null && !Array.isArray(tools)) {
      throw new DragomanError('invalid-option', 'tools must be a list of tool definitions.')
    }
    this.isKnown = tools !== undefined && tools !== null
    this.offered = tools?.length ?? 0
    for (const tool of tools ?? []) {
      if (!isRecord(tool)) {
        const index = tools?.indexOf(tool)
        throw new DragomanError('invalid-option', `tools[${index}] must be an object that defines a tool.`)
      }
      const { function: plain, custom } = tool
      const definition = isRecord(plain) ? plain : isRecord(custom) ? custom : tool
      const name = definition['name']
      if (typeof name !== 'string') continue
      this.schemas.set(
        name,
        definition['parameters'] ?? definition['input_schema'] ?? definition['inputSchema'],
      )
    }
  }

  get size(): number {
    return this.schemas.size
  }

  has(name: string): boolean {
    return this.schemas.has(name)
  }

  names(): Iterable<string> {
    return this.schemas.keys()
  }

  /** The JSON schema of a tool's arguments, as the client sent it. */
  schema(tool: string): unknown {
    return this.schemas.get(tool)
  }

  /** The properties that a tool declares, or undefined where its schema does not list any. */
  properties(tool: string): Readonly<Record<string, unknown>> | undefined {
    const schema = this.schemas.get(tool)
    if (!isRecord(schema)) return undefined
    let properties = this.propertiesOf.get(tool)
    if (properties === undefined) {
      const found = new Map<string, unknown>()
      properties = collectProperties(schema, schema, found) ? Object.fromEntries(found) : null
      this.propertiesOf.set(tool, properties)
    }
    return properties ?? undefined
  }

  required(tool: string): readonly string[] {
    const schema = this.schemas.get(tool)
    const required = isRecord(schema) ? schema['required'] : undefined
    return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : []
  }

  /** Every type the schema allows for a parameter; empty where it says nothing. */
  types(tool: string, parameter: string): ReadonlySet<JsonType> {
    const key = `${tool}\0${parameter}`
    let types = this.typesOf.get(key)
    if (types === undefined) {
      const schema = this.schemas.get(tool)
      const properties = this.properties(tool)
      const isListed = properties !== undefined && Object.hasOwn(properties, parameter)
      const collected = new Set<JsonType>()
      if (isListed) collectTypes(properties[parameter], schema, collected)
      else if (isRecord(schema)) collectTypes(schema['additionalProperties'], schema, collected)
      types = collected
      this.typesOf.set(key, types)
    }
    return types
  }
}

/**
 * Properties may also stand in the parts that a schema is combined of, or behind a reference. A value of one that stands in
 * several may be what any of them allows: typed by one alone, it would be a text where the model wrote an object. Returns
 * whether there are any.
 */
function collectProperties(
  schema: unknown,
  root: unknown,
  into: Map<string, unknown>,
  seen = new Set<unknown>(),
): boolean {
  if (!isRecord(schema) || seen.has(schema)) return false
  seen.add(schema)
  const own = schema['properties']
  let hasAny = isRecord(own)
  if (isRecord(own)) {
    for (const [key, value] of Object.entries(own)) {
      into.set(key, into.has(key) ? { anyOf: [into.get(key), value] } : value)
    }
  }
  const parts = branchesOf(schema)
  if (typeof schema['$ref'] === 'string') parts.push(follow(schema['$ref'], root))
  for (const part of parts) hasAny = collectProperties(part, root, into, seen) || hasAny
  return hasAny
}

/** Schemas refer to themselves: each is looked at once, or a client could make this take for ever. */
export function collectTypes(
  schema: unknown,
  root: unknown,
  into: Set<JsonType>,
  seen = new Set<unknown>(),
): void {
  if (!isRecord(schema) || seen.has(schema)) return
  seen.add(schema)
  const type = schema['type']
  for (const name of Array.isArray(type) ? type : [type]) {
    const known = jsonTypeNamed(name)
    if (known !== undefined) into.add(known)
  }
  if (type === undefined) {
    const values = Array.isArray(schema['enum']) ? schema['enum'] : []
    for (const value of 'const' in schema ? [...values, schema['const']] : values) into.add(typeOf(value))
    if ('properties' in schema) into.add('object')
    if ('items' in schema) into.add('array')
  }
  if (schema['nullable'] === true) into.add('null')
  for (const branch of branchesOf(schema)) collectTypes(branch, root, into, seen)
  const reference = schema['$ref']
  if (typeof reference === 'string') collectTypes(follow(reference, root), root, into, seen)
}

/** The schemas that a schema is combined of. */
export function branchesOf(schema: Readonly<Record<string, unknown>>): unknown[] {
  return ['anyOf', 'oneOf', 'allOf'].flatMap((key): unknown[] =>
    Array.isArray(schema[key]) ? schema[key] : [],
  )
}

/** Follows a reference inside the document, `#/$defs/Thing`; others cannot be reached from here. */
export function follow(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#/')) return undefined
  let target: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    const isReachable = (isRecord(target) || Array.isArray(target)) && Object.hasOwn(target, key)
    target = isReachable ? Reflect.get(Object(target), key) : undefined
  }
  return target
}

/** A reference is a URI: what cannot stand in one is written with percent signs. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value === 'boolean' ? 'boolean' : typeof value === 'object' ? 'object' : 'string'
}

/** The type of that name, as JSON Schema has it or as people write it who think in Python. */
function jsonTypeNamed(name: unknown): JsonType | undefined {
  if (typeof name !== 'string') return undefined
  return jsonTypes.get(name) ?? widths.find(([pattern]) => pattern.test(name))?.[1]
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
