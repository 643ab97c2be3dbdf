import { ask, faultOf } from './ask.mjs'
import { dialectNames, longRequest, pictureRequest, smallRequest } from './dialects.mjs'

const script = { pieces: 5 }

/** What agents send after a long day, and more. Each is about as large as the limits allow. */
const requests = {
  '2,000 messages': (dialect) => longRequest(dialect, script, { messages: 2000 }),
  '512 tools': (dialect) => longRequest(dialect, script, { messages: 40, tools: 512 }),
  '30 MB of pictures': (dialect) => pictureRequest(dialect, script, { bytes: 30_000_000, pictures: 6 }),
  '30 MB of text': (dialect) => longRequest(dialect, script, { messages: 2000, characters: 14_000 }),
}

/**
 * Large requests of each dialect, one after the other, beside a client that reads a paced stream. Resolves for each kind to the
 * longest time for which the gateway held up everything else, by the processor and by the clock, and to the longest gap
 * between two pieces that the other client saw.
 */
export async function askLarge(gateway, { rounds }) {
  const watched = watchGaps(gateway)
  await watched.begun
  const figures = []
  const faults = []
  for (const [kind, make] of Object.entries(requests)) {
    const held = []
    const gaps = []
    for (const dialect of dialectNames) {
      const body = make(dialect)
      for (let round = 0; round < rounds; round++) {
        await gateway.look()
        watched.reset()
        const fault = faultOf(dialect, await ask(gateway.port, dialect, body), script)
        if (fault !== null) faults.push(`${kind}, ${dialect}: ${fault}`)
        held.push((await gateway.look()).longest)
        gaps.push(watched.longest())
      }
    }
    figures.push({
      kind,
      processor: Math.max(...held.map(({ processor }) => processor)),
      wall: Math.max(...held.map(({ wall }) => wall)),
      gap: Math.max(...gaps),
    })
  }
  await watched.end()
  return { figures, faults }
}

const WATCHED_PAUSE_MS = 5

/** A client that reads a paced stream, and sees by how much pieces are late. */
function watchGaps(gateway) {
  let last = performance.now()
  let longest = 0
  let asked
  let begin
  const begun = new Promise((resolve) => (begin = resolve))
  const body = smallRequest('openai-chat', { pieces: 1_000_000, pause: WATCHED_PAUSE_MS })
  const over = ask(gateway.port, 'openai-chat', body, {
    onSent: (request) => (asked = request),
    onPiece: () => {
      begin()
      const now = performance.now()
      longest = Math.max(longest, now - last - WATCHED_PAUSE_MS)
      last = now
    },
  }).catch(() => {})
  return {
    begun,
    reset: () => (longest = 0),
    longest: () => longest,
    end: () => {
      asked.destroy()
      return over
    },
  }
}
