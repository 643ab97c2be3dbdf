import type { IncomingHttpHeaders } from 'node:http'
import type { Upstream } from '../config/config.ts'
import type { UpstreamFault } from '../upstream/client.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

/** One request and what came back, as it came. Times are milliseconds since the request was sent. */
export interface Exchange {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** When each piece of the body arrived. */
  readonly arrivals: readonly number[]
  readonly duration: number
  /** Why there is no whole answer, or null. */
  readonly fault: Pick<UpstreamFault, 'code' | 'cause' | 'message'> | null
}

export interface HttpQuestion {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

export interface Line {
  readonly upstreams: Upstreams
  readonly upstream: Upstream
  /** The longest time to connect, until the answer begins, and between two pieces of it. */
  readonly timeout: number
  readonly now: () => number
}

/** No answer to these questions is longer. */
const MOST_BYTES = 4 * 1024 * 1024

/** Asks the upstream, by the way that the gateway takes to it. */
export function exchange(
  { upstreams, upstream, timeout, now }: Line,
  question: HttpQuestion,
): Promise<Exchange> {
  const start = now()
  const pieces: Buffer[] = []
  const arrivals: number[] = []
  let bytes = 0
  let status = 0
  let headers: IncomingHttpHeaders = {}
  return new Promise((resolve) => {
    const end = (fault: Exchange['fault']): void => {
      const body = Buffer.concat(pieces).toString('utf8')
      resolve({ status, headers, body, arrivals, duration: now() - start, fault })
    }
    const call = upstreams.send(
      upstream,
      timeout,
      { ...question, headersTimeout: timeout, idleTimeout: timeout },
      {
        onHeaders: (code, given) => {
          status = code
          headers = given
        },
        onData: (piece) => {
          arrivals.push(now() - start)
          pieces.push(piece)
          bytes += piece.length
          if (bytes <= MOST_BYTES) return
          call.abort()
          const cause = `more than ${MOST_BYTES} bytes came`
          end({ code: 'aborted', cause, message: cause })
        },
        onEnd: () => end(null),
        onError: (fault) =>
          end(isLate(fault) ? { ...fault, cause: waited(timeout), message: waited(timeout) } : fault),
      },
    )
  })
}

/** Whether it was the doctor who gave up. */
export function isLate({ code }: Pick<UpstreamFault, 'code'>): boolean {
  return code === 'connect-timeout' || code === 'headers-timeout' || code === 'idle-timeout'
}

/** The words for the doctor's own patience, so that nobody takes it for a limit of the server. */
function waited(timeout: number): string {
  return `nothing came within the ${spoken(timeout)} that the doctor waits (--timeout)`
}

export function spoken(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${milliseconds / 1000} s`
}

export function jsonIn({ body }: Pick<Exchange, 'body'>): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

export function isPage({ headers, body }: Pick<Exchange, 'headers' | 'body'>): boolean {
  return headers['content-type']?.includes('html') === true || /^\s*<(?:!doctype|html)/i.test(body)
}
