import { nineAlphanumerics } from '../ids/digest.ts'
import { isJsonObject, type JsonObject } from '../json/objects.ts'
import type { Tool } from './conversation-request.ts'
import type { Notes } from './notes.ts'
import type { RequestTarget } from './target.ts'

/** Turns names that the upstream could not take into short ones, and back. Other names stay. */
export interface ToolNames {
  toUpstream(name: string): string
  toClient(name: string): string
}

/**
 * Names that are too long, or hold more than letters, digits, `_` and `-`, get a short one that depends on the name
 * alone. The request's own tools are enough to turn it back, so nothing is kept between request and answer.
 */
export function shortToolNames(
  tools: readonly { readonly name: string }[],
  longest: number = longestEverywhere,
): ToolNames {
  const taken = new Set(tools.map(({ name }) => name))
  const shortNames = new Map<string, string>()
  const clientNames = new Map<string, string>()

  function toUpstream(name: string): string {
    if (name.length <= longest && legal.test(name)) return name
    const known = shortNames.get(name)
    if (known !== undefined) return known
    const short = freeName(name, longest, taken)
    taken.add(short)
    shortNames.set(name, short)
    clientNames.set(short, name)
    return short
  }

  for (const { name } of tools) toUpstream(name)
  return { toUpstream, toClient: (name) => clientNames.get(name) ?? name }
}

// Names of this length, and of these characters, are legal in every dialect.
const longestEverywhere = 64
const legal = /^[a-zA-Z0-9_-]+$/

function freeName(name: string, longest: number, taken: ReadonlySet<string>): string {
  const head = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, longest - 10)
  for (let attempt = 0; ; attempt++) {
    const short = `${head}_${nineAlphanumerics(attempt === 0 ? name : `${name}/${attempt}`)}`
    if (!taken.has(short)) return short
  }
}

/** As many of the tools as the upstream takes. */
export function offeredTools(
  tools: readonly Tool[],
  { maxTools }: RequestTarget,
  notes: Notes,
): readonly Tool[] {
  if (maxTools === undefined || tools.length <= maxTools) return tools
  notes.dropped(
    'tools',
    `The upstream takes ${maxTools} tools; the last ${tools.length - maxTools} are left out.`,
  )
  return tools.slice(0, maxTools)
}

/** Upstreams refuse a schema of an object that lists no properties, although it is valid. */
export function withProperties(schema: JsonObject): JsonObject {
  if (composed.some((key) => key in schema)) return schema
  if ('properties' in schema && 'type' in schema) return schema
  return { type: 'object', properties: {}, ...schema }
}

const composed = ['$ref', 'anyOf', 'oneOf', 'allOf']

/** Some dialects take only closed objects in strict schemas. A schema that says otherwise itself stays as it is. */
export function closedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closedSchema)
  if (!isJsonObject(schema)) return schema
  const closed = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closedPart(key, value)]),
  )
  const isObject = schema['type'] === 'object' || 'properties' in schema
  return isObject && !('additionalProperties' in schema) ? { ...closed, additionalProperties: false } : closed
}

function closedPart(key: string, value: unknown): unknown {
  if (schemasByName.has(key) && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, closedSchema(schema)]))
  }
  return subschemas.has(key) ? closedSchema(value) : value
}

const schemasByName = new Set(['properties', '$defs', 'definitions', 'patternProperties'])
const subschemas = new Set(['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'not', 'additionalProperties'])
