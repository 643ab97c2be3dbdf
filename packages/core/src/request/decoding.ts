import type { Content } from '../conversation.ts'
import { InvalidField, optionalText, requiredText } from '../json/fields.ts'
import { isJsonObject, type JsonObject } from '../json/objects.ts'
import type { ConversationRequest, SystemText, Tool } from './conversation-request.ts'
import { Notes, type RequestNote } from './notes.ts'

/** What is wrong with a request, and where: `messages[2].content`. */
export interface RequestError {
  readonly field: string
  readonly message: string
  /** The dialect's own word for it, where clients look for one. */
  readonly code?: string
}

export type Decoded<T> = (T & { readonly notes: readonly RequestNote[] }) | { readonly error: RequestError }

export type DecodedRequest = Decoded<{ readonly request: ConversationRequest }>

/** Runs a decoder whose readers stop at the first field they cannot read. */
export function decoding<T extends object>(decode: (notes: Notes) => T): Decoded<T> {
  const notes = new Notes()
  try {
    const decoded = decode(notes)
    return { notes: notes.all, ...decoded }
  } catch (error) {
    if (!(error instanceof InvalidField)) throw error
    const { field, message, code } = error
    return { error: code === undefined ? { field, message } : { field, message, code } }
  }
}

/** The messages of a request, of whatever dialect. */
export interface DecodedMessages {
  /** The texts of system messages that stand in front of everything else. */
  readonly system: readonly SystemText[]
  readonly contents: readonly Content[]
}

export function requiredMessages(messages: unknown): readonly unknown[] {
  if (Array.isArray(messages) && messages.length > 0) return messages
  throw new InvalidField('messages', 'must be an array of at least one message')
}

export function nothingSaid(): InvalidField {
  return new InvalidField('messages', 'no message has any content')
}

/** The tools of a request, of whatever dialect. */
export interface DecodedTools {
  readonly tools: readonly Tool[]
  /** Tools that the upstream runs itself, and tools that are not functions. */
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
