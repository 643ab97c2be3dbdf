import type { IncomingHttpHeaders } from 'node:http'
import { dialects, type Server, serverById } from '@dragoman/core'
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
    ...keyHeaders(upstream, server),
  }
  for (const [name, value] of upstream.headers) headers[name] = value.reveal()
  for (const name of server?.clientHeaders ?? []) {
    const list = joinedList([headers[name], client[name]].flat())
    if (list !== '') headers[name] = list
  }
  return headers
}

/**
 * The headers of the dialect, with the key. A server of a kind that people run themselves often has one way to check keys for
 * all its dialects, and that is a bearer: such a server is shown the key in both ways. Everybody else is shown it as the
 * dialect has it.
 */
function keyHeaders({ dialect, apiKey, kind }: Upstream, server = serverById(kind)): Record<string, string> {
  const key = apiKey?.reveal()
  const own = dialects[dialect].http.headers(key)
  const isOwnServer = server !== undefined && server.hosts === undefined
  return key !== undefined && isOwnServer ? { authorization: `Bearer ${key}`, ...own } : own
}

/** What the configuration and the client ask for in one header, each thing once. */
function joinedList(values: readonly (string | undefined)[]): string {
  const items = values.flatMap((value) => value?.split(',') ?? []).map((item) => item.trim())
  return [...new Set(items)].filter((item) => item !== '').join(',')
}
