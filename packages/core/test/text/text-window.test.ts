import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextWindow } from '../../src/text/text-window.ts'
import { byteLength } from '../../src/text/utf8.ts'

describe('the window over the text', () => {
  it('gives out what was put in, in order, whatever the steps', () => {
    fc.assert(
      fc.property(steps(), (script) => {
        const input = new TextWindow()
        let stream = ''
        let read = 0
        for (const step of script) {
          if (step.does === 'append') {
            input.append(step.text)
            stream += step.text
          } else if (step.does === 'take') {
            const end = Math.min(input.text.length, input.at + step.count)
            const taken = input.take(end)
            expect(taken).toBe(stream.slice(read, read + taken.length))
            read += taken.length
          } else {
            const back = Math.min(step.count, read)
            input.unread(stream.slice(read - back, read))
            read -= back
          }
          expect(input.text.slice(input.at)).toBe(stream.slice(read))
          expect(input.base + input.at).toBe(read)
          expect(input.isEmpty).toBe(read === stream.length)
        }
        expect(input.takeAll()).toBe(stream.slice(read))
        expect(input.isEmpty).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps no more than what was not yet read', () => {
    const input = new TextWindow()
    input.append('abc')
    input.take(2)
    input.append('d')
    expect(input.text).toBe('cd')
    input.takeAll()
    input.append('e')
    expect(input.text).toBe('e')
  })

  it('shows what was hidden again when it is asked to, or when more comes', () => {
    const input = new TextWindow()
    input.append('abcd')
    input.hide(2)
    expect(input.takeAll()).toBe('ab')
    expect(input.isEmpty).toBe(true)
    input.reveal()
    expect(input.take(3)).toBe('c')
    input.hide(3)
    input.append('e')
    expect(input.takeAll()).toBe('de')
  })

  it('takes back a text while some is hidden', () => {
    const input = new TextWindow()
    input.append('ab')
    input.takeAll()
    input.append('cd')
    input.hide(1)
    input.unread('ab')
    expect(input.takeAll()).toBe('abc')
    input.reveal()
    expect(input.takeAll()).toBe('d')
  })

  it('takes back a text that is no longer at hand', () => {
    const input = new TextWindow()
    input.append('abc')
    input.takeAll()
    input.append('d')
    input.unread('bc')
    expect(input.takeAll()).toBe('bcd')
  })
})

describe('recordings', () => {
  it('hold everything that was read since they began and was not put back, over any number of chunks', () => {
    fc.assert(
      fc.property(steps(), steps(), (before, during) => {
        const input = new TextWindow()
        for (const step of before) follow(input, step)
        const recording = input.record(input.at)
        let expected = ''
        for (const step of during) {
          if (step.does === 'unread') {
            const kept = Math.max(0, expected.length - step.count)
            input.unread(expected.slice(kept))
            expected = expected.slice(0, kept)
          } else {
            expected += follow(input, step)
          }
          expect(recording.peek(input)).toBe(expected)
          expect(recording.lengthAt(input)).toBe(expected.length)
          expect(recording.bytesAt(input)).toBe(byteLength(expected))
        }
        expect(input.stop(recording)).toBe(expected)
      }),
      { numRuns: 1000 },
    )
  })

  it('may begin with text that was read earlier', () => {
    const input = new TextWindow()
    input.append('cd')
    const recording = input.record(0, 'ab')
    input.takeAll()
    expect([recording.lengthAt(input), recording.bytesAt(input)]).toEqual([4, 4])
    expect(input.stop(recording)).toBe('abcd')
  })

  it('may begin before the place that is read next', () => {
    const input = new TextWindow()
    input.append('abcdef')
    input.take(4)
    const recording = input.record(2)
    input.append('g')
    input.take(1)
    expect(input.stop(recording)).toBe('cde')
  })

  it('do not disturb each other', () => {
    const input = new TextWindow()
    const outer = input.record(0)
    input.append('ab')
    input.take(1)
    const inner = input.record(input.at)
    input.take(2)
    input.append('cd')
    input.take(1)
    expect(input.stop(inner)).toBe('bc')
    input.takeAll()
    expect(input.stop(outer)).toBe('abcd')
  })

  it('that only need the tail keep the tail', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 9 })), fc.integer({ min: 1, max: 5 }), (chunks, limit) => {
        const input = new TextWindow()
        const recording = input.record(0)
        recording.keepTail(limit)
        for (const chunk of chunks) {
          input.append(chunk)
          input.takeAll()
          expect(recording.peek(input).length).toBeLessThanOrEqual(2 * limit + chunk.length)
        }
        expect(input.stop(recording)).toBe(chunks.join('').slice(-limit))
      }),
    )
  })
})

type Step =
  | { does: 'append'; text: string }
  | { does: 'take'; count: number }
  | { does: 'unread'; count: number }

function steps(): fc.Arbitrary<Step[]> {
  const count = fc.nat({ max: 6 })
  const step = fc.oneof(
    fc.record({ does: fc.constant('append' as const), text: fc.string({ maxLength: 5, unit: 'binary' }) }),
    fc.record({ does: fc.constant('take' as const), count }),
    fc.record({ does: fc.constant('unread' as const), count }),
  )
  return fc.array(step, { maxLength: 20, size: 'max' })
}

/** Appends or takes, and gives back what was taken. */
function follow(input: TextWindow, step: Step): string {
  if (step.does === 'append') input.append(step.text)
  return step.does === 'take' ? input.take(Math.min(input.text.length, input.at + step.count)) : ''
}
