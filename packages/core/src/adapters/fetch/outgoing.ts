/** What `fetch` is called with. */
export type FetchInput = string | URL | Request

export function addressOf(input: FetchInput): string {
  if (typeof input === 'string') return input
  return 'href' in input ? input.href : input.url
}

export function methodOf(input: FetchInput, init: RequestInit | undefined): string {
  return (init?.method ?? requestOf(input)?.method ?? 'GET').toUpperCase()
}

export function headersOf(input: FetchInput, init: RequestInit | undefined): Headers {
  return new Headers(init?.headers ?? requestOf(input)?.headers)
}

export function signalOf(input: FetchInput, init: RequestInit | undefined): AbortSignal | null {
  return init?.signal ?? requestOf(input)?.signal ?? null
}

/** The body of a request as text, and the request as it can still be sent after its body was read. */
export interface OutgoingBody {
  readonly text: string
  readonly init: RequestInit | undefined
}

/** Null where there is no body that can be read. */
export async function readOutgoing(
  input: FetchInput,
  init: RequestInit | undefined,
): Promise<OutgoingBody | null> {
  const body = init?.body ?? null
  if (typeof body === 'string') return { text: body, init }
  if (body === null) {
    const request = requestOf(input)
    if (request === undefined || request.body === null || request.bodyUsed) return null
    return { text: await request.clone().text(), init }
  }
  const bytes = await new Response(body).arrayBuffer()
  // A stream can be read once only, so what was read goes in its place.
  const isStream = 'getReader' in body
  return { text: new TextDecoder().decode(bytes), init: isStream ? { ...init, body: bytes } : init }
}

export function withBody(input: FetchInput, init: RequestInit | undefined, body: string): RequestInit {
  const headers = headersOf(input, init)
  // Clients that count it themselves have counted the old body; undici refuses one that has another length.
  headers.delete('content-length')
  return { ...init, headers, body }
}

function requestOf(input: FetchInput): Request | undefined {
  return typeof input === 'string' || 'href' in input ? undefined : input
}
