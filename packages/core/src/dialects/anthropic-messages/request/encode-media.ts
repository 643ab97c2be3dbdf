import type { MediaBlock } from '../../../conversation.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { mediaPlaceholder } from '../../../request/tool-result.ts'
import type { Notes } from '../../../request/notes.ts'
import type { AnthropicTarget } from '../../../request/target.ts'

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
