import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextBefore } from '../../src/reader/text-before.ts'
import { TextWindow } from '../../src/text/text-window.ts'

const signs = [' ', '    ', '\t', '\n', '\r', '"', "'", ':', ',', '{', '[', ']', '}', '+', '-', 'a']

/** Pieces as a stream delivers them, of what tells where in a text one is. */
const pieces = fc.array(
  fc.array(fc.constantFrom(...signs), { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
  { maxLength: 8 },
)

describe('what stands before a place', () => {
  it('is the same whether it was passed on in pieces or is still at hand', () => {
    fc.assert(
      fc.property(pieces, (given) => {
        const whole = given.join('')
        const passed = new Reading()
        for (const piece of given) passed.pass(piece)
        const atHand = new Reading()
        atHand.input.append(whole)
        expect(passed.answersAt(0), JSON.stringify(given)).toEqual(atHand.answersAt(whole.length))
      }),
      { numRuns: 5000 },
    )
  })

  it('is the same whether somebody has asked before or not', () => {
    fc.assert(
      fc.property(pieces, (given) => {
        const asked = new Reading()
        const quiet = new Reading()
        for (const piece of given) {
          asked.pass(piece)
          quiet.pass(piece)
          asked.answersAt(0)
        }
        expect(asked.answersAt(0), JSON.stringify(given)).toEqual(quiet.answersAt(0))
      }),
      { numRuns: 2000 },
    )
  })
})

class Reading {
  readonly input = new TextWindow()
  private readonly before = new TextBefore(this.input)

  pass(piece: string): void {
    this.input.append(piece)
    this.input.takeAll()
    this.before.pass(piece, piece.charCodeAt(piece.length - 1))
    this.input.append('')
  }

  answersAt(at: number): Record<string, unknown> {
    const { before } = this
    return {
      isFirst: before.isFirst(at),
      isLineStart: before.isLineStart(at),
      isIndented: before.isIndented(at),
      isQuotedCode: before.isQuotedCode(at),
      isInsideValue: before.isInsideValue(at),
      standsAlone: before.standsAlone(at, '.'),
      codeBefore: before.codeBefore(at),
    }
  }
}
