import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseChunks, toTransformStream, type TextChunk } from '../../src/adapters/streams.ts'
import { coalesce, type ModelEvent } from '../../src/events.ts'
import { parseToolCalls, createParser } from '../../src/parser.ts'
import { assemble } from '../../src/parsed-output.ts'
import { kimiCall } from './upstream.ts'

async function all(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const read: ModelEvent[] = []
  for await (const event of events) read.push(event)
  return read
}

async function* oneByOne(chunks: readonly TextChunk[]): AsyncGenerator<TextChunk> {
  for (const chunk of chunks) yield await Promise.resolve(chunk)
}

function streamOf(chunks: readonly TextChunk[]): ReadableStream<TextChunk> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

const cuts = fc.array(fc.nat(kimiCall.length), { maxLength: 12 }).map((places) => {
  const sorted = [0, ...places.toSorted((a, b) => a - b), kimiCall.length]
  return sorted.slice(1).map((place, at) => kimiCall.slice(sorted[at], place))
})

describe('the events of parseChunks and toTransformStream', () => {
  it('are those of the parser, however the text is cut', async () => {
    const expected = parseToolCalls(kimiCall, { format: 'kimi' })
    await fc.assert(
      fc.asyncProperty(cuts, async (chunks) => {
        const iterated = await all(parseChunks(oneByOne(chunks), { format: 'kimi' }))
        const stream = streamOf(chunks).pipeThrough(toTransformStream({ format: 'kimi' }))
        expect(assemble(iterated)).toEqual(expected)
        expect(coalesce(await all(stream))).toEqual(coalesce(iterated))
      }),
      { numRuns: 50 },
    )
  })

  it('a chunk may name its channel', async () => {
    const chunks = [{ text: 'Hm.', channel: 'reasoning' } as const, 'Hello.']
    expect(await all(parseChunks(chunks))).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hello.' },
    ])
  })

  it('an unfinished call ends as one', async () => {
    const cut = kimiCall.slice(0, -50)
    const parser = createParser({ format: 'kimi' })
    const expected = [...parser.push(cut), ...parser.end('length')]
    expect(await all(parseChunks([cut], { format: 'kimi', finishReason: 'length' }))).toEqual(expected)
    expect(expected).toContainEqual({ type: 'call-end', index: 0, complete: false })
  })

  it('a source that fails fails the reader', async () => {
    const failure = new Error('lost')
    const source = new ReadableStream<string>({ pull: (controller) => controller.error(failure) })
    await expect(all(source.pipeThrough(toTransformStream()))).rejects.toBe(failure)
  })

  it('a reader that leaves ends the source', async () => {
    let isEnded = false
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield await Promise.resolve('word ')
      } finally {
        isEnded = true
      }
    }
    for await (const event of parseChunks(endless())) {
      expect(event).toEqual({ type: 'text', text: 'word ' })
      break
    }
    expect(isEnded).toBe(true)
  })
})
