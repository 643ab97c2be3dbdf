import { holdsImages } from './chat-request.ts'
import type { Asked, Place } from './imitation.ts'

/** What the servers that people run themselves have in common. */
export const threeDialects: readonly string[] = ['/v1/chat/completions', '/v1/messages', '/v1/responses']

export function countMessages({ tokens }: Place): unknown {
  return { input_tokens: tokens }
}

/** The window that the model was made for, of which a server often gives it less. */
export function trainedWindow(window: number): number {
  return Math.max(window, 262_144)
}

export function hasTools({ body: { tools } }: Asked): boolean {
  return Array.isArray(tools) && tools.length > 0
}

export function hasImages({ body: { messages, input, contents } }: Asked): boolean {
  return holdsImages([messages, input, contents])
}
