import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { TraceSettings } from './trace-settings.ts'

/** What became of spans that were sent. */
export type Delivery =
  /** `rejected`: how many of them the collector did not take. */
  | { readonly is: 'taken'; readonly rejected: number; readonly message: string }
  /** It may go well later. `after`: how many milliseconds the collector asks for, where it does. */
  | { readonly is: 'failed'; readonly message: string; readonly after: number | null }
  /** It will never go well. */
  | { readonly is: 'refused'; readonly message: string }

/** The statuses after which the protocol says to send the same again. */
const retried: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** What a collector says is read up to here. */
const MOST_BYTES = 65_536

/** A collector of spans, to which they are sent over HTTP as JSON. */
export class Collector {
  private readonly settings: Pick<TraceSettings, 'url' | 'headers' | 'timeout'>
  private readonly agent: HttpAgent
  private readonly request: typeof requestHttp

  constructor(settings: Pick<TraceSettings, 'url' | 'headers' | 'timeout'>) {
    this.settings = settings
    const isTls = settings.url.protocol === 'https:'
    this.agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
    this.request = isTls ? requestHttps : requestHttp
  }

  /** Never rejects. */
  async send(body: string, signal: AbortSignal): Promise<Delivery> {
    const { timeout } = this.settings
    try {
      return await this.post(Buffer.from(body), AbortSignal.any([signal, AbortSignal.timeout(timeout)]))
    } catch (error) {
      return { is: 'failed', message: error instanceof Error ? error.message : String(error), after: null }
    }
  }

  close(): void {
    this.agent.destroy()
  }

  private post(body: Buffer, signal: AbortSignal): Promise<Delivery> {
    const { url, headers } = this.settings
    return new Promise((resolve, reject) => {
      const asked = this.request(url, {
        method: 'POST',
        agent: this.agent,
        signal,
        headers: {
          'user-agent': 'dragoman',
          ...headers,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      })
      asked.on('error', reject)
      asked.on('response', (response) => {
        readText(response).then((text) => resolve(deliveryOf(response, text)), reject)
      })
      asked.end(body)
    })
  }
}

/** The whole of it is taken from the connection, so that the next batch can use it. */
async function readText(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of response) {
    if (size < MOST_BYTES && piece instanceof Buffer) pieces.push(piece)
    size += piece instanceof Buffer ? piece.length : 0
  }
  return Buffer.concat(pieces).toString('utf8', 0, MOST_BYTES)
}

function deliveryOf({ statusCode = 0, headers }: IncomingMessage, text: string): Delivery {
  if (statusCode >= 200 && statusCode < 300) return { is: 'taken', ...rejection(text) }
  const message = `the collector answered ${statusCode}`
  if (!retried.has(statusCode)) return { is: 'refused', message }
  const seconds = Number(headers['retry-after'])
  return { is: 'failed', message, after: seconds > 0 ? seconds * 1000 : null }
}

/** A collector may take some spans and reject others: it says how many, and why. */
function rejection(text: string): { readonly rejected: number; readonly message: string } {
  const partial = fieldOf(parsed(text), 'partialSuccess')
  const rejected = Number(fieldOf(partial, 'rejectedSpans') ?? 0)
  const message = fieldOf(partial, 'errorMessage')
  return {
    rejected: Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0,
    message: typeof message === 'string' ? message : '',
  }
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
