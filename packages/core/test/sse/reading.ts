import { createSseDecoder } from '../../src/sse/decoder.ts'
import type { SseDecoderOptions } from '../../src/sse/decoder.ts'
import type { SseEvent, SseItem } from '../../src/sse/items.ts'

export function decode(chunks: readonly (string | Uint8Array)[], options?: SseDecoderOptions): SseItem[] {
  const decoder = createSseDecoder(options)
  const items = chunks.flatMap((chunk) => decoder.push(chunk))
  return [...items, ...decoder.end()]
}

export function eventsOf(items: readonly SseItem[]): SseEvent[] {
  return items.filter((item) => item.kind === 'event')
}

/** Whole, character by character, and every cut in two. */
export function everyChunking(stream: string): string[][] {
  return [
    [stream],
    stream.split(''),
    ...Array.from(stream, (_, at) => [stream.slice(0, at), stream.slice(at)]),
  ]
}

export function limited(maxEventBytes: number): SseDecoderOptions {
  return { limits: { maxEventBytes } }
}
