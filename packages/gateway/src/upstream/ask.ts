import type { UpstreamCall, UpstreamListener } from './client.ts'

/** A question to a server that is no request for an answer. */
export interface Question {
  /** From the root of the server. */
  readonly path: string
  /** What is posted. Null for a GET. */
  readonly body: object | null
}

/** What a server answered to a question. `unreached`: nobody answered, or not yet. */
export type Reply =
  | { readonly is: 'json'; readonly json: unknown }
  /** The server has no such route, refuses it, or answers with something else than JSON. */
  | { readonly is: 'no-answer'; readonly status: number }
  | { readonly is: 'unreached' }

/** An answer with more bytes than this is not read. */
const MOST_BYTES = 8_388_608

/**
 * `call` asks the question and tells the listener what comes; after `longest` milliseconds it is over, whatever comes.
 * Never rejects.
 */
export function readReply(
  call: (listener: UpstreamListener) => UpstreamCall,
  longest: number,
): Promise<Reply> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    let status = 0
    let timer: NodeJS.Timeout | undefined
    const done = (reply: Reply): void => {
      clearTimeout(timer)
      resolve(reply)
    }
    const giveUp = (reply: Reply): void => {
      asked.abort()
      done(reply)
    }
    const asked = call({
      onHeaders(code, headers) {
        status = code
        const isStream = headers['content-type']?.includes('event-stream') === true
        if (code === 200 && !isStream) return
        // A server that still loads its model answers 503. What it will say later is not known yet.
        giveUp(code >= 500 && code !== 501 ? { is: 'unreached' } : { is: 'no-answer', status })
      },
      onData(chunk) {
        size += chunk.length
        chunks.push(chunk)
        if (size > MOST_BYTES) giveUp({ is: 'no-answer', status })
      },
      onEnd() {
        const json = parse(Buffer.concat(chunks).toString('utf8'))
        done(json === undefined ? { is: 'no-answer', status } : { is: 'json', json })
      },
      onError: () => done({ is: 'unreached' }),
    })
    timer = setTimeout(() => giveUp({ is: 'unreached' }), longest)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
