import type { IncomingMessage, ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { GatewayConfig } from '../config/config.ts'
import { clientAddress } from '../security/client-address.ts'
import type { FailureLimit } from '../security/failure-limit.ts'
import type { Redactor } from '../security/redact.ts'
import { type InspectorAccess, inspectorAccess } from './access.ts'
import { Changes } from './changes.ts'
import { examplesFor } from './examples.ts'
import { type ExchangeSource, type RepeatableRequest, withRecordings } from './exchange-source.ts'
import { type Door, inspectorRoot, serveInspector } from './inspector-server.ts'
import { LiveExchanges } from './live-exchanges.ts'
import { PageFiles } from './page-files.ts'
import { RecordedExchanges } from './recorded-exchanges.ts'
import { Sessions } from './sessions.ts'

/** What the inspector needs to know of the process that it is in. */
export interface InspectorWorld {
  readonly version: string
  /** Which process this is, where several share the work; null where it is alone. */
  readonly instance: string | null
  /** The folder of the built page. */
  readonly pageFolder: string
  /** By which sessions are signed; the same in all processes that share the work. */
  readonly sessionSecret: string
}

export interface InspectorOptions extends InspectorWorld {
  readonly now: () => number
  readonly redact: Redactor
  readonly failureLimit: FailureLimit
  readonly askAgain: (request: RepeatableRequest) => string
}

/** The inspector of a gateway: what it remembers, who may look, and what they are shown. */
export class Inspector {
  /** Exchanges are kept in it. Undefined where nobody may look. */
  live: LiveExchanges | undefined
  private readonly options: InspectorOptions
  private readonly files: PageFiles
  private readonly sessions: Sessions
  private readonly changes: Changes
  private config: GatewayConfig
  private access: InspectorAccess
  private recorded: RecordedExchanges | undefined

  constructor(config: GatewayConfig, options: InspectorOptions) {
    this.options = options
    this.config = config
    this.files = new PageFiles(options.pageFolder)
    this.sessions = new Sessions(options.sessionSecret, Date.now)
    this.changes = new Changes(
      (id) => this.live?.shown(id)?.summary(),
      () => this.watch(),
    )
    this.access = inspectorAccess(config)
    this.follow(config, null)
  }

  /** `config` has the address that the gateway was opened with. */
  reconfigure(config: GatewayConfig): void {
    const before = this.config
    this.config = config
    this.access = inspectorAccess(config)
    this.follow(config, before)
    this.watch()
  }

  /** Why nobody may look, or null. */
  get isOffBecause(): string | null {
    return this.access.is === 'off' ? this.access.why : null
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { version, instance, askAgain } = this.options
    await serveInspector(request, response, {
      files: this.files,
      source: this.source(),
      changes: this.changes,
      status: {
        version,
        instance,
        shows: this.recorded === undefined ? 'live' : 'live-and-recordings',
        mayAskAgain: true,
        examples: examplesFor(this.config),
      },
      door: this.door(),
      askAgain,
      mostBytes: this.config.limits.bodyBytes,
    })
  }

  close(): void {
    this.changes.close()
  }

  private follow({ inspector, record }: GatewayConfig, before: GatewayConfig | null): void {
    const { now, redact } = this.options
    if (this.access.is === 'off') this.live = undefined
    else if (this.live === undefined) this.live = new LiveExchanges({ bytes: inspector.memory, now, redact })
    else this.live.limit(inspector.memory)
    if (before !== null && isDeepStrictEqual(record, before.record)) return
    this.recorded = record === null ? undefined : new RecordedExchanges(record.dir, 'ours', redact)
  }

  /** While nobody looks, nothing is gathered. What is recorded is not gone when the memory forgets it. */
  private watch(): void {
    if (this.live === undefined) return
    const { changes, recorded } = this
    const watcher =
      recorded === undefined ? changes : { changed: (id: string) => changes.changed(id), gone: () => {} }
    this.live.watcher = changes.isWatched ? watcher : undefined
  }

  private source(): ExchangeSource {
    const live =
      this.live ?? new LiveExchanges({ bytes: 0, now: this.options.now, redact: this.options.redact })
    return this.recorded === undefined ? live : withRecordings(live, this.recorded)
  }

  private door(): Door {
    const { sessions, access } = this
    const keys = access.is === 'keyed' ? access.keys : []
    return {
      isOpenFor: ({ headers }) => access.is === 'open' || sessions.isOpen(headers.cookie, keys),
      unlock: (key, request) => {
        const { failureLimit } = this.options
        const cookie = sessions.begin(key, keys, inspectorRoot)
        if (cookie !== undefined) return { cookie }
        const { limits, listen } = this.config
        const address = clientAddress(listen.trustedProxies)(request)
        const isBlocked = failureLimit.isBlocked(address, limits.authFailuresPerMinute)
        failureLimit.fail(address)
        if (isBlocked) return { status: 429, message: 'Too many wrong keys from this address.' }
        return { status: 401, message: 'This is no key for the inspector.' }
      },
      lock: ({ headers }) => sessions.end(headers.cookie, inspectorRoot),
    }
  }
}
