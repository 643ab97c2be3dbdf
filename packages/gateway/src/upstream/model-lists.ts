import type { UpstreamCall, UpstreamListener } from './client.ts'

/** How long a list counts as current. */
const FRESH_MS = 60_000
/** A list with more bytes than this is ignored. */
const MOST_BYTES = 4_194_304

/** The models of each upstream, as far as it lists them. An upstream is asked at most once a minute. */
export class ModelLists {
  private readonly now: () => number
  private readonly lists = new Map<string, { readonly until: number; readonly names: Promise<string[]> }>()

  constructor(now: () => number) {
    this.now = now
  }

  /** `ask` requests the list of the upstream with this address. */
  names(url: string, ask: (listener: UpstreamListener) => UpstreamCall): Promise<string[]> {
    const known = this.lists.get(url)
    if (known !== undefined && known.until > this.now()) return known.names
    const names = readList(ask)
    this.lists.set(url, { until: this.now() + FRESH_MS, names })
    return names
  }
}

/** Many servers have no list. That is no error: the result is empty. */
function readList(ask: (listener: UpstreamListener) => UpstreamCall): Promise<string[]> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const call = ask({
      onHeaders(status) {
        if (status === 200) return
        call.abort()
        resolve([])
      },
      onData(chunk) {
        size += chunk.length
        chunks.push(chunk)
        if (size <= MOST_BYTES) return
        call.abort()
        resolve([])
      },
      onEnd: () => resolve(namesIn(Buffer.concat(chunks).toString('utf8'))),
      onError: () => resolve([]),
    })
  })
}

function namesIn(text: string): string[] {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return []
  }
  const list = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined
  if (!Array.isArray(list)) return []
  return list.flatMap((model: unknown) => {
    const id = typeof model === 'object' && model !== null && 'id' in model ? model.id : undefined
    return typeof id === 'string' ? [id] : []
  })
}
