import type { SystemText } from '../conversation-request.ts'
import { anyText } from '../field-readers.ts'
import { InvalidField } from '../invalid-field.ts'
import { isJsonObject } from '../json-object.ts'
import { withWritten } from '../written-form.ts'

/** Instructions as a text or in blocks of text; also the content of a system message among the messages. */
export function systemTexts(content: unknown, field: string): SystemText[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [{ text: content }]
  if (!Array.isArray(content)) {
    throw new InvalidField(field, 'must be a string or an array of text blocks')
  }
  return content.map((block: unknown, at) => {
    const text = anyText(isJsonObject(block) ? block['text'] : block, `${field}[${at}].text`)
    if (!isJsonObject(block)) return { text }
    const cacheControl = block['cache_control'] ?? undefined
    const marked = cacheControl === undefined ? { text } : { text, cacheControl }
    return withWritten(marked, 'anthropic-messages', block)
  })
}
