import { chunksOf, formatNames, formatOf, largeCall, typicalCall, written } from './inputs.mjs'
import { sideBySide } from './measure.mjs'
import { isRead, toEvents, toSink } from './reading.mjs'
import { printTable, short } from './table.mjs'

const sizes = [4096, 20, 4, 1]

/** How fast are calls read, in each syntax? */
export async function callThroughput() {
  await calls('A large call, 100 KB of arguments: ns/char', largeCall, (time, text) =>
    short(time / text.length),
  )
  await calls('A typical call, 200 bytes of arguments: µs for the whole answer', typicalCall, (time) =>
    short(time / 1000),
  )
}

async function calls(title, call, show) {
  const json = JSON.stringify(call.arguments)
  const { parse } = await sideBySide({ parse: () => void JSON.parse(json) })
  const rows = [['`JSON.parse` of the arguments', show(parse, json), '', '', '', '']]
  for (const name of formatNames) {
    const text = written(name, call)
    for (const format of [formatOf(name), 'auto']) rows.push(await row(name, format, text, call, show))
  }
  printTable(title, ['', ...sizes.map((size) => `chunks of ${size}`), 'events, 20'], rows)
}

async function row(name, format, text, call, show) {
  const title = `${name}, ${format === 'auto' ? 'auto' : 'explicit'}`
  // What is only salvaged in auto mode is held until it is whole, up to a limit.
  if (!isRead([text], { format }, call)) return [title, ...sizes.map(() => 'no call'), '']
  const cells = []
  for (const size of sizes) {
    const chunks = chunksOf(text, size)
    if (!isRead(chunks, { format }, call)) throw new Error(`${title}: not read in chunks of ${size}.`)
    const { sink } = await sideBySide({ sink: () => toSink(chunks, { format }) })
    cells.push(show(sink, text))
  }
  const chunks = chunksOf(text, 20)
  const { events } = await sideBySide({ events: () => toEvents(chunks, { format }) })
  return [title, ...cells, show(events, text)]
}
