import { dialectIds, dialects, type DialectId } from '../../dialects/index.ts'
import { createParser } from '../../parser.ts'
import type { AdapterOptions } from '../adapter-options.ts'
import { addressOf, methodOf, readOutgoing, withBody, type FetchInput } from './outgoing.ts'
import { prepareRequest, type PreparedRequest } from './prepare-request.ts'
import { rewriteResponse } from './rewrite-response.ts'

export type Fetch = (input: FetchInput, init?: RequestInit) => Promise<Response>

export interface FetchOptions extends AdapterOptions {
  /** What the requests go out with. Default: the `fetch` of the runtime. */
  readonly fetch?: Fetch
}

/**
 * A `fetch` for the SDKs of OpenAI and Anthropic. Requests for an answer go out with tool ids in the style of
 * their model; the calls that the model writes as text come back structured, streamed or not. Everything else
 * passes as it is.
 */
export function createFetch(options: FetchOptions = {}): Fetch {
  // Wrong options must fail here, not at the first request.
  createParser(options)
  const send: Fetch = options.fetch ?? ((input, init) => fetch(input, init))

  return async (input, init) => {
    const dialect = methodOf(input, init) === 'POST' ? dialectOf(addressOf(input)) : null
    const outgoing = dialect === null ? null : await readOutgoing(input, init)
    if (dialect === null || outgoing === null) return send(input, init)
    const request = prepareRequest(outgoing.text, dialect, options)
    if (request === null) return send(input, outgoing.init)
    return rewriteResponse(await send(input, sentInit(input, outgoing, request)), request, options)
  }
}

function dialectOf(address: string): DialectId | null {
  const path = address.replace(/[?#].*$/s, '')
  return (
    dialectIds.find((dialect) => path.endsWith(dialects[dialect].http.upstreamPath('', '', false))) ?? null
  )
}

function sentInit(
  input: FetchInput,
  { text, init }: { readonly text: string; readonly init: RequestInit | undefined },
  { body }: PreparedRequest,
): RequestInit | undefined {
  return body === text ? init : withBody(input, init, body)
}
