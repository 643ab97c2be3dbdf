import { createParser, type ParseOptions } from '../parser.ts'
import type { ModelEvent } from '../events.ts'
import type { Channel } from '../reader/text-flow.ts'

/** A piece of an answer: text of the channel in the options, or of the one it names. */
export type TextChunk = string | { readonly text: string; readonly channel?: Channel }

/** For `pipeThrough`: pieces of one answer in, events out. A slow reader slows the source down. */
export function toTransformStream(options: ParseOptions = {}): TransformStream<TextChunk, ModelEvent> {
  const parser = createParser(options)
  return new TransformStream({
    transform(chunk, controller) {
      for (const event of parser.push(...partsOf(chunk, options))) controller.enqueue(event)
    },
    flush(controller) {
      for (const event of parser.end(options.finishReason)) controller.enqueue(event)
    },
  })
}

/** The events of one answer, whose pieces come one after the other. */
export async function* parseChunks(
  chunks: AsyncIterable<TextChunk> | Iterable<TextChunk>,
  options: ParseOptions = {},
): AsyncGenerator<ModelEvent, void, undefined> {
  const parser = createParser(options)
  for await (const chunk of chunks) yield* parser.push(...partsOf(chunk, options))
  yield* parser.end(options.finishReason)
}

function partsOf(chunk: TextChunk, { channel = 'content' }: ParseOptions): [string, Channel] {
  return typeof chunk === 'string' ? [chunk, channel] : [chunk.text, chunk.channel ?? channel]
}
