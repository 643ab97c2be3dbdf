// A server between the gateway and the simulator that breaks off some of its answers where a call is half written.
import { once } from 'node:events'
import { createServer } from 'node:http'

/** `isBroken` decides by the number of the answer, which begins at 1. */
export async function startBreaking(upstream, isBroken) {
  let count = 0
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const answer = await fetch(new URL(request.url, upstream), {
      method: request.method,
      headers: { 'content-type': 'application/json' },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    })
    const text = await answer.text()
    if (request.method === 'POST') count += 1
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') })
    if (!isBroken(count)) {
      response.end(text)
      return
    }
    const events = text.split('\n\n')
    response.write(`${events.slice(0, Math.floor(events.length * 0.7)).join('\n\n')}\n\n`, () => {
      // What was written must have arrived, or the gateway sees no answer at all and asks again by itself.
      setTimeout(() => response.destroy(), 100)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${server.address().port}/v1`,
    count: () => count,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
