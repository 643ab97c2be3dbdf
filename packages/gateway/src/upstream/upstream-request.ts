import type { IncomingHttpHeaders } from 'node:http'
import { dialects, type Server } from '@dragoman/core'
import type { Upstream, UpstreamTimeouts } from '../config/config.ts'

/** A request for an answer, as it is sent to an upstream. */
export interface UpstreamRequest {
  readonly upstream: Upstream
  readonly route: { readonly timeouts: UpstreamTimeouts }
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The client's own bytes, where the request did not have to change. */
  readonly body: string | Buffer
}

/** The path to which requests for answers are posted. */
export function answerPath(upstream: Upstream, model: string, stream: boolean): string {
  return dialects[upstream.dialect].http.upstreamPath(basePath(upstream), model, stream)
}

/** Computed once for each upstream and not for each request. */
const basePaths = new WeakMap<Upstream, string>()

/** The path of its address, without a slash at its end. */
export function basePath(upstream: Upstream): string {
  let path = basePaths.get(upstream)
  if (path === undefined) {
    path = new URL(upstream.url).pathname.replace(/\/$/, '')
    basePaths.set(upstream, path)
  }
  return path
}

/**
 * The headers of a request to an upstream. Of the client's headers only those go on that the record of the server lists:
 * any other could change who pays, or tell the upstream of the client.
 */
export function headersFor(
  upstream: Upstream,
  stream: boolean,
  server?: Server,
  client: IncomingHttpHeaders = {},
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'user-agent': 'dragoman',
    ...server?.headers,
    ...dialects[upstream.dialect].http.headers(upstream.apiKey?.reveal()),
  }
  for (const [name, value] of upstream.headers) headers[name] = value.reveal()
  for (const name of server?.clientHeaders ?? []) {
    const list = joinedList([headers[name], client[name]].flat())
    if (list !== '') headers[name] = list
  }
  return headers
}

/** What the configuration and the client ask for in one header, each thing once. */
function joinedList(values: readonly (string | undefined)[]): string {
  const items = values.flatMap((value) => value?.split(',') ?? []).map((item) => item.trim())
  return [...new Set(items)].filter((item) => item !== '').join(',')
}
