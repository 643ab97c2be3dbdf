import type { Tool } from './conversation-request.ts'
import { optionalText, requiredText } from '../json/fields.ts'
import { InvalidField } from '../json/fields.ts'
import { isJsonObject, type JsonObject } from '../json/objects.ts'

/** The tools of a request, of whatever dialect. */
export interface DecodedTools {
  readonly tools: readonly Tool[]
  /** Tools that the upstream runs itself, or that are no functions. */
  readonly otherTools: readonly JsonObject[]
}

/** The dialects differ in where the definition stands, and in the name of the field with the schema. */
export function decodeTool(definition: JsonObject, schemaField: string, path: string): Tool {
  const strict = definition['strict']
  return {
    name: requiredText(definition, 'name', `${path}.`),
    description: optionalText(definition, 'description', `${path}.`),
    parameters: argumentSchema(definition[schemaField], `${path}.${schemaField}`),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

/** A tool without a schema takes no arguments. */
function argumentSchema(value: unknown, field: string): JsonObject {
  if (value === undefined) return { type: 'object', properties: {} }
  if (!isJsonObject(value)) throw new InvalidField(field, 'must be a JSON Schema object')
  const type = value['type'] ?? 'object'
  const takesObject = Array.isArray(type) ? type.includes('object') : type === 'object'
  if (!takesObject) throw new InvalidField(`${field}.type`, 'must be "object"')
  return value
}
