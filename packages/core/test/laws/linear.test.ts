import { describe, expect, it } from 'vitest'
import { hostileInputs, parseTime } from '../support/hostile-inputs.ts'
import { everyMode } from './setting.ts'

/** So many milliseconds are little, however long the text: most texts are read in fewer and need no comparison. */
const allowed = 4

describe.each(everyMode)('%s', (_, mode) => {
  it.each(hostileInputs(mode))('takes linear time for %s', (_title, before, repeated) => {
    const textOf = (length: number) => before + repeated.repeat(Math.ceil(length / repeated.length))
    const [short, long] = [textOf(4000), textOf(40_000)]
    for (const chunk of [16, long.length]) {
      const first = parseTime(mode, long, chunk)
      if (first < allowed) continue
      const time = Math.min(...[1, 2, 3].map(() => parseTime(mode, short, chunk)))
      // Linear is ten times; a quadratic parser takes a hundred. Between them lie a busy machine and a cold
      // compiler, which can only make a run slower: one quick run of many proves the point.
      const limit = 30 * time + allowed
      const isQuick =
        first < limit || Array.from({ length: 25 }).some(() => parseTime(mode, long, chunk) < limit)
      expect(isQuick, `4 KB took ${time} ms, 40 KB never less than ${limit}, in chunks of ${chunk}`).toBe(
        true,
      )
    }
  })
})
