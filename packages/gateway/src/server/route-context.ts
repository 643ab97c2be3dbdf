import type { IncomingMessage } from 'node:http'
import type { BodyShare } from '../base/body-budget.ts'
import type { Refusal } from '../base/refusal.ts'
import type { ClientKey, GatewayConfig } from '../config/config.ts'
import type { ClientAnswer } from '../exchange/client-answer.ts'
import type { ItemCache } from '../exchange/item-cache.ts'
import type { LiveExchanges } from '../inspection/live-exchanges.ts'
import type { Quotas } from '../quotas/quotas.ts'
import type { Recorder } from '../recorder/recorder.ts'
import type { Routing } from '../routing/routing.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import type { RequestLog } from './request-log.ts'

/** What a route needs to answer one request. */
export interface RouteContext {
  readonly request: IncomingMessage
  readonly client: ClientAnswer
  readonly config: GatewayConfig
  readonly upstreams: Upstreams
  /** What this process has found of its upstreams. */
  readonly routing: Routing
  readonly now: () => number
  /** Undefined where exchanges are not recorded. */
  readonly recorder: Recorder | undefined
  /** The memory of the inspector. Undefined where nobody may look. */
  readonly live?: Pick<LiveExchanges, 'open'> | undefined
  readonly log: RequestLog
  readonly arrival: Arrival
  /** The key that the client showed. Undefined where none is needed. */
  readonly key?: ClientKey | undefined
  /** Undefined where nobody's use is counted. */
  readonly quotas?: Quotas | undefined
  /** What answers held, for clients that name it. Undefined where nothing is kept. */
  readonly items?: ItemCache | undefined
}

/** A request whose body is still to be read. */
export interface Arrival {
  /** Its part of the memory for bodies. */
  readonly share: BodyShare
  /** The client waits for a sign that its body is wanted. */
  readonly awaitsContinue: boolean
  /** The body is there, and the request takes its place among those under way. Or there is none. */
  takePlace(): Refusal | null
}
