import { createServer } from 'node:http'

/** An upstream that begins every answer and ends none: run as a program, it prints its port. */
const delta = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const event = `data: ${JSON.stringify({ ...delta, choices: [{ index: 0, delta: { content: 'Well, ' }, finish_reason: null }] })}\n\n`

const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let sent = 0; sent < 5; sent++) response.write(event)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
