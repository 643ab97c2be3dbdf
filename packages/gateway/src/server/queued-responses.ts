import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const waiting = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * A response to a request that came behind another, on the same connection and before that was answered, has no socket
 * until then. Node does not tell it that the client is gone: what hangs on its `close` would go on for nobody, for ever.
 */
export function closeWithSocket({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket !== null) return
  const queue = waiting.get(socket) ?? queueOf(socket)
  queue.add(response)
  response.on('close', () => queue.delete(response))
}

/** One listener for all of them: Node takes many on one socket for a leak, and says so. */
function queueOf(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>()
  waiting.set(socket, queue)
  socket.once('close', () => queue.forEach(close))
  return queue
}

function close(response: ServerResponse): void {
  // It has got its socket since, and is told like any other.
  if (response.socket !== null || response.closed || response.writableFinished) return
  response.destroy()
  response.emit('close')
}
