import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const waiting = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * When a client sends a request before an earlier one on the same connection is answered, the later response has no
 * socket yet. Node does not tell such a response that the client is gone, so whatever waits for its `close` would run
 * for ever. This closes it with the socket.
 */
export function closeWithSocket({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket !== null) return
  const queue = waiting.get(socket) ?? queueOf(socket)
  queue.add(response)
  response.on('close', () => queue.delete(response))
}

/** One listener serves all responses of a socket: Node would warn of a leak if each had its own. */
function queueOf(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>()
  waiting.set(socket, queue)
  socket.once('close', () => queue.forEach(close))
  return queue
}

function close(response: ServerResponse): void {
  // A response that has got its socket meanwhile is closed by Node.
  if (response.socket !== null || response.closed || response.writableFinished) return
  response.destroy()
  response.emit('close')
}
