import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MinuteWindow } from '../../src/quotas/minute-window.ts'

describe('the last minute', () => {
  it('holds what was used in this second and the 59 before it', () => {
    const window = new MinuteWindow()
    window.add(3, 500)
    window.add(4, 1200)
    expect(window.usedAt(59_999)).toBe(7)
    expect(window.usedAt(60_000)).toBe(4)
    expect(window.usedAt(61_000)).toBe(0)
  })

  it('tells how long it takes until something fits', () => {
    const window = new MinuteWindow()
    window.add(3, 500)
    window.add(4, 1200)
    expect(window.waitFor(3, 10, 2000)).toBe(0)
    expect(window.waitFor(4, 10, 2000)).toBe(58_000)
    expect(window.waitFor(7, 10, 2000)).toBe(59_000)
    expect(window.resetIn(2000)).toBe(59_000)
  })

  it('takes back what was counted too much, and nothing that is past', () => {
    const window = new MinuteWindow()
    const slot = window.add(100, 500)
    window.giveBack(60, slot, 30_000)
    expect(window.usedAt(30_000)).toBe(40)
    window.giveBack(40, slot, 61_000)
    expect(window.usedAt(61_000)).toBe(0)
  })

  it('lets through as much as the limit says, for whoever waits as long as told', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.integer({ min: 0, max: 9000 }), { minLength: 50, maxLength: 200 }),
        (limit, pauses) => {
          const window = new MinuteWindow()
          const passed: number[] = []
          let now = 0
          for (const pause of pauses) {
            now += pause
            const wait = window.waitFor(1, limit, now)
            if (wait > 0) {
              // A millisecond sooner it would not have been let through.
              expect(window.waitFor(1, limit, now + wait - 1)).toBeGreaterThan(0)
              expect(window.waitFor(1, limit, now + wait)).toBe(0)
              now += wait
            }
            window.add(1, now)
            passed.push(now)
          }
          for (const from of passed) {
            const second = Math.floor(from / 1000)
            const within = passed.filter((at) => at >= second * 1000 && at < (second + 60) * 1000)
            expect(within.length).toBeLessThanOrEqual(limit)
          }
        },
      ),
      { numRuns: 100 },
    )
  })
})
