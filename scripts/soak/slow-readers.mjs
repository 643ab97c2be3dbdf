import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { dialectNames, dialects, smallRequest } from './dialects.mjs'

const STEP_MS = 50

/** The last events of the responses dialect repeat the whole text. Whoever writes it has to keep that. */
const keepingNothing = dialectNames.filter((dialect) => dialect !== 'openai-responses')

/**
 * Streams of 100 MB whose clients read slowly for some seconds, all of them at once; then the first reads the rest as fast as
 * it can, and the others leave. Resolves to by how many MB the memory of the gateway grew: after a collection, with all streams open,
 * and at `most`, with what was not collected yet. `bytes` is what the first got.
 */
export async function readSlowly(gateway, { readers, seconds, bytesPerSecond }) {
  const before = await gateway.memory()
  const pieces = Math.ceil(104_857_600 / 1005)
  const open = await Promise.all(
    Array.from({ length: readers }, (_, number) =>
      begin(gateway.port, keepingNothing[number % keepingNothing.length], { pieces, size: 1000 }),
    ),
  )
  let most = 0
  const sampling = setInterval(() => (most = Math.max(most, gateway.resident)), STEP_MS)
  const perStep = Math.ceil((bytesPerSecond * STEP_MS) / 1000)
  const reading = setInterval(() => {
    for (const reader of open) reader.read(perStep)
  }, STEP_MS)
  await sleep(seconds * 1000)
  clearInterval(reading)
  const after = await gateway.memory()
  const [first, ...others] = open
  for (const reader of others) reader.leave()
  const { bytes, isWhole } = await first.readRest()
  clearInterval(sampling)
  return {
    held: after.held - before.held,
    resident: after.resident - before.resident,
    most: most - before.resident,
    bytes,
    isWhole,
  }
}

function begin(port, dialect, script) {
  const body = smallRequest(dialect, script)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const { path, end } = dialects[dialect]
  return new Promise((resolve, fail) => {
    const asked = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
      let bytes = 0
      let tail = ''
      const take = (piece) => {
        bytes += piece.length
        tail = (tail + piece.toString('latin1')).slice(-600)
      }
      response.pause()
      response.on('error', () => {})
      resolve({
        read: (count) => {
          const piece = response.read(Math.min(count, response.readableLength)) ?? response.read()
          if (piece !== null) take(piece)
        },
        readRest: async () => {
          for await (const piece of response) take(piece)
          return { bytes, isWhole: end.test(tail) }
        },
        leave: () => asked.destroy(),
      })
    })
    asked.on('error', fail)
    asked.end(body)
  })
}
