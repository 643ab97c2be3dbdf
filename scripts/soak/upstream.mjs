// An upstream of the chat dialect that does what the request says: run as a program, it prints its port. What it is to do
// stands in the last message, as `[soak id=7 pieces=50 pause=200 call=1]`:
//   delay    milliseconds before the headers
//   pieces   how many pieces of text, each with one " tick"
//   pause    milliseconds between two of them; without it they are written as fast as they are taken
//   size     how many further characters a piece has
//   call     whether a call written as text follows
//   letters  how many pieces of one character the arguments of a structured call have
// `GET /state` tells how many requests are open, and when those that were cut off ended.
import { createServer } from 'node:http'

const usual = { id: 0, delay: 0, pieces: 5, pause: 0, size: 0, call: 0, letters: 0 }
const writtenCall = [
  'Let me look.<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0',
  '<|tool_call_argument_begin|>{"place',
  '": "Paris"}<|tool_call_end|>',
  '<|tool_calls_section_end|>',
]
const head =
  '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"kimi-k2","choices":[{"index":0,'

let open = 0
let served = 0
const cut = []

const server = createServer((request, response) => {
  if (request.url === '/state') {
    response.end(JSON.stringify({ open, served, cut: cut.splice(0) }))
    return
  }
  open++
  served++
  let script = usual
  response.on('close', () => {
    open--
    if (!response.writableFinished) cut.push([script.id, Date.now()])
  })
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('error', () => {})
  request.on('end', () => {
    script = scriptIn(Buffer.concat(chunks))
    setTimeout(() => answer(response, script), script.delay)
  })
})
server.listen(0, '127.0.0.1', 4096, () => console.log(server.address().port))

function scriptIn(body) {
  const at = body.lastIndexOf('[soak ')
  if (at < 0) return usual
  const words = body.toString('latin1', at + 6, body.indexOf(']', at)).split(' ')
  return {
    ...usual,
    ...Object.fromEntries(words.map((word) => word.split('=')).map(([name, value]) => [name, Number(value)])),
  }
}

function answer(response, script) {
  if (response.destroyed) return
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const events = written(script)
  if (script.pause === 0) {
    writeAll(response, events)
    return
  }
  let upcoming = events.next()
  const timer = setInterval(() => {
    response.write(upcoming.value)
    upcoming = events.next()
    if (upcoming.done) response.end()
  }, script.pause)
  response.on('close', () => clearInterval(timer))
}

/** Never more than the connection takes. */
function writeAll(response, events) {
  // A loop over the events would close them when it is left.
  for (let event = events.next(); !event.done; event = events.next()) {
    if (response.destroyed) return
    if (response.write(event.value)) continue
    response.once('drain', () => writeAll(response, events))
    return
  }
  response.end()
}

function* written({ pieces, size, call, letters }) {
  const piece = delta({ content: ' tick' + 'x'.repeat(size) })
  for (let at = 0; at < pieces; at++) yield piece
  if (letters > 0) yield* letterByLetter(letters)
  if (call > 0) for (const content of writtenCall) yield delta({ content })
  yield `data: ${head}"delta":{},"finish_reason":"${letters > 0 ? 'tool_calls' : 'stop'}"}]}\n\ndata: [DONE]\n\n`
}

function* letterByLetter(letters) {
  yield toCall({ id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } })
  yield more('{"place":"')
  const letter = more('a')
  for (let at = 0; at < letters; at++) yield letter
  yield more('"}')
}

function more(text) {
  return toCall({ function: { arguments: text } })
}

function toCall(about) {
  return delta({ tool_calls: [{ index: 0, ...about }] })
}

function delta(content) {
  return `data: ${head}"delta":${JSON.stringify(content)},"finish_reason":null}]}\n\n`
}
