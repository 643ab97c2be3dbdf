import { InvalidField } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import type { SystemText } from '../../../request/conversation-request.ts'
import { withoutBillingLine } from '../../../request/instructions.ts'
import { type Notes, notUnderstood } from '../../../request/notes.ts'
import { originalFor, withOriginal } from '../../../request/original.ts'
import type { RequestTarget } from '../../../request/target.ts'
import { camelCased } from '../spelling.ts'

/** Reads instructions: a content, one part of it, or a text. */
export function decodeSystem(value: unknown, field: string): SystemText[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'string') return value === '' ? [] : [{ text: value }]
  const parts: unknown = isJsonObject(value) && 'parts' in value ? value['parts'] : value
  const list: unknown[] = Array.isArray(parts) ? parts : [parts ?? []].flat()
  return list
    .map((part, at) => systemText(part, `${field}.parts[${at}]`))
    .filter(({ text, original }) => text !== '' || original !== undefined)
}

function systemText(value: unknown, path: string): SystemText {
  if (typeof value === 'string') return { text: value }
  const part = isJsonObject(value) ? camelCased(value) : {}
  const { text } = part
  if (typeof text !== 'string') throw new InvalidField(`${path}.text`, 'must be a string')
  return Object.keys(part).length === 1 ? { text } : withOriginal({ text }, 'gemini', part)
}

export function encodeSystem(
  system: readonly SystemText[],
  target: RequestTarget,
  notes: Notes,
): { systemInstruction?: JsonObject } {
  const instructions = target.billingLine === 'keep' ? system : withoutBillingLine(system, notes)
  if (instructions.some(({ cacheControl }) => cacheControl !== undefined)) {
    notes.dropped('cache_control', notUnderstood)
  }
  const parts = instructions.flatMap((text): JsonObject[] => {
    const original = originalFor(target, text, 'gemini')
    return original === undefined ? (text.text === '' ? [] : [{ text: text.text }]) : [original]
  })
  return parts.length === 0 ? {} : { systemInstruction: { parts } }
}
