import { measure } from 'mitata'
import { createParser, parseToolCalls } from '../packages/core/dist/index.js'
import { tools, typicalCall, written } from './inputs.mjs'
import { printTable, short } from './table.mjs'

/** What does a parser cost before it has read anything, and what does one whole answer cost? */
export async function creation() {
  const text = written('kimi', typicalCall)
  const markers = { sectionBegin: '<|calls|>' }
  const rows = [
    ['createParser, explicit format, tools', () => createParser({ format: 'kimi', tools })],
    ['createParser, explicit format, no tools known', () => createParser({ format: 'kimi' })],
    ['createParser, by model name, tools', () => createParser({ model: 'moonshotai/kimi-k2', tools })],
    ['createParser, markers changed', () => createParser({ format: 'kimi', tools, markers })],
    ['createParser, push, end: a typical Kimi call', () => readOnce(text)],
    ['parseToolCalls of the same', () => parseToolCalls(text, { format: 'kimi', tools })],
  ]
  const cells = []
  for (const [title, task] of rows) cells.push([title, short((await measure(task)).p50 / 1000)])
  printTable('One answer, one parser', ['', 'µs'], cells)
}

function readOnce(text) {
  const parser = createParser({ format: 'kimi', tools })
  return [parser.push(text), parser.end('stop')]
}
