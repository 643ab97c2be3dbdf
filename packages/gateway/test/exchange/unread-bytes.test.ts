import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { UnreadBytes } from '../../src/exchange/unread-bytes.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

const read = Buffer.alloc(65_536, 'x')

/** A reader that took nothing for so long, and takes it now. */
function readerAfter(milliseconds: number): UnreadBytes {
  const unread = new UnreadBytes()
  unread.pause()
  vi.advanceTimersByTime(milliseconds)
  unread.resume()
  return unread
}

describe('what has come of an answer', () => {
  it('is taken together, in its order', () => {
    const unread = new UnreadBytes()
    for (const piece of ['one ', 'two ', 'three']) unread.add(Buffer.from(piece))
    expect(unread.take('more')?.toString()).toBe('one two three')
    expect(unread.isEmpty).toBe(true)
    expect(unread.take('more')).toBeUndefined()
  })

  it('is taken whole by a reader that was behind for a moment', () => {
    const unread = readerAfter(5)
    unread.add(read)
    expect(unread.take('more')).toHaveLength(65_536)
  })

  it('is taken in small parts by a slow reader, and nothing of it is lost', () => {
    const unread = readerAfter(100)
    unread.add(Buffer.concat([Buffer.from('a'), read, Buffer.from('z')]))
    const parts: Buffer[] = []
    for (let part = unread.take('more'); part !== undefined; part = unread.take('more')) parts.push(part)
    expect(parts.map(({ length }) => length)).toEqual([16_384, 16_384, 16_384, 16_384, 2])
    expect(Buffer.concat(parts).toString()).toBe(`a${read.toString()}z`)
  })

  it('is all taken at its end', () => {
    const unread = readerAfter(100)
    unread.add(read)
    expect(unread.take('end')).toHaveLength(65_536)
    expect(unread.isEmpty).toBe(true)
  })

  it('waits for a slow reader alone', () => {
    const slow = readerAfter(100)
    slow.pause()
    expect(slow.mustWait).toBe(true)
    const quick = new UnreadBytes()
    quick.pause()
    expect(quick.mustWait).toBe(false)
  })
})
