import type { IncomingMessage, ServerResponse } from 'node:http'

/** The headers of an answer that pages may read. */
const readable = 'x-request-id, request-id, retry-after'
/** How long a browser may remember the answer to a preflight, in seconds. */
const PREFLIGHT_SECONDS = 600

/**
 * Lets pages of the allowed origins read the answer. The header names the one origin, never `*`, and cookies are not
 * allowed. The caller has been checked before. Without allowed origins no header is set.
 */
export function allowOrigin(
  request: IncomingMessage,
  response: ServerResponse,
  allowedOrigins: readonly string[],
): void {
  if (allowedOrigins.length === 0) return
  // Without this header a cache could give the answer for one origin to another.
  response.setHeader('vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined || !allowedOrigins.includes(origin)) return
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', readable)
}

/** Whether a browser asks what a page of an allowed origin may do. Browsers send no key with this question. */
export function isPreflight(request: IncomingMessage, allowedOrigins: readonly string[]): boolean {
  const { origin } = request.headers
  return (
    request.method === 'OPTIONS' &&
    request.headers['access-control-request-method'] !== undefined &&
    origin !== undefined &&
    allowedOrigins.includes(origin)
  )
}

/** `methods` are those of the route. Every header is allowed, as none of them reaches an upstream. */
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
