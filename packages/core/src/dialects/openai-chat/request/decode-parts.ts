import type { MediaBlock, TextBlock } from '../../../conversation.ts'
import { anyText, requiredObject } from '../../../json/fields.ts'
import { InvalidField } from '../../../json/fields.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import type { ResultBlock } from '../../../request/tool-result.ts'
import { withOriginal } from '../../../request/original.ts'

/** Content as a text, as parts, or not at all: clients send all three, null included. */
export function decodeParts(content: unknown, path: string): ResultBlock[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) {
    throw new InvalidField(path, 'must be a string or an array of content parts')
  }
  return content
    .map((part: unknown, at) => decodePart(part, `${path}[${at}]`))
    .filter((block) => block.type !== 'text' || block.text !== '' || 'original' in block)
}

function decodePart(value: unknown, path: string): ResultBlock {
  if (typeof value === 'string') return { type: 'text', text: value }
  const part = requiredObject(value, path)
  const said = part['text'] ?? part['refusal']
  if (typeof said === 'string' || part['type'] === 'text') {
    const text = anyText(said, `${path}.text`)
    const block: TextBlock = {
      type: 'text',
      text,
      original: { dialect: 'openai-chat', value: part },
    }
    return block
  }
  // A part without a meaning of its own here says nothing to another dialect.
  const block: ResultBlock = mediaOf(part) ?? { type: 'text', text: '' }
  return withOriginal(block, 'openai-chat', part)
}

function mediaOf(part: JsonObject): MediaBlock | null {
  switch (part['type']) {
    case 'image_url':
      return mediaAt(part['image_url'], 'image/*')
    case 'video_url':
      return mediaAt(part['video_url'], 'video/*')
    case 'file': {
      const file = part['file']
      if (!isJsonObject(file)) return null
      const media = mediaAt(file['file_data'], 'application/pdf')
      const filename = nonEmptyText(file['filename'])
      return media === null || filename === null ? media : { ...media, filename }
    }
    case 'input_audio': {
      const audio = part['input_audio']
      const data = isJsonObject(audio) ? nonEmptyText(audio['data']) : null
      if (!isJsonObject(audio) || data === null) return null
      return { type: 'media', mimeType: `audio/${String(audio['format'])}`, data, encoding: 'base64' }
    }
    default:
      return null
  }
}

/** An address, alone or in a field `url`, which may hold the data itself. */
function mediaAt(place: unknown, unnamedType: string): MediaBlock | null {
  const url = nonEmptyText(isJsonObject(place) ? place['url'] : place)
  if (url === null) return null
  const head = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i.exec(url.slice(0, 256))
  if (head === null) return { type: 'media', mimeType: unnamedType, data: url, encoding: 'url' }
  const mimeType = nonEmptyText(head[1]) ?? unnamedType
  return { type: 'media', mimeType, data: url.slice(head[0].length), encoding: 'base64' }
}
