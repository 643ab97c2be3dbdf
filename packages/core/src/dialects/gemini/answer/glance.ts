import { type GlancedPart, objectsIn } from '../../../answer/glance.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { decodeFinishReason } from '../words.ts'

/** A chunk, which is also what a whole answer is. Of several candidates the first. */
export function glanceAtContent(data: JsonObject): readonly GlancedPart[] | null {
  const { candidates } = data
  if (!Array.isArray(candidates)) {
    // Some servers wrap each chunk.
    const inner = objectIn(data, 'response')
    return Array.isArray(inner['candidates']) ? glanceAtContent(inner) : null
  }
  const first = objectsIn(candidates).find(({ index }, position) => (index ?? position) === 0) ?? {}
  return [
    ...objectsIn(objectIn(first, 'content')['parts']).flatMap(partsOf),
    ...endOf(nonEmptyText(first['finishReason'])),
  ]
}

function partsOf(part: JsonObject): GlancedPart[] {
  const { functionCall, text } = part
  if (isJsonObject(functionCall)) {
    const { id, name, args, partialArgs } = functionCall
    // Arguments that come value by value are shown as they come.
    const json = typeof args === 'string' ? args : JSON.stringify(args ?? partialArgs ?? {})
    return [{ is: 'call', key: null, id: nonEmptyText(id), name: nonEmptyText(name), json, adds: 'whole' }]
  }
  if (typeof text !== 'string') return []
  const is = part['thought'] === true ? 'reasoning' : 'text'
  return [{ is, key: is, text, adds: 'more' }]
}

function endOf(word: string | null): GlancedPart[] {
  if (word === null) return []
  const reason = decodeFinishReason(word)
  return [{ is: 'end', reason: reason === 'unknown' ? 'stop' : reason }]
}
