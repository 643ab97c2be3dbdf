import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { ReferenceDialect } from '../../dialect.ts'

/** Clients that take it that a server keeps their answers name the items of those by their ids. */
export const itemReferences: ReferenceDialect = {
  piecesOf({ output }) {
    if (!Array.isArray(output)) return []
    return output.flatMap((item: unknown) => {
      const id = isJsonObject(item) ? nonEmptyText(item['id']) : null
      return isJsonObject(item) && id !== null ? [[id, item] as const] : []
    })
  },
  resolve(body, find) {
    if (!isJsonObject(body) || !Array.isArray(body['input'])) return body
    const items: readonly unknown[] = body['input']
    if (!items.some(isReference)) return body
    return {
      ...body,
      input: items.map((item) => (isReference(item) ? (itemNamed(item, find) ?? item) : item)),
    }
  },
}

function isReference(item: unknown): item is JsonObject {
  return isJsonObject(item) && item['type'] === 'item_reference'
}

function itemNamed(
  reference: JsonObject,
  find: (id: string) => JsonObject | undefined,
): JsonObject | undefined {
  const id = nonEmptyText(reference['id'])
  return id === null ? undefined : find(id)
}
