import type { Block, HasOriginal, MediaBlock } from '../../../conversation.ts'
import { templateOf } from '../../../formats/template.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { mediaPlaceholder } from '../../../request/tool-result.ts'
import { notUnderstood, type Notes } from '../../../request/notes.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { cacheControlOf, originalFor, originalIn } from '../../../request/original.ts'

/** Text and media as content parts. Other blocks have no place in a message of the user or of a tool. */
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
 * A text where there is one text and nothing else to say: the form that every upstream takes. What the client wrote in
 * parts stays in parts, but for templates that have to be fitted to.
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
