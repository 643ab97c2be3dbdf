import { createParser } from '../../parser.ts'
import type { AdapterOptions } from '../adapter-options.ts'
import { clientAddress } from './client-address.ts'
import {
  addressOf,
  headersOf,
  methodOf,
  readOutgoing,
  signalOf,
  withBody,
  type FetchInput,
} from './outgoing.ts'
import { prepareRequest, type PreparedRequest } from './prepare-request.ts'
import { rewriteResponse } from './rewrite-response.ts'
import { fetchTranslated, type UpstreamOptions } from './translated-fetch.ts'

export type Fetch = (input: FetchInput, init?: RequestInit) => Promise<Response>

export interface FetchOptions extends AdapterOptions {
  /** What the requests go out with. Default: the `fetch` of the runtime. */
  readonly fetch?: Fetch
  /** The server that answers, where it does not speak what the SDK speaks. Default: one that does. */
  readonly upstream?: UpstreamOptions
}

/**
 * A `fetch` for the SDKs of OpenAI, Anthropic and Google. Requests for an answer go out with tool ids in the style of
 * their model; the calls that the model writes as text come back structured, streamed or not. Where `upstream` names
 * another dialect, requests and answers are translated. Everything else passes as it is.
 */
export function createFetch(options: FetchOptions = {}): Fetch {
  // Wrong options must fail here, not at the first request.
  createParser(options)
  const { fetch: given, upstream, ...adapter } = options
  const send: Fetch = given ?? ((input, init) => fetch(input, init))

  return async (input, init) => {
    const address = methodOf(input, init) === 'POST' ? clientAddress(addressOf(input)) : null
    const outgoing = address === null ? null : await readOutgoing(input, init)
    if (address === null || outgoing === null) return send(input, init)
    if (upstream !== undefined && upstream.dialect !== address.dialect) {
      const headers = headersOf(input, init)
      const signal = signalOf(input, init)
      return fetchTranslated({ address, text: outgoing.text, headers, signal }, upstream, adapter, send)
    }
    const request = prepareRequest(outgoing.text, address, options)
    if (request === null) return send(input, outgoing.init)
    return rewriteResponse(await send(input, sentInit(input, outgoing, request)), request, options)
  }
}

function sentInit(
  input: FetchInput,
  { text, init }: { readonly text: string; readonly init: RequestInit | undefined },
  { body }: PreparedRequest,
): RequestInit | undefined {
  return body === text ? init : withBody(input, init, body)
}
