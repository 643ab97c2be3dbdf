import type { Block, HasOriginal, MediaBlock, TextBlock } from '../../../conversation.ts'
import { templateOf } from '../../../formats/template.ts'
import { anyText, InvalidField, requiredObject, requiredText } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import { type Notes, notUnderstood } from '../../../request/notes.ts'
import { cacheControlOf, originalFor, originalIn, withOriginal } from '../../../request/original.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { mediaPlaceholder, type ResultBlock } from '../../../request/tool-result.ts'

/** Reads content. Clients send it as a text, in parts, as null, or not at all. */
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
  // A part of an unknown type has an empty text, so that no other dialect is sent any of it.
  const block: ResultBlock = mediaOf(part, path) ?? { type: 'text', text: '' }
  return withOriginal(block, 'openai-chat', part)
}

function mediaOf(part: JsonObject, path: string): MediaBlock | null {
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
      const format = requiredText(audio, 'format', `${path}.input_audio.`)
      return { type: 'media', mimeType: `audio/${format}`, data, encoding: 'base64' }
    }
    default:
      return null
  }
}

/** The address stands alone or in a field `url`. It may be a data URL, which holds the data itself. */
function mediaAt(place: unknown, unnamedType: string): MediaBlock | null {
  const url = nonEmptyText(isJsonObject(place) ? place['url'] : place)
  if (url === null) return null
  const head = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i.exec(url.slice(0, 256))
  if (head === null) return { type: 'media', mimeType: unnamedType, data: url, encoding: 'url' }
  const mimeType = nonEmptyText(head[1]) ?? unnamedType
  return { type: 'media', mimeType, data: url.slice(head[0].length), encoding: 'base64' }
}

/** Writes text and media as content parts. A message of the user or of a tool has no place for other blocks. */
export function encodeParts(blocks: readonly Block[], target: ChatTarget, notes: Notes): JsonObject[] {
  return blocks.flatMap((block) => {
    const original = originalFor(target, block, 'openai-chat')
    if (original !== undefined) return [original]
    if (block.type === 'text') {
      return block.text === '' ? [] : [{ type: 'text', text: block.text, ...cacheMark(block, target, notes) }]
    }
    return block.type === 'media'
      ? [{ ...mediaPart(block, target, notes), ...cacheMark(block, target, notes) }]
      : []
  })
}

/**
 * A single plain text is sent as a text, which every upstream takes. What the client sent in parts stays in parts,
 * unless the template is a strict one.
 */
export function partsContent(
  parts: readonly JsonObject[],
  blocks: readonly Block[],
  target: ChatTarget,
): unknown {
  const [only] = parts
  const isPlain = parts.length === 1 && only?.['type'] === 'text' && Object.keys(only).length === 2
  return isPlain && !keepsParts(blocks, target) ? only['text'] : parts
}

export function keepsParts(blocks: readonly Block[], { sameDialect, format }: ChatTarget): boolean {
  if (sameDialect !== true || templateOf(format).turns === 'alternate') return false
  return blocks.some((block) => originalIn(block, 'openai-chat') !== undefined)
}

export function cacheMark(thing: HasOriginal, { cacheControl }: ChatTarget, notes: Notes): JsonObject {
  const mark = cacheControlOf(thing)
  if (mark === undefined) return {}
  if (cacheControl === true) return { cache_control: mark }
  notes.dropped('cache_control', notUnderstood)
  return {}
}

function mediaPart(media: MediaBlock, target: ChatTarget, notes: Notes): JsonObject {
  const { mimeType, data, encoding, filename } = media
  const url = encoding === 'url' ? data : `data:${mimeType};base64,${data}`
  if (mimeType.startsWith('image/') && target.images !== false)
    return { type: 'image_url', image_url: { url } }
  if (mimeType.startsWith('audio/') && encoding === 'base64') {
    return { type: 'input_audio', input_audio: { data, format: mimeType.slice('audio/'.length) } }
  }
  if (target.files === true && !mimeType.startsWith('image/') && encoding === 'base64') {
    return { type: 'file', file: { filename: filename ?? 'document', file_data: url } }
  }
  notes.dropped('messages', `The upstream does not take ${mimeType}.`)
  return { type: 'text', text: mediaPlaceholder(media) }
}
