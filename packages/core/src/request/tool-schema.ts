import { isJsonObject, type JsonObject } from '../json/objects.ts'

/** Upstreams refuse a schema of an object that lists no properties, although it is valid. */
export function withProperties(schema: JsonObject): JsonObject {
  if (composed.some((key) => key in schema)) return schema
  if ('properties' in schema && 'type' in schema) return schema
  return { type: 'object', properties: {}, ...schema }
}

const composed = ['$ref', 'anyOf', 'oneOf', 'allOf']

/** For dialects whose strict schemas allow only objects that are closed. A schema that says otherwise stays. */
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
