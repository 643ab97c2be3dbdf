import { hasOtherFields, type JsonObject } from '../../../json/objects.ts'

/** The chunk with one choice. `usage` counts the whole chunk, so of several it goes with the last alone. */
export function chunkWith(chunk: JsonObject, choice: unknown, isLast: boolean): JsonObject {
  return { ...chunk, choices: [choice], usage: isLast ? chunk['usage'] : undefined }
}

/** Whether the chunk says anything beside its choices that the chunks around it do not. */
export function saysMoreThanChoices(chunk: JsonObject): boolean {
  return hasOtherFields(chunk, repeatedFields)
}

const repeatedFields: ReadonlySet<string> = new Set([
  'choices',
  'id',
  'object',
  'created',
  'model',
  'provider',
  'service_tier',
  'system_fingerprint',
])
