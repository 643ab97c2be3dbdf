import { createServer } from 'node:net'
import { streams } from './burst-streams.mjs'

/**
 * An upstream that answers in every dialect, all at once: each event is a chunk of its own in one write. Run as a program,
 * it prints its port.
 */
const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'

const answers = Object.fromEntries(
  Object.entries(streams).map(([dialect, events]) => [
    dialect,
    Buffer.from(head + events.map(chunk).join('') + chunk('')),
  ]),
)

function chunk(text) {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

const server = createServer((socket) => {
  let came = ''
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.setEncoding('latin1').on('data', (piece) => {
    came += piece
    for (;;) {
      const end = came.indexOf('\r\n\r\n')
      if (end === -1) return
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(came.slice(0, end))?.[1] ?? 0)
      if (came.length < end + 4 + length) return
      socket.write(answers[dialectAt(came.slice(0, came.indexOf('\r\n')))])
      came = came.slice(end + 4 + length)
    }
  })
})

function dialectAt(line) {
  if (line.includes(':streamGenerateContent')) return 'gemini'
  if (line.includes('/responses')) return 'openai-responses'
  return line.includes('/messages') ? 'anthropic-messages' : 'openai-chat'
}

server.listen(0, '127.0.0.1', () => console.log(server.address().port))
