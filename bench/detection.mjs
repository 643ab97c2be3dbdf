import { measure } from 'mitata'
import { detectFormat } from '../packages/core/dist/library/index.js'
import { median } from './measure.mjs'
import { printTable, short } from './table.mjs'

const name = 'openrouter/moonshotai/kimi-k2-thinking'

/** What does the format of a model cost, by its name? */
export async function detection() {
  let count = 0
  const same = await measure(() => detectFormat(name))
  const unseen = await measure(() => detectFormat(`lab/qwen3-${count++}`))
  printTable(
    'detectFormat',
    ['', 'ns'],
    [
      ['seen before, the same string', short(same.p50)],
      ['seen before, a fresh string out of `JSON.parse`', short(freshStrings())],
      ['never seen', short(unseen.p50)],
    ],
  )
}

/** A string that was looked up once knows its hash, so every look-up needs one that was not. */
function freshStrings() {
  const json = JSON.stringify(Array(10_000).fill(name))
  const samples = Array.from({ length: 50 }, () => {
    const names = JSON.parse(json)
    const started = performance.now()
    for (const fresh of names) detectFormat(fresh)
    return ((performance.now() - started) / names.length) * 1e6
  })
  return median(samples)
}
