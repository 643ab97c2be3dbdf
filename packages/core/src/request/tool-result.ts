import type { MediaBlock, TextBlock } from '../conversation.ts'
import { isJsonObject } from '../json/objects.ts'

export type ResultBlock = TextBlock | MediaBlock

/** What a tool answered, in blocks. A result that is neither text nor blocks is shown as JSON. */
export function resultBlocks(result: unknown): readonly ResultBlock[] {
  if (typeof result === 'string') return result === '' ? [] : [{ type: 'text', text: result }]
  if (Array.isArray(result) && result.every(isResultBlock)) return result
  return result === undefined || result === null ? [] : [{ type: 'text', text: JSON.stringify(result) }]
}

function isResultBlock(value: unknown): value is ResultBlock {
  if (!isJsonObject(value)) return false
  if (value['type'] === 'text') return typeof value['text'] === 'string'
  return (
    value['type'] === 'media' && typeof value['data'] === 'string' && typeof value['mimeType'] === 'string'
  )
}

/**
 * The chat dialect has no field for a failed call. The text of its result begins with this, which decoders take off.
 */
export const toolErrorMark = '[tool error] '

/** Tells the model that the user, or a tool, showed something that it cannot see. */
export function mediaPlaceholder({ mimeType, filename }: MediaBlock): string {
  return `[${filename ?? mimeType}: not shown]`
}
