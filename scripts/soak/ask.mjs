import { request } from 'node:http'
import { dialects } from './dialects.mjs'

/**
 * Posts a body. `onPiece` is told each piece of the answer, `onStart` the request and then its answer, for those who cut it
 * off. Resolves to the whole answer, and rejects where the connection breaks.
 */
export function ask(port, dialect, body, { agent, onAnswer, onPiece, onSent } = {}) {
  return new Promise((resolve, fail) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const { path } = dialects[dialect]
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent }, (response) => {
      const pieces = []
      onAnswer?.(response)
      response.on('data', (piece) => {
        pieces.push(piece)
        onPiece?.(piece)
      })
      response.on('error', fail)
      response.on('end', () =>
        resolve({ status: response.statusCode, text: Buffer.concat(pieces).toString('utf8') }),
      )
    })
    sent.on('error', fail)
    sent.end(body)
    onSent?.(sent)
  })
}

/** What is wrong with an answer to this script; null where it is whole. */
export function faultOf(dialect, { status, text }, { pieces, call = 0 }) {
  const { end, call: calledBy } = dialects[dialect]
  if (status !== 200) return `status ${status}: ${text.slice(0, 300)}`
  if (!end.test(text)) return `no end: ${text.slice(-300)}`
  if (text.includes('<|tool')) return `markup is left: ${text.slice(-600)}`
  if (text.includes(calledBy) !== call > 0) return `${call} call expected: ${text.slice(-600)}`
  const ticks = ticksIn(text)
  // The responses dialect says each text again with everything that it completes.
  const said = dialect === 'openai-responses' ? ticks / 5 : ticks
  return said === pieces ? null : `${said} of ${pieces} pieces: ${text.slice(-300)}`
}

function ticksIn(text) {
  let count = 0
  for (let at = text.indexOf(' tick'); at >= 0; at = text.indexOf(' tick', at + 1)) count++
  return count
}
