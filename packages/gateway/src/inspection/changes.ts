import type { ServerResponse } from 'node:http'
import { streamHeaders } from '../base/send.ts'
import type { ExchangeSummary } from './api-types.ts'
import type { ExchangeWatcher } from './live-exchanges.ts'
import { pageHeaders } from './page-files.ts'

/** Changes are gathered for so long: a stream changes with every byte, and nobody sees it. */
const GATHER_MS = 100

/** A sign of life, by which proxies and the page know that the stream is there. */
const PING_MS = 15_000

/** A page that takes nothing is let go when so much waits for it. It comes back and loads the list anew. */
const MOST_WAITING = 4_194_304

/** The pages that are open, and what they are told. */
export class Changes implements ExchangeWatcher {
  private readonly summaryOf: (id: string) => ExchangeSummary | undefined
  private readonly onViewers: () => void
  private readonly viewers = new Set<ServerResponse>()
  private changedIds = new Set<string>()
  private goneIds = new Set<string>()
  private gathering: NodeJS.Timeout | undefined
  private pinging: NodeJS.Timeout | undefined

  /** `onViewers` is called whenever another page looks, or one no longer does. */
  constructor(summaryOf: (id: string) => ExchangeSummary | undefined, onViewers: () => void = () => {}) {
    this.summaryOf = summaryOf
    this.onViewers = onViewers
  }

  get isWatched(): boolean {
    return this.viewers.size > 0
  }

  add(response: ServerResponse): void {
    response.writeHead(200, { ...pageHeaders, ...streamHeaders, 'cache-control': 'no-store' })
    response.write(': the changes from now on\n\n')
    this.viewers.add(response)
    this.pinging ??= setInterval(() => this.send(': ping\n\n'), PING_MS).unref()
    response.on('close', () => this.leave(response))
    this.onViewers()
  }

  changed(id: string): void {
    this.changedIds.add(id)
    this.soon()
  }

  gone(id: string): void {
    this.changedIds.delete(id)
    this.goneIds.add(id)
    this.soon()
  }

  /** Lets every page go. It will look for the gateway again. */
  close(): void {
    clearTimeout(this.gathering)
    clearInterval(this.pinging)
    for (const viewer of this.viewers) viewer.end()
  }

  private leave(response: ServerResponse): void {
    if (!this.viewers.delete(response)) return
    this.onViewers()
    if (this.viewers.size > 0) return
    clearInterval(this.pinging)
    this.pinging = undefined
    this.changedIds.clear()
    this.goneIds.clear()
  }

  private soon(): void {
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined
      this.tell()
    }, GATHER_MS).unref()
  }

  private tell(): void {
    const changed = [...this.changedIds].flatMap((id) => this.summaryOf(id) ?? [])
    const gone = [...this.goneIds].map((id) => eventOf('gone', { id }))
    this.changedIds = new Set()
    this.goneIds = new Set()
    const text = [...changed.map((summary) => eventOf('exchange', summary)), ...gone].join('')
    if (text !== '') this.send(text)
  }

  private send(text: string): void {
    for (const viewer of this.viewers) {
      if (viewer.writableLength > MOST_WAITING) viewer.destroy()
      else viewer.write(text)
    }
  }
}

function eventOf(name: 'exchange' | 'gone', data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
