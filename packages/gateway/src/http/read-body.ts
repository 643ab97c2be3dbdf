import type { IncomingMessage } from 'node:http'

export type BodyResult =
  | { readonly is: 'body'; readonly bytes: Buffer }
  | { readonly is: 'too-large' }
  | { readonly is: 'gone' }

/** How long a client may go on sending what nobody reads, so that it sees the answer and not a reset. */
const LINGER_MS = 1000

/** Reads a whole request body, but never more than `limit` bytes of it. */
export function readBody(request: IncomingMessage, limit: number): Promise<BodyResult> {
  const declared = Number(request.headers['content-length'] ?? '0')
  if (declared > limit) {
    discard(request)
    return Promise.resolve({ is: 'too-large' })
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (result: BodyResult): void => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      resolve(result)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size > limit) {
        finish({ is: 'too-large' })
        discard(request)
        return
      }
      chunks.push(chunk)
    }
    const onEnd = (): void => {
      finish({
        is: 'body',
        bytes: chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks),
      })
    }
    const onGone = (): void => {
      finish({ is: 'gone' })
    }
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
  })
}

function discard(request: IncomingMessage): void {
  request.resume()
  const timer = setTimeout(() => request.destroy(), LINGER_MS)
  const stop = (): void => clearTimeout(timer)
  request.once('end', stop).once('close', stop)
}
