import type { MediaBlock } from '../../../conversation.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import type { RequestTarget } from '../../../request/target.ts'
import { mediaPlaceholder } from '../../../request/tool-result.ts'
import { camelCased } from '../spelling.ts'

/** `null` for a part that holds none, or a file that is stored at Google and that we therefore cannot read. */
export function decodeMedia(part: JsonObject): MediaBlock | null {
  const { inlineData, fileData } = part
  if (isJsonObject(inlineData)) return inlineMedia(camelCased(inlineData))
  return isJsonObject(fileData) ? fileMedia(camelCased(fileData)) : null
}

function inlineMedia({ mimeType, data, displayName }: JsonObject): MediaBlock | null {
  if (typeof data !== 'string') return null
  return {
    type: 'media',
    mimeType: nonEmptyText(mimeType) ?? unnamedType,
    // The field is bytes. Clients write them in both alphabets of base64, other dialects know the standard one alone.
    data: data.replaceAll('-', '+').replaceAll('_', '/'),
    encoding: 'base64',
    ...filenameIn(displayName),
  }
}

function fileMedia({ mimeType, fileUri, displayName }: JsonObject): MediaBlock | null {
  const address = nonEmptyText(fileUri)
  if (address === null || !/^https?:/i.test(address) || storedFile.test(address)) return null
  const type = nonEmptyText(mimeType) ?? unnamedType
  return { type: 'media', mimeType: type, data: address, encoding: 'url', ...filenameIn(displayName) }
}

/** What was uploaded before is there for the owner of the key alone. */
const storedFile = /^https:\/\/generativelanguage\.googleapis\.com\//i

const unnamedType = 'application/octet-stream'

function filenameIn(displayName: unknown): { filename?: string } {
  const filename = nonEmptyText(displayName)
  return filename === null ? {} : { filename }
}

export function encodeMedia(media: MediaBlock, target: RequestTarget, notes: Notes): JsonObject {
  const { mimeType, data, encoding } = media
  if (mimeType.startsWith('image/') && target.images === false) {
    notes.dropped('messages', `The upstream does not take ${mimeType}.`)
    return { text: mediaPlaceholder(media) }
  }
  if (encoding === 'base64') return { inlineData: { mimeType, data } }
  // Other dialects leave the type of what stands at an address open: `image/*`.
  return { fileData: mimeType.endsWith('/*') ? { fileUri: data } : { mimeType, fileUri: data } }
}
