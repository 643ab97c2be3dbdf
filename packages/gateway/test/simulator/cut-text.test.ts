import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutText } from '../../src/simulator/cut-text.ts'
import { seededRandom } from '../../src/simulator/random.ts'
import { chunkings } from '../../src/simulator/settings.ts'

describe('cutting a text', () => {
  for (const chunking of chunkings) {
    it(`${chunking}: the pieces are the text, none is empty, none ends inside a character`, () => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, seed) => {
          const pieces = cutText(text, chunking, seededRandom(seed))
          expect(pieces.join('')).toBe(text)
          expect(pieces).not.toContain('')
          expect(pieces.some((piece) => /\p{Surrogate}/u.test(piece))).toBe(false)
        }),
      )
    })
  }

  it('a special token is one token, a long word several', () => {
    const random = seededRandom(0)
    expect(cutText('Hi <|tool_call_begin|>functions', 'token', random)).toEqual([
      'Hi',
      ' ',
      '<|tool_call_begin|>',
      'functi',
      'ons',
    ])
    expect(cutText('<｜tool▁sep｜>x', 'token', random)).toEqual(['<｜tool▁sep｜>', 'x'])
  })

  it('random pieces are the same for the same seed', () => {
    const text = 'abcdefghij'.repeat(9)
    const cut = (seed: number): string[] => cutText(text, 'random', seededRandom(seed))
    expect(cut(3)).toEqual(cut(3))
    expect(cut(3)).not.toEqual(cut(4))
  })
})
