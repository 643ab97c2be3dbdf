import type { SystemText } from '../../../request/conversation-request.ts'
import { anyText } from '../../../json/fields.ts'
import { InvalidField } from '../../../json/fields.ts'
import { isJsonObject } from '../../../json/objects.ts'
import { withOriginal } from '../../../request/original.ts'

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
    return withOriginal(marked, 'anthropic-messages', block)
  })
}
