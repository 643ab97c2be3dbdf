/** A tool definition in any client's shape: OpenAI `{type, function: {name, parameters}}`, Anthropic `{name, input_schema}`, or bare `{name, parameters}`. */
export type ToolDefinition = Readonly<Record<string, unknown>>

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'object' | 'array' | 'string'

/** Schemas nest; a reference cycle must not make the look-up endless. */
const DEEPEST_SCHEMA = 16

const jsonTypes: ReadonlySet<string> = new Set<JsonType>([
  'null',
  'boolean',
  'integer',
  'number',
  'object',
  'array',
  'string',
])

/** The tools a request offered, as far as reading calls needs to know them. */
export class ToolSet {
  /** Undefined tools mean that nobody told us: then no name can be called undeclared. */
  readonly isKnown: boolean
  private readonly schemas = new Map<string, unknown>()
  private readonly typesOf = new Map<string, ReadonlySet<JsonType>>()

  constructor(tools: readonly ToolDefinition[] | undefined) {
    this.isKnown = tools !== undefined
    for (const tool of tools ?? []) {
      const definition = isRecord(tool['function']) ? tool['function'] : tool
      const name = definition['name']
      if (typeof name !== 'string') continue
      this.schemas.set(name, definition['parameters'] ?? definition['input_schema'])
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

  /** The properties that a tool declares, or undefined where its schema does not list any. */
  properties(tool: string): Readonly<Record<string, unknown>> | undefined {
    const schema = this.schemas.get(tool)
    const properties = isRecord(schema) ? schema['properties'] : undefined
    return isRecord(properties) ? properties : undefined
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
      const properties = this.properties(tool)
      const collected = new Set<JsonType>()
      if (properties !== undefined && Object.hasOwn(properties, parameter)) {
        collectTypes(properties[parameter], this.schemas.get(tool), collected, 0)
      }
      types = collected
      this.typesOf.set(key, types)
    }
    return types
  }
}

function collectTypes(schema: unknown, root: unknown, into: Set<JsonType>, depth: number): void {
  if (!isRecord(schema) || depth > DEEPEST_SCHEMA) return
  const type = schema['type']
  for (const name of Array.isArray(type) ? type : [type]) {
    if (isJsonType(name)) into.add(name)
  }
  if (type === undefined) {
    const values = Array.isArray(schema['enum']) ? schema['enum'] : []
    for (const value of 'const' in schema ? [...values, schema['const']] : values) into.add(typeOf(value))
  }
  if (schema['nullable'] === true) into.add('null')
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const branches = schema[key]
    if (!Array.isArray(branches)) continue
    for (const branch of branches) collectTypes(branch, root, into, depth + 1)
  }
  const reference = schema['$ref']
  if (typeof reference === 'string') collectTypes(follow(reference, root), root, into, depth + 1)
}

/** Follows a reference inside the document, `#/$defs/Thing`; others cannot be reached from here. */
function follow(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#/')) return undefined
  let target: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    target = isRecord(target) && Object.hasOwn(target, key) ? target[key] : undefined
  }
  return target
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value === 'boolean' ? 'boolean' : typeof value === 'object' ? 'object' : 'string'
}

function isJsonType(value: unknown): value is JsonType {
  return typeof value === 'string' && jsonTypes.has(value)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
