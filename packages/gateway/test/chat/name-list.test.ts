import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nameList } from '../../src/chat/view/name-list.ts'

describe('a list of names', () => {
  it('stands behind its label', () => {
    expect(nameList('known', ['a', 'b'])).toBe('known a, b')
  })

  it('has every name in one piece, in order, in lines of a width that terminals have', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,20}$/)), (names) => {
        const text = nameList('label', names)
        expect(text.split('\n').every((line) => line.length <= 78)).toBe(true)
        expect(
          text
            .replace('label', '')
            .split(/[\s,]+/)
            .filter((name) => name !== ''),
        ).toEqual(names)
      }),
    )
  })
})
