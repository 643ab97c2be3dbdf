import type { IncomingMessage } from 'node:http'
import type { BodyShare } from './body-budget.ts'

export type BodyResult =
  | { readonly is: 'body'; readonly bytes: Buffer }
  | { readonly is: 'too-large' }
  /** The bodies of other requests take all the memory there is for them. */
  | { readonly is: 'no-room' }
  | { readonly is: 'late' }
  | { readonly is: 'gone' }

/**
 * How long a refused client may go on sending. Without this time it would see a reset connection and not the answer.
 */
const LINGER_MS = 1000

/** Reads a whole request body, but never more than `limit` bytes of it, and for `longest` milliseconds at most. */
export function readBody(
  request: IncomingMessage,
  { limit, longest, share }: { readonly limit: number; readonly longest: number; readonly share: BodyShare },
): Promise<BodyResult> {
  const declared = Number(request.headers['content-length'] ?? '0')
  if (declared > limit) {
    discard(request)
    return Promise.resolve({ is: 'too-large' })
  }
  if (!share.hasRoomFor(declared)) {
    discard(request)
    return Promise.resolve({ is: 'no-room' })
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    let timer: NodeJS.Timeout | undefined
    // Nearly every body is complete within this turn of the event loop, so the timer is made only after it.
    const arming = setImmediate(() => {
      timer = setTimeout(() => {
        request.off('data', onData)
        settle({ is: 'late' })
      }, longest)
      // A request that is answered before its body is complete emits nothing more; its timer must not keep a process
      // alive that is ending.
      timer.unref()
    })
    const settle = (result: BodyResult): void => {
      clearImmediate(arming)
      clearTimeout(timer)
      resolve(result)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= limit && share.take(chunk.length)) {
        chunks.push(chunk)
        return
      }
      request.off('data', onData)
      discard(request)
      chunks.length = 0
      share.release()
      settle({ is: size <= limit ? 'no-room' : 'too-large' })
    }
    // Only the first outcome counts, as a promise settles once. The listeners go away with the request.
    request.on('data', onData)
    request.on('end', () => {
      const [only] = chunks
      settle({ is: 'body', bytes: chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks) })
    })
    const onGone = (): void => settle({ is: 'gone' })
    request.on('error', onGone).on('close', onGone)
  })
}

function discard(request: IncomingMessage): void {
  request.resume()
  const timer = setTimeout(() => request.destroy(), LINGER_MS)
  const stop = (): void => clearTimeout(timer)
  request.once('end', stop).once('close', stop)
}
