import { describe, expect, it } from 'vitest'
import { arrivalsOf, isPing } from '../../src/model/waterfall.ts'

describe('chunks on their way', () => {
  it('stand in the order of time, what came in before what went out, each after a silence of its own lane', () => {
    const upstream = [10, 30, 30, 50].map((at) => ({ at, text: 'ab' }))
    const client = [20, 30, 60, 70].map((at) => ({ at, text: 'é€😀' }))
    expect(arrivalsOf(upstream, client).map(({ lane, at, gap }) => `${lane} ${at} after ${gap}`)).toEqual([
      'upstream 10 after 10',
      'client 20 after 20',
      'upstream 30 after 20',
      'upstream 30 after 0',
      'client 30 after 10',
      'upstream 50 after 20',
      'client 60 after 30',
      'client 70 after 10',
    ])
  })

  it('have the size that they had on the wire', () => {
    const [arrival] = arrivalsOf([{ at: 1, text: 'aé€😀' }], [])
    expect(arrival?.bytes).toBe(new TextEncoder().encode('aé€😀').length)
  })

  it('are none where nobody wrote down when they came', () => {
    expect(arrivalsOf([{ at: null, text: 'a' }], [])).toEqual([])
  })

  it.each([
    [': ping\n\n', true],
    ['event: ping\ndata: {"type":"ping"}\n\n', true],
    ['data: {}\n\n', false],
    [': ping\n\ndata: {}\n\n', false],
  ])('%j is a sign of life and no more: %s', (text, expected) => {
    expect(isPing(text)).toBe(expected)
  })
})
