import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { PartRewriter } from '../../src/adapters/ai-sdk/part-rewriter.ts'
import { openPolicy } from '../../src/translate.ts'
import type { AnyPart } from './ai-sdk-model.ts'
import { kimiCall } from './upstream.ts'

const pieces = 500_000
const megabyte = 1024 * 1024

describe('a call of ten megabytes in small pieces', () => {
  const [head = '', tail = ''] = kimiCall.split('Paris')

  it.each<[string, (piece: AnyPart) => Iterable<AnyPart>]>([
    [
      'in the text',
      function* (piece) {
        yield { type: 'text-start', id: 't' }
        yield { type: 'text-delta', id: 't', delta: head }
        for (let at = 0; at < pieces; at++) yield { ...piece, type: 'text-delta', id: 't' }
        yield { type: 'text-delta', id: 't', delta: tail }
      },
    ],
    [
      'that the provider read itself',
      function* (piece) {
        yield { type: 'tool-input-start', id: 'a', toolName: 'get_weather' }
        yield { type: 'tool-input-delta', id: 'a', delta: '{"city":"' }
        for (let at = 0; at < pieces; at++) yield { ...piece, type: 'tool-input-delta', id: 'a' }
        yield { type: 'tool-input-delta', id: 'a', delta: '"}' }
        yield { type: 'tool-input-end', id: 'a' }
        yield { type: 'tool-call', toolCallId: 'a', toolName: 'get_weather', input: 'as it came in pieces' }
      },
    ],
  ])('%s costs little more than its text, and nothing behind it', (_whose, write) => {
    const rewriter = new PartRewriter((sink) =>
      openPolicy({ isLegalCallId: () => true }, { parser: { format: 'kimi' }, mint: () => 'call_1' }, sink),
    )
    const before = heap()
    const { length, highest } = rewrite(rewriter, write({ type: '', delta: 'twenty characters \\n' }))
    expect(length).toBe(pieces * 20 + '{"city":""}'.length)
    expect(highest - before).toBeLessThan(16 * megabyte)
    expect(heap() - before).toBeLessThan(2 * megabyte)
    rewriter.end()
  })
})

/** The length of the input of the call, and the highest that the heap was on the way. */
function rewrite(rewriter: PartRewriter, parts: Iterable<AnyPart>): { length: number; highest: number } {
  let [highest, count, length] = [0, 0, 0]
  for (const part of parts) {
    for (const made of rewriter.take(part)) if ('input' in made) length = String(made.input).length
    if (++count % 100_000 === 0) highest = Math.max(highest, heap())
  }
  return { length, highest }
}

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')

function heap(): number {
  if (typeof collect === 'function') collect()
  return process.memoryUsage().heapUsed
}
