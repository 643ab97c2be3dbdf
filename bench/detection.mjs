import { measure } from 'mitata'
import { detectFormat } from '../packages/core/dist/index.js'
import { printTable, short } from './table.mjs'

const name = 'openrouter/moonshotai/kimi-k2-thinking'
const request = JSON.stringify({ model: name })

/** What does the format of a model cost, by its name? */
export async function detection() {
  let count = 0
  const rows = [
    ['seen before, the same string', () => detectFormat(name)],
    ['seen before, a fresh string as `JSON.parse` makes it', freshString((fresh) => detectFormat(fresh))],
    ['  the fresh string alone', freshString((fresh) => fresh)],
    ['never seen', () => detectFormat(`lab/qwen3-${count++}`)],
  ]
  const cells = []
  for (const [title, task] of rows) cells.push([title, short((await measure(task)).p50)])
  printTable('detectFormat', ['', 'ns'], cells)
}

/** Only a string out of `JSON.parse` has no hash yet, so making it is part of what is measured. */
function freshString(task) {
  return () => task(JSON.parse(request).model)
}
