import type { ChildProcess } from 'node:child_process'

/**
 * Closes the connections that were on their way to a worker when it was killed. The parent process accepts a connection,
 * hands it to a worker, and keeps it until the worker says that it has it. Node forgets those of a worker that is gone: the
 * client would wait for ever, and the parent would lose a descriptor with each. The messages that it sends are its own
 * business; what we do not recognise passes as it is.
 */
export function closeWithWorker(child: ChildProcess): void {
  const onTheirWay = new Map<unknown, Closable>()
  const send = child.send.bind(child)
  const watched = (...given: Parameters<ChildProcess['send']>): boolean => {
    const [message, handle] = given
    const number = fieldOf(message, 'act') === 'newconn' ? fieldOf(message, 'seq') : undefined
    if (number !== undefined && isClosable(handle)) onTheirWay.set(number, handle)
    return send(...given)
  }
  Object.assign(child, { send: watched })
  child.on('internalMessage', (message: unknown) => {
    const number = fieldOf(message, 'ack')
    if (number !== undefined) onTheirWay.delete(number)
  })
  child.on('exit', () => {
    for (const connection of onTheirWay.values()) connection.close()
    onTheirWay.clear()
  })
}

interface Closable {
  close(): void
}

function isClosable(handle: unknown): handle is Closable {
  return (
    typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function'
  )
}

function fieldOf(message: unknown, name: string): unknown {
  if (typeof message !== 'object' || message === null) return undefined
  return Object.getOwnPropertyDescriptor(message, name)?.value
}
