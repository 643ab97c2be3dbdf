import { describe, expect, it } from 'vitest'
import { gapOf, KnownEvents, numberGaps } from '../../src/answer/known-events.ts'

function event(text: string, number: number, padding = 'abc'): string {
  return `data: {"n":${number},"text":${JSON.stringify(text)},"pad":"${padding}","end":true}\n\n`
}

/** What is known behind the event with the text `one` and the number 1. */
function learned(holds: 'digits' | 'count' = 'digits'): KnownEvents {
  const source = event('one', 1)
  const text = gapOf(source, 'text', 'one')
  const padding = gapOf(source, 'pad', 'abc')
  if (text === null || padding === null) throw new Error('there is no gap')
  const known = new KnownEvents()
  known.learn(source, [...numberGaps(source, /"n":/g, holds), text, { ...padding, holds: 'letters' }])
  return known
}

const all = (_: string, ends: readonly number[]): number => ends.length

describe('events that differ in their gaps alone', () => {
  const run = event('a', 7) + event(' é 三', 12345, '') + event('', 0)

  it('are one text, whatever their numbers and their padding', () => {
    const known = learned()
    expect(known.match(run, 0, 1000)).toBe(run.length)
    expect(known).toMatchObject({ content: 'a é 三', ends: [1, 5, 5] })
  })

  it('begin where they are looked for, and are as many as are wanted', () => {
    const known = learned()
    const second = known.match(run, 0, 1000, 1)
    expect(second).toBe(event('a', 7).length)
    expect(known.match(run, second, 1000)).toBe(run.length)
    expect(known.content).toBe(' é 三')
  })

  it('have numbers that go up by one, where these count', () => {
    const counted = event('a', 7) + event('b', 8) + event('c', 10)
    const known = learned('count')
    expect(known.match(counted, 0, 1000, Infinity, 7)).toBe(event('a', 7).length + event('b', 8).length)
    expect(known.match(counted, 0, 1000, Infinity, 6)).toBe(0)
    expect(known.match(counted, 0, 1000)).toBe(counted.length)
  })

  it.each([
    ['an escape', event('say "hi"', 2)],
    ['a line break for some clients', event('a\u2028b', 2)],
    ['a raw tab, which is no JSON', event('a', 2).replace('"a"', '"a\tb"')],
    ['another field', event('a', 2).replace('true', 'false')],
    ['a fraction', event('a', 2).replace(':2,', ':2.5,')],
    ['no number', event('a', 2).replace(':2,', ':,')],
    ['no end yet', event('a', 2).slice(0, -1)],
  ])('end where one has %s', (_, other) => {
    const known = learned()
    expect(known.match(event('a', 2) + other, 0, 1000)).toBe(event('a', 2).length)
    expect(known.match(other, 0, 1000)).toBe(0)
  })

  it('are left to who reports it where one is longer than the limit', () => {
    const text = event('a', 2)
    expect(learned().match(text, 0, text.length - 1)).toBe(0)
    expect(learned().match(text, 0, text.length)).toBe(text.length)
  })

  it('are unknown before one was learned, and after a pause until the next is', () => {
    expect(new KnownEvents().match(run, 0, 1000)).toBe(0)
    const known = learned()
    known.pause()
    expect(known.match(run, 0, 1000)).toBe(0)
    known.learn(event('two', 2), [])
    expect(known.match(run, 0, 1000)).toBe(run.length)
  })

  it('pass as far as their texts do, more and more at once', () => {
    const known = learned()
    const many = Array.from({ length: 20 }, (_, at) => event(String(at % 10), at)).join('')
    const sizes: number[] = []
    let at = 0
    while (at < many.length) {
      at = known.matchPassing(many, at, 1000, all)
      sizes.push(known.ends.length)
    }
    expect(sizes).toEqual([1, 2, 4, 8, 5])
    expect(known.matchPassing(many, 0, 1000, () => 3)).toBe(
      [0, 1, 2].map((n) => event(String(n), n)).join('').length,
    )
    expect(known).toMatchObject({ content: '012', ends: [1, 2, 3] })
    expect(known.matchPassing(many, 0, 1000, () => 0)).toBe(0)
  })
})

describe('a gap', () => {
  it('is none where its field stands twice, or its value is written otherwise', () => {
    expect(gapOf('{"text":"a","b":{"text":"c"}}', 'text', 'a')).toBeNull()
    expect(gapOf(String.raw`{"text":"\u0061"}`, 'text', 'a')).toBeNull()
    expect(gapOf('{"other":"a"}', 'text', 'a')).toBeNull()
    expect(gapOf('{"text": "a"}', 'text', 'a')).toEqual({ start: 10, end: 11, holds: 'text' })
  })
})
