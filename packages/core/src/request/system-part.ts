import type { SystemText } from './conversation-request.ts'
import type { JsonObject } from '../json/objects.ts'

/** Instructions as a block of text with its cache mark: both dialects write it so. */
export function systemPart({ text, cacheControl }: SystemText): JsonObject {
  return cacheControl === undefined
    ? { type: 'text', text }
    : { type: 'text', text, cache_control: cacheControl }
}
