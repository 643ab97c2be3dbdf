import type { MediaBlock } from '../conversation.ts'

/** Tells the model that something was there which it is not shown. */
export function mediaPlaceholder({ mimeType, filename }: MediaBlock): string {
  return `[${filename ?? mimeType}: not shown]`
}
