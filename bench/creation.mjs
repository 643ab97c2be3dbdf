import { createParser, parseToolCalls } from '../packages/core/dist/library/index.js'
import { tools, typicalCall, written } from './inputs.mjs'
import { sideBySide } from './measure.mjs'
import { printTable, short } from './table.mjs'

/** What does a parser cost before it has read anything, and what does one whole answer cost? */
export async function creation() {
  const text = written('kimi', typicalCall)
  const markers = { sectionBegin: '<|calls|>' }
  const times = await sideBySide({
    'createParser, explicit format, tools': () => void createParser({ format: 'kimi', tools }),
    'createParser, explicit format, no tools known': () => void createParser({ format: 'kimi' }),
    'createParser, by model name, tools': () => void createParser({ model: 'moonshotai/kimi-k2', tools }),
    'createParser, markers changed': () => void createParser({ format: 'kimi', tools, markers }),
    'createParser, push, end: a typical Kimi call': () => readOnce(text),
    'parseToolCalls of the same': () => void parseToolCalls(text, { format: 'kimi', tools }),
  })
  const rows = Object.entries(times).map(([title, time]) => [title, short(time / 1000)])
  printTable('One answer, one parser', ['', 'µs'], rows)
}

function readOnce(text) {
  const parser = createParser({ format: 'kimi', tools })
  parser.push(text)
  parser.end('stop')
}
