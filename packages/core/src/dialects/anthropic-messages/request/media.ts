import type { MediaBlock, TextBlock } from '../../../conversation.ts'
import { hasOnly } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import { withOriginal } from '../../../request/original.ts'
import type { AnthropicTarget } from '../../../request/target.ts'
import { mediaPlaceholder } from '../../../request/tool-result.ts'

/** `null` for an image that is stored at Anthropic, and that we therefore cannot read. */
export function decodeImage(block: JsonObject): MediaBlock | null {
  const { source } = block
  const media = mediaOf(source, 'image/*')
  if (media === null || !isJsonObject(source)) return null
  const isPlain =
    hasOnly(block, imageFields) &&
    (media.encoding === 'url'
      ? hasOnly(source, urlFields)
      : hasOnly(source, dataFields) && source['media_type'] === media.mimeType)
  return isPlain ? media : withOriginal(media, dialect, block)
}

/** A document that is text becomes text; any other stays a file. */
export function decodeDocument(block: JsonObject): TextBlock | MediaBlock | null {
  const { source, title } = block
  if (!isJsonObject(source)) return null
  const filename = nonEmptyText(title)
  const text = source['type'] === 'content' ? textsOf(source['content']) : source['data']
  if ((source['type'] === 'text' || source['type'] === 'content') && typeof text === 'string') {
    const titled = filename === null ? text : `${filename}\n\n${text}`
    return withOriginal<TextBlock>({ type: 'text', text: titled }, dialect, block)
  }
  const media = mediaOf(source, 'application/pdf')
  if (media === null) return null
  return withOriginal(filename === null ? media : { ...media, filename }, dialect, block)
}

export function decodeSearchResult({ title, source, content }: JsonObject): TextBlock {
  const lines = [title, source, textsOf(content)].filter((line) => nonEmptyText(line) !== null)
  return { type: 'text', text: lines.join('\n') }
}

const dialect = 'anthropic-messages'
const imageFields = new Set(['type', 'source'])
const urlFields = new Set(['type', 'url'])
const dataFields = new Set(['type', 'media_type', 'data'])

function mediaOf(source: unknown, unnamedType: string): MediaBlock | null {
  if (!isJsonObject(source)) return null
  const { type, data, url } = source
  const mimeType = nonEmptyText(source['media_type']) ?? unnamedType
  if (type === 'base64' && typeof data === 'string') {
    return { type: 'media', mimeType, data, encoding: 'base64' }
  }
  if (type === 'url' && typeof url === 'string') {
    return { type: 'media', mimeType, data: url, encoding: 'url' }
  }
  return null
}

function textsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block: unknown) => (isJsonObject(block) ? nonEmptyText(block['text']) : null))
    .filter((text) => text !== null)
    .join('\n')
}

export function encodeMedia(media: MediaBlock, target: AnthropicTarget, notes: Notes): JsonObject {
  const { mimeType, filename } = media
  if (mimeType.startsWith('image/') && target.images !== false)
    return { type: 'image', source: sourceOf(media) }
  if (mimeType === 'application/pdf') {
    return {
      type: 'document',
      source: sourceOf(media),
      ...(filename === undefined ? {} : { title: filename }),
    }
  }
  notes.dropped('messages', `The upstream does not take ${mimeType}.`)
  return { type: 'text', text: mediaPlaceholder(media) }
}

function sourceOf({ mimeType, data, encoding }: MediaBlock): JsonObject {
  return encoding === 'url' ? { type: 'url', url: data } : { type: 'base64', media_type: mimeType, data }
}
