import { Agent, createServer, request } from 'node:http'

/** The yardstick: a proxy that copies bytes and understands nothing. Run as a program, it prints its port. */
const upstreamPort = Number(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

const server = createServer((asked, answer) => {
  const headers = { ...asked.headers, host: `127.0.0.1:${upstreamPort}` }
  const { method, url: path } = asked
  const sent = request({ agent, host: '127.0.0.1', port: upstreamPort, path, method, headers }, (came) => {
    answer.writeHead(came.statusCode, came.headers)
    came.pipe(answer)
  })
  sent.on('error', () => answer.destroy())
  answer.on('close', () => sent.destroy())
  asked.pipe(sent)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
