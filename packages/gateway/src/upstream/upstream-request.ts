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

/** Computed once for each upstream and not for each request. */
const answerPaths = new WeakMap<Upstream, string>()

/** The path to which requests for answers are posted. */
export function answerPath(upstream: Upstream): string {
  let path = answerPaths.get(upstream)
  if (path === undefined) {
    path = pathBelow(upstream, upstream.dialect === 'anthropic-messages' ? '/messages' : '/chat/completions')
    answerPaths.set(upstream, path)
  }
  return path
}

/** The path at which an upstream lists its models. */
export function modelsPath(upstream: Upstream): string {
  return pathBelow(upstream, '/models')
}

function pathBelow({ url }: Upstream, path: string): string {
  return new URL(url).pathname.replace(/\/$/, '') + path
}

/** The headers of a request to an upstream. None of the client's headers are passed on; only configured ones are. */
export function headersFor(upstream: Upstream, stream: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'user-agent': 'dragoman',
  }
  const key = upstream.apiKey?.reveal()
  if (upstream.dialect === 'anthropic-messages') {
    headers['anthropic-version'] = '2023-06-01'
    if (key !== undefined) headers['x-api-key'] = key
  } else if (key !== undefined) {
    headers['authorization'] = `Bearer ${key}`
  }
  for (const [name, value] of upstream.headers) headers[name] = value.reveal()
  return headers
}
