import { batch, type ReadonlySignal, signal } from '@preact/signals'
import {
  api,
  type AskedAgain,
  type ExchangeDetails,
  type ExchangePage,
  type ExchangeSummary,
  type SessionRequest,
  type StageChunk,
  type StageId,
  type StagePart,
  type Status,
} from '../api.ts'
import { isRecord, parsed } from './json.ts'

/** How many exchanges a page of the list holds, and how many the page keeps at most. */
const PAGE = 500
const MOST_KEPT = 20_000
/** Of a stage no more than this is loaded: what is longer is left to who downloads it. */
const MOST_CHUNKS = 200_000
const MOST_CHARACTERS = 40_000_000
/** A gateway that is away is asked again after so long. */
const RETRY_MS = 3000

/** The chunks of a stage, or the first of them. */
interface LoadedStage {
  readonly chunks: readonly StageChunk[]
  readonly isWhole: boolean
}

/** `connecting`: until the list is there. `none`: the page is not served by a gateway. `locked`: it wants a key. `lost`: it was there, and is asked again. */
type GatewayState = 'connecting' | 'live' | 'lost' | 'locked' | 'none'

/** What the gateway that serves this page knows. All of it comes by `api.ts`. */
class Gateway {
  readonly #status = signal<Status | null>(null)
  readonly #exchanges = signal<readonly ExchangeSummary[]>([])
  readonly #state = signal<GatewayState>('connecting')
  readonly #fault = signal<string | null>(null)
  #changed = new Map<string, ExchangeSummary>()
  #gone = new Set<string>()
  /** What the gateway has told of since the list was asked for. */
  #told = new Set<string>()
  #isWaiting = false
  #stream: EventSource | undefined

  get status(): ReadonlySignal<Status | null> {
    return this.#status
  }

  /** Newest first. */
  get exchanges(): ReadonlySignal<readonly ExchangeSummary[]> {
    return this.#exchanges
  }

  get state(): ReadonlySignal<GatewayState> {
    return this.#state
  }

  get fault(): ReadonlySignal<string | null> {
    return this.#fault
  }

  /** Recordings do not tell who asked or how long it took, and are known by their names. */
  get isFolder(): boolean {
    return this.#status.value?.shows === 'recordings'
  }

  /** Returns whether there is a gateway. */
  async connect(): Promise<boolean> {
    try {
      this.#status.value = await this.#get(api.status, isStatus)
    } catch (error) {
      if (error instanceof Locked) return true
      if (this.#status.value === null) {
        this.#state.value = 'none'
        return false
      }
      this.#connectAgain()
      return true
    }
    if (this.#state.value !== 'lost') this.#state.value = 'connecting'
    this.#follow()
    void this.#load('known')
    return true
  }

  /** Gives the key for a session. Returns what is wrong with it, or null. */
  async unlock(key: string): Promise<string | null> {
    const request: SessionRequest = { key }
    const response = await reached(api.session, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    if (!response.ok) return faultIn(response)
    await this.connect()
    return null
  }

  details(id: string): Promise<ExchangeDetails> {
    return this.#get(api.exchange(id), isDetails)
  }

  /** Each part says where the next begins. `before`: what the parts in front of it brought. */
  async stage(
    id: string,
    stage: StageId,
    from = 0,
    before: StageChunk[] = [],
    characters = 0,
  ): Promise<LoadedStage> {
    const { chunks, next } = await this.#get(api.stage(id, stage, from), isPart)
    let loaded = characters
    for (const chunk of chunks) {
      before.push(chunk)
      loaded += chunk.text.length
    }
    if (next === null) return { chunks: before, isWhole: true }
    if (before.length >= MOST_CHUNKS || loaded >= MOST_CHARACTERS) return { chunks: before, isWhole: false }
    return this.stage(id, stage, next, before, loaded)
  }

  async askAgain(id: string): Promise<string> {
    const answer = await this.#get(api.again(id), isAskedAgain, 'POST')
    return answer.id
  }

  /**
   * Page by page, up to one that brings nothing new; or to the end, to find out what is no longer there: a gateway that was
   * started anew has forgotten what the one before it knew.
   */
  async #load(until: 'known' | 'end'): Promise<void> {
    const found = new Set<string>()
    this.#told = found
    try {
      const oldest = await this.#loadFrom(null, until, found)
      this.#fault.value = null
      if (until === 'known') return
      this.#exchanges.value = this.#exchanges.value.filter(({ id, time }) => found.has(id) || time < oldest)
    } catch (error) {
      if (!(error instanceof Locked)) this.#fault.value = messageOf(error)
    } finally {
      // Before that an empty list says nothing.
      if (this.#state.value === 'connecting') this.#state.value = 'live'
    }
  }

  /** Returns the time of the oldest exchange that was loaded: what is older may be there all the same. */
  async #loadFrom(cursor: string | null, until: 'known' | 'end', found: Set<string>): Promise<string> {
    const page = await this.#get(api.exchanges(cursor, PAGE), isPage)
    const before = this.#exchanges.value.length
    for (const { id } of page.exchanges) found.add(id)
    this.#merge(page.exchanges)
    const isNew = until === 'end' || this.#exchanges.value.length > before
    if (page.next === null) return ''
    if (isNew && found.size < MOST_KEPT) return this.#loadFrom(page.next, until, found)
    return page.exchanges.at(-1)?.time ?? ''
  }

  #follow(): void {
    this.#stream?.close()
    const stream = new EventSource(api.changes)
    this.#stream = stream
    stream.addEventListener('open', () => {
      const wasLost = this.#state.value === 'lost'
      if (wasLost) this.#state.value = 'live'
      // What happened before was not told, and the list may have been read before that.
      void this.#load(wasLost ? 'end' : 'known')
      if (wasLost) void this.#refreshStatus()
    })
    stream.addEventListener('error', () => {
      if (this.#state.value === 'locked') return
      this.#state.value = 'lost'
      // A browser asks again by itself where nobody answers. Where a proxy answers in the place of the gateway, or the session
      // has ended, it gives up.
      if (stream.readyState === EventSource.CLOSED) this.#connectAgain()
    })
    stream.addEventListener('exchange', (event: MessageEvent<string>) => {
      const summary = parsed(event.data)
      if (!isSummary(summary)) return
      this.#changed.set(summary.id, summary)
      this.#told.add(summary.id)
      this.#soon()
    })
    stream.addEventListener('gone', (event: MessageEvent<string>) => {
      const gone = parsed(event.data)
      if (isRecord(gone) && typeof gone['id'] === 'string') this.#gone.add(gone['id'])
      this.#soon()
    })
  }

  /** A gateway that was away may be another now, of another version. */
  async #refreshStatus(): Promise<void> {
    try {
      this.#status.value = await this.#get(api.status, isStatus)
    } catch {
      // The stream of changes tells whether it is away.
    }
  }

