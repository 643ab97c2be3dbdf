import { chunksOf, codeHeavy, jsonData, prose, sourceCode, wideProse } from './inputs.mjs'
import { sideBySide } from './measure.mjs'
import { toEvents, toSink } from './reading.mjs'
import { printTable, short } from './table.mjs'

const LENGTH = 200_000
const sizes = [4096, 20, 4, 1]
const texts = {
  prose,
  'prose in Chinese': wideProse,
  'code and Markdown': codeHeavy,
  'code without a fence': sourceCode,
  'data as JSON': jsonData,
}

/** How fast is text passed on in which no call is found? */
export async function textThroughput() {
  for (const [title, make] of Object.entries(texts)) {
    const text = make(LENGTH)
    const rows = [await jsonParseRow(text)]
    for (const format of ['qwen', 'kimi', 'auto']) {
      for (const size of sizes) rows.push(await row(text, format, size))
    }
    printTable(
      `${title}, ${LENGTH.toLocaleString('en')} characters`,
      ['', 'ns/char', 'MB/s', 'ns/chunk', 'events: ns/chunk'],
      rows,
    )
  }
}

async function row(text, format, size) {
  const chunks = chunksOf(text, size)
  const { sink, events } = await sideBySide({
    sink: () => toSink(chunks, { format }),
    events: () => toEvents(chunks, { format }),
  })
  const perChunk = [sink / chunks.length, events / chunks.length]
  return [`${format}, chunks of ${size}`, ...speed(text, sink), ...perChunk.map(short)]
}

async function jsonParseRow(text) {
  const json = JSON.stringify(text)
  const { parse } = await sideBySide({ parse: () => void JSON.parse(json) })
  return ['`JSON.parse` of the same text', ...speed(text, parse), '', '']
}

function speed(text, nanoseconds) {
  const bytes = Buffer.byteLength(text)
  return [short(nanoseconds / text.length), short((bytes / nanoseconds) * 1000)]
}
