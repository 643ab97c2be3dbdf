import type { IncomingMessage, ServerResponse } from 'node:http'

/** What pages may read of an answer beside its body. */
const readable = 'x-request-id, request-id, retry-after'
/** How long a browser need not ask again, in seconds. */
const PREFLIGHT_SECONDS = 600

/**
 * Lets pages of the allowed origins read the answer: the very origin is named, never all, and no cookies are spoken
 * of. The caller has been checked already. Without allowed origins there is not a word about it.
 */
export function allowOrigin(
  request: IncomingMessage,
  response: ServerResponse,
  allowedOrigins: readonly string[],
): void {
  if (allowedOrigins.length === 0) return
  // A cache must not give the answer for one origin to another.
  response.setHeader('vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined || !allowedOrigins.includes(origin)) return
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', readable)
}

/** Whether a browser asks what a page of an allowed origin may do: it sends no key with that. */
export function isPreflight(request: IncomingMessage, allowedOrigins: readonly string[]): boolean {
  const { origin } = request.headers
  return (
    request.method === 'OPTIONS' &&
    request.headers['access-control-request-method'] !== undefined &&
    origin !== undefined &&
    allowedOrigins.includes(origin)
  )
}

/** `methods`: what the route takes. Every header may be sent: none of them reaches an upstream. */
export function answerPreflight(request: IncomingMessage, response: ServerResponse, methods: string): void {
  const wanted = request.headers['access-control-request-headers']
  response.writeHead(204, {
    'access-control-allow-methods': methods,
    ...(wanted === undefined ? {} : { 'access-control-allow-headers': wanted }),
    'access-control-max-age': String(PREFLIGHT_SECONDS),
    vary: 'Origin, Access-Control-Request-Headers',
  })
  response.end()
}
