import { createParser } from '../packages/core/dist/library/index.js'
import { chunksOf, prose, tools, typicalCall, written } from './inputs.mjs'
import { printTable, short } from './table.mjs'

const PARSERS = 1000

/** What does a parser hold on to, while its answer is still coming? */
export function memory() {
  const call = written('kimi', typicalCall)
  const text = chunksOf(prose(20_000), 4)
  const rows = [
    ['just created', []],
    ['in the middle of text', text],
    ['in the middle of a call', chunksOf(call.slice(0, call.length / 2), 4)],
  ].map(([title, chunks]) => [title, short(heldBy(chunks) / 1024)])
  printTable(`Memory, each of ${PARSERS.toLocaleString('en')} parsers`, ['', 'KB'], rows)
}

function heldBy(chunks) {
  const parsers = []
  // Until one was made, what all of them share counts as its own.
  createParser({ model: 'kimi-k2', tools })
  const before = heapUsed()
  for (let made = 0; made < PARSERS; made++) {
    const parser = createParser({ model: 'kimi-k2', tools })
    for (const chunk of chunks) parser.push(chunk)
    parsers.push(parser)
  }
  return (heapUsed() - before) / parsers.length
}

function heapUsed() {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