  #connectAgain(): void {
    this.#state.value = 'lost'
    setTimeout(() => void this.connect(), RETRY_MS)
  }

  /** A session that has ended is noticed by whatever is asked for next. */
  async #get<T>(path: string, isIt: (value: unknown) => value is T, method = 'GET'): Promise<T> {
    try {
      return await get(path, isIt, method)
    } catch (error) {
      if (error instanceof Locked) this.#state.value = 'locked'
      throw error
    }
  }

  /** Many changes at once are drawn once. */
  #soon(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    setTimeout(() => {
      this.#isWaiting = false
      const changed = [...this.#changed.values()]
      const gone = this.#gone
      this.#changed = new Map()
      this.#gone = new Set()
      batch(() => {
        this.#merge(changed)
        if (gone.size > 0) this.#exchanges.value = this.#exchanges.value.filter(({ id }) => !gone.has(id))
      })
    }, 100)
  }

  #merge(news: readonly ExchangeSummary[]): void {
    if (news.length === 0) return
    const byId = new Map(this.#exchanges.value.map((each) => [each.id, each]))
    for (const summary of news) byId.set(summary.id, summary)
    const all = [...byId.values()].toSorted(newestFirst)
    this.#exchanges.value = all.length > MOST_KEPT ? all.slice(0, MOST_KEPT) : all
  }
}

export const gateway = new Gateway()

/** The version in the path says what the answer is; `isIt` notices a server that is no gateway at all. */
async function get<T>(path: string, isIt: (value: unknown) => value is T, method: string): Promise<T> {
  const response = await reached(path, { method, headers: { accept: 'application/json' } })
  if (response.status === 401) throw new Locked(await faultIn(response))
  if (!response.ok) throw new Error(await faultIn(response))
  const value = parsed(await response.text())
  if (!isIt(value)) throw new Error('The answer is none that this page understands.')
  return value
}

/** Browsers say each in their own words that nobody answers, and none says who. */
async function reached(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch {
    throw new Error('The gateway does not answer.')
  }
}

/** The order of the gateway, also for what came at the same time. */
function newestFirst(one: ExchangeSummary, other: ExchangeSummary): number {
  if (one.time !== other.time) return one.time < other.time ? 1 : -1
  return one.id < other.id ? 1 : one.id > other.id ? -1 : 0
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The page has no session, or it has ended. */
class Locked extends Error {}

function isStatus(value: unknown): value is Status {
  return isRecord(value) && typeof value['version'] === 'string'
}

function isPage(value: unknown): value is ExchangePage {
  return isRecord(value) && Array.isArray(value['exchanges']) && value['exchanges'].every(isSummary)
}

function isDetails(value: unknown): value is ExchangeDetails {
  return (
    isRecord(value) &&
    isSummary(value['summary']) &&
    isRecord(value['client']) &&
    Array.isArray(value['notes'])
  )
}

function isPart(value: unknown): value is StagePart {
  return isRecord(value) && Array.isArray(value['chunks'])
}

function isAskedAgain(value: unknown): value is AskedAgain {
  return isRecord(value) && typeof value['id'] === 'string'
}

async function faultIn(response: Response): Promise<string> {
  const body = parsed(await response.text())
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {}
  const message = error['message']
  return typeof message === 'string' ? message : `The gateway answered with status ${response.status}.`
}

function isSummary(value: unknown): value is ExchangeSummary {
  return isRecord(value) && typeof value['id'] === 'string' && typeof value['time'] === 'string'
}
