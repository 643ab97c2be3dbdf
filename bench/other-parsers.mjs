import { hermesProtocol, qwen3CoderProtocol } from '@ai-sdk-tool/parser'
import { chunksOf, largeCall, prose, tools, typicalCall, written } from './inputs.mjs'
import { sideBySide } from './measure.mjs'
import { isRead, toEvents } from './reading.mjs'
import { printTable, short } from './table.mjs'

const protocols = { hermes: hermesProtocol(), qwen: qwen3CoderProtocol() }
const theirTools = tools.map(({ function: { name, parameters } }) => ({
  type: 'function',
  name,
  inputSchema: parameters,
}))

/** Next to `@ai-sdk-tool/parser`, which reads Hermes and Qwen3-Coder calls for the Vercel AI SDK. */
export async function otherParsers() {
  const rows = []
  for (const format of Object.keys(protocols)) {
    rows.push(await row('prose, 20 KB', format, prose(20_000), 20))
    for (const size of [4096, 20, 4]) {
      rows.push(await row('typical call', format, written(format, typicalCall), size, typicalCall))
    }
    // In smaller chunks it takes half a minute for one call of 100 KB.
    for (const size of [4096, 200]) {
      rows.push(await row('call of 100 KB', format, written(format, largeCall), size, largeCall))
    }
  }
  const head = ['', 'createParser, µs', '@ai-sdk-tool/parser, µs', 'of these, bare stream', 'times']
  printTable('Beside @ai-sdk-tool/parser', head, rows)
}

async function row(title, format, text, size, call) {
  const chunks = chunksOf(text, size)
  if (call !== undefined) {
    if (!isRead(chunks, { format }, call)) throw new Error(`${title}, ${format}: not read.`)
    await checkTheirs(format, chunks, call)
  }
  const times = await sideBySide(
    {
      ours: () => toEvents(chunks, { format }),
      theirs: () => drain(parts(chunks, protocols[format].createStreamParser({ tools: theirTools }))),
      stream: () => drain(parts(chunks, new TransformStream())),
    },
    { rounds: 5 },
  )
  const cells = [times.ours, times.theirs, times.stream].map((time) => short(time / 1000))
  return [`${title}, ${format}, chunks of ${size}`, ...cells, short(times.theirs / times.ours)]
}

/** Its only streaming interface is a TransformStream over the parts of the AI SDK. */
function parts(chunks, transform) {
  const deltas = chunks.map((delta) => ({ type: 'text-delta', id: '0', delta }))
  const all = [{ type: 'text-start', id: '0' }, ...deltas, { type: 'text-end', id: '0' }, { type: 'finish' }]
  return ReadableStream.from(all).pipeThrough(transform)
}

async function drain(stream) {
  for await (const part of stream) if (part.type === 'error') throw new Error('The stream failed.')
}

async function checkTheirs(format, chunks, call) {
  const seen = []
  const transform = protocols[format].createStreamParser({ tools: theirTools })
  for await (const part of parts(chunks, transform)) if (part.type === 'tool-call') seen.push(part)
  const inputs = seen.map(({ input }) => JSON.stringify(JSON.parse(input)))
  if (inputs.join() !== JSON.stringify(call.arguments)) {
    throw new Error(`@ai-sdk-tool/parser did not read the ${format} call.`)
  }
}
