import type { Block, MediaBlock } from '../../../conversation.ts'
import { anyText, InvalidField, requiredObject } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import { withOriginal } from '../../../request/original.ts'
import type { ResponsesTarget } from '../../../request/target.ts'
import { mediaPlaceholder, type ResultBlock } from '../../../request/tool-result.ts'

type OriginalOf = (part: JsonObject | undefined) => JsonObject

/**
 * Reads the content of a message or the output of a tool. `originalOf` says what is kept of a part; it is given none for a
 * content that is a text.
 */
export function decodeParts(
  content: unknown,
  path: string,
  notes: Notes,
  originalOf?: OriginalOf,
): ResultBlock[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [withPart({ type: 'text', text: content }, undefined, originalOf)]
  if (!Array.isArray(content)) throw new InvalidField(path, 'must be a string or an array of parts')
  return content.flatMap((value: unknown, at) => {
    if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }]
    const part = requiredObject(value, `${path}[${at}]`)
    const block = decodePart(part, `${path}[${at}]`, notes)
    const isEmpty = block.type === 'text' && block.text === '' && textTypes.has(part['type'])
    return isEmpty ? [] : [withPart(block, part, originalOf)]
  })
}

function withPart(
  block: ResultBlock,
  part: JsonObject | undefined,
  originalOf: OriginalOf | undefined,
): ResultBlock {
  // A result keeps its parts by themselves: the item around them is the original of the result.
  const value = originalOf?.(part) ?? part
  return value === undefined ? block : withOriginal(block, 'openai-responses', value)
}

const textTypes: ReadonlySet<unknown> = new Set([
  'input_text',
  'output_text',
  'text',
  'summary_text',
  'reasoning_text',
  'refusal',
])

function decodePart(part: JsonObject, path: string, notes: Notes): ResultBlock {
  const { type, text, refusal } = part
  if (textTypes.has(type) || (type === undefined && typeof text === 'string')) {
    return { type: 'text', text: anyText(text ?? refusal, `${path}.text`) }
  }
  const media = mediaOf(part)
  if (media !== null) return media
  if (nonEmptyText(part['file_id']) !== null) {
    notes.dropped(path, 'It stands for a file that a server has kept, and nothing is kept here.')
    return { type: 'text', text: `[${nonEmptyText(part['filename']) ?? kindOfFile(type)}: not shown]` }
  }
  // A part of an unknown type has an empty text, so that no other dialect is sent any of it.
  return { type: 'text', text: '' }
}

function kindOfFile(type: unknown): string {
  return type === 'input_image' ? 'image' : 'file'
}

function mediaOf(part: JsonObject): MediaBlock | null {
  switch (part['type']) {
    case 'input_image':
      return mediaAt(part['image_url'], 'image/*')
    case 'input_file': {
      const media = mediaAt(part['file_data'] ?? part['file_url'], 'application/pdf')
      const filename = nonEmptyText(part['filename'])
      return media === null || filename === null ? media : { ...media, filename }
    }
    case 'input_audio': {
      const audio = isJsonObject(part['input_audio']) ? part['input_audio'] : part
      const data = nonEmptyText(audio['data'])
      if (data === null) return null
      const mimeType = `audio/${nonEmptyText(audio['format']) ?? 'wav'}`
      return { type: 'media', mimeType, data, encoding: 'base64' }
    }
    default:
      return null
  }
}

/** The address is a text here. Clients that come from the chat dialect write an object around it. */
function mediaAt(place: unknown, unnamedType: string): MediaBlock | null {
  const url = nonEmptyText(isJsonObject(place) ? place['url'] : place)
  if (url === null) return null
  const head = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i.exec(url.slice(0, 256))
  if (head === null) return { type: 'media', mimeType: unnamedType, data: url, encoding: 'url' }
  const mimeType = nonEmptyText(head[1]) ?? unnamedType
  return { type: 'media', mimeType, data: url.slice(head[0].length), encoding: 'base64' }
}

/** Text and media as parts of what the user, or a tool, shows the model. */
export function encodeInputParts(
  blocks: readonly Block[],
  target: ResponsesTarget,
  notes: Notes,
): JsonObject[] {
  return blocks.flatMap((block) => {
    if (block.type === 'text') return block.text === '' ? [] : [{ type: 'input_text', text: block.text }]
    return block.type === 'media' ? [mediaPart(block, target, notes)] : []
  })
}

function mediaPart(media: MediaBlock, target: ResponsesTarget, notes: Notes): JsonObject {
  const { mimeType, data, encoding, filename } = media
  const url = encoding === 'url' ? data : `data:${mimeType};base64,${data}`
  if (mimeType.startsWith('image/') && target.images !== false) {
    return { type: 'input_image', image_url: url, detail: 'auto' }
  }
  if (target.responsesItems === 'openai') {
    if (mimeType.startsWith('audio/') && encoding === 'base64') {
      return { type: 'input_audio', input_audio: { data, format: mimeType.slice('audio/'.length) } }
    }
    if (!mimeType.startsWith('image/')) {
      const place =
        encoding === 'url' ? { file_url: url } : { filename: filename ?? 'document', file_data: url }
      return { type: 'input_file', ...place }
    }
  }
  notes.dropped('input', `The upstream does not take ${mimeType}.`)
  return { type: 'input_text', text: mediaPlaceholder(media) }
}
