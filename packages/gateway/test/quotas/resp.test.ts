import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeCommand, RedisError, type Reply, ReplyReader } from '../../src/quotas/resp.ts'

function written(reply: Reply): string {
  if (reply === null) return '$-1\r\n'
  if (typeof reply === 'number') return `:${reply}\r\n`
  if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`
  if (reply instanceof RedisError) return `-${reply.message}\r\n`
  return `*${reply.length}\r\n${reply.map(written).join('')}`
}

const replies: fc.Arbitrary<Reply> = fc.letrec<{ reply: Reply }>((tie) => ({
  reply: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.constant(null),
    fc.array(tie('reply'), { maxLength: 5 }),
  ),
})).reply

describe('replies of Redis', () => {
  it('are the same wherever their bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(replies, { maxLength: 6 }), fc.integer({ min: 1, max: 9 }), (all, size) => {
        const bytes = Buffer.from(all.map(written).join(''))
        const reader = new ReplyReader()
        const read: Reply[] = []
        for (let at = 0; at < bytes.length; at += size)
          read.push(...reader.push(bytes.subarray(at, at + size)))
        expect(read).toEqual(all)
      }),
      { numRuns: 300 },
    )
  })

  it('tell an error, and a short word', () => {
    const [error, word] = new ReplyReader().push(Buffer.from('-OOM full\r\n+PONG\r\n'))
    expect(error).toBeInstanceOf(RedisError)
    expect(error).toMatchObject({ message: 'OOM full' })
    expect(word).toBe('PONG')
  })

  it('of megabytes come in pieces, and take no longer for it', () => {
    const long = 'x'.repeat(8_000_000)
    const bytes = Buffer.from(written([long, 1]))
    const reader = new ReplyReader()
    const began = performance.now()
    const read: Reply[] = []
    for (let at = 0; at < bytes.length; at += 16_384)
      read.push(...reader.push(bytes.subarray(at, at + 16_384)))
    expect(read).toHaveLength(1)
    expect(JSON.stringify(read) === JSON.stringify([[long, 1]])).toBe(true)
    expect(performance.now() - began).toBeLessThan(2000)
  })

  it('are none where something else answers', () => {
    expect(() => new ReplyReader().push(Buffer.from('HTTP/1.1 400 Bad Request\r\n'))).toThrow(/not Redis/)
  })
})

it('a command says how many bytes each of its words has', () => {
  expect(encodeCommand(['GET', 'größe'])).toBe('*2\r\n$3\r\nGET\r\n$7\r\ngröße\r\n')
})
