import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { at } from '../../server/ask.ts'

/** A collector that keeps what it is sent, and checks that it is OTLP. */
export interface CollectorStandIn {
  /** Its base address, as `OTEL_EXPORTER_OTLP_ENDPOINT` has it. */
  readonly url: string
  readonly posts: readonly CollectorPost[]
  /** All spans so far. */
  spans(): ReceivedSpan[]
  close(): Promise<void>
}

export interface CollectorPost {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly resource: Attributes
  readonly scope: unknown
  readonly spans: readonly ReceivedSpan[]
}

export type Attributes = Readonly<Record<string, unknown>>

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly traceState: string | null
  readonly name: string
  readonly kind: 'server' | 'client'
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Attributes
  readonly events: readonly { readonly name: string; readonly at: bigint; readonly attributes: Attributes }[]
  readonly status: { readonly code: number; readonly message: string }
}

/** `answer` answers each request; without it every span is taken. */
export async function startCollector(
  answer: (response: ServerResponse, nth: number) => void = (response) => takeAll(response),
  port = 0,
): Promise<CollectorStandIn> {
  const posts: CollectorPost[] = []
  let count = 0
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => {
        posts.push(decodePost(request.url ?? '', request.headers, Buffer.concat(pieces).toString('utf8')))
        answer(response, ++count)
      })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    posts,
    spans: () => posts.flatMap(({ spans }) => spans),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

export function takeAll(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}')
}

/** Reads a post as a collector does, and throws where it is not what the protocol says. */
function decodePost(path: string, headers: IncomingHttpHeaders, body: string): CollectorPost {
  const json: unknown = JSON.parse(body)
  const [resourceSpans] = listAt(json, 'resourceSpans')
  const [scopeSpans] = listAt(resourceSpans, 'scopeSpans')
  return {
    path,
    headers,
    resource: attributesOf(at(resourceSpans, 'resource')),
    scope: at(scopeSpans, 'scope'),
    spans: listAt(scopeSpans, 'spans').map(decodeSpan),
  }
}

const kinds: Readonly<Record<number, 'server' | 'client'>> = { 2: 'server', 3: 'client' }

function decodeSpan(span: unknown): ReceivedSpan {
  const kind = kinds[Number(at(span, 'kind'))]
  if (kind === undefined) throw new Error('a span of no kind')
  const parent = at(span, 'parentSpanId')
  const state = at(span, 'traceState')
  return {
    traceId: hex(at(span, 'traceId'), 32),
    spanId: hex(at(span, 'spanId'), 16),
    parentSpanId: parent === undefined ? null : hex(parent, 16),
    traceState: typeof state === 'string' ? state : null,
    name: String(at(span, 'name')),
    kind,
    start: nanoseconds(at(span, 'startTimeUnixNano')),
    end: nanoseconds(at(span, 'endTimeUnixNano')),
    attributes: attributesOf(span),
    events: listAt(span, 'events').map((event) => ({
      name: String(at(event, 'name')),
      at: nanoseconds(at(event, 'timeUnixNano')),
      attributes: attributesOf(event),
    })),
    status: {
      code: Number(at(span, 'status', 'code') ?? 0),
      message: textAt(span, 'status', 'message'),
    },
  }
}

function attributesOf(owner: unknown): Attributes {
  return Object.fromEntries(
    listAt(owner, 'attributes').map((pair) => [String(at(pair, 'key')), valueOf(at(pair, 'value'))]),
  )
}

function valueOf(value: unknown): unknown {
  const [name, inside] = Object.entries(Object(value))[0] ?? []
  switch (name) {
    case 'intValue':
      // 64-bit integers are texts in JSON.
      if (typeof inside !== 'string' || !/^-?\d+$/.test(inside))
        throw new Error(`no integer: ${String(inside)}`)
      return Number(inside)
    case 'arrayValue':
      return listAt(inside, 'values').map(valueOf)
    case 'stringValue':
    case 'boolValue':
    case 'doubleValue':
      return inside
    default:
      throw new Error(`no value: ${JSON.stringify(value)}`)
  }
}

function textAt(value: unknown, ...path: readonly string[]): string {
  const text = at(value, ...path) ?? ''
  if (typeof text !== 'string') throw new Error(`no text at ${path.join('.')}`)
  return text
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = at(value, name)
  if (!Array.isArray(list)) throw new Error(`no list of ${name}`)
  return list
}

function hex(id: unknown, digits: number): string {
  if (typeof id !== 'string' || !new RegExp(`^[0-9a-f]{${digits}}$`).test(id))
    throw new Error(`no id: ${String(id)}`)
  return id
}

function nanoseconds(time: unknown): bigint {
  if (typeof time !== 'string' || !/^\d{19}$/.test(time)) throw new Error(`no time: ${String(time)}`)
  return BigInt(time)
}
