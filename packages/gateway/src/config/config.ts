import type { DialectId, FormatId, MarkerOverrides, ThinkingSetting } from '@dragoman/core'
import type { ProxyConfig } from './proxies.ts'
import type { Secret } from './secret.ts'

/** Everything the gateway can be told, with every default filled in. Durations are milliseconds. */
export interface GatewayConfig {
  readonly listen: ListenConfig
  /** Who may call. Without keys everybody may who can reach the port, which is then a loopback one. */
  readonly keys: readonly ClientKey[]
  /** The upstreams by name, or `simulator` where none is configured. */
  readonly upstreams: ReadonlyMap<string, Upstream> | 'simulator'
  /** Left out where nobody's use is counted: no key has a limit or a budget, and there are neither prices nor a store. */
  readonly accounting?: AccountingConfig
  /** The first rule that matches a name counts. A model that no rule matches does not exist. */
  readonly models: readonly ModelRule[]
  readonly routing: RoutingConfig
  readonly formats: FormatsConfig
  readonly delivery: 'incremental' | 'complete'
  readonly reasoning: { readonly foreign: 'drop' | 'text' }
  readonly responses: { readonly itemCache: ItemCacheConfig | null }
  readonly strictHistory: boolean
  readonly warnings: { readonly conversationBytes: number }
  readonly limits: Limits
  readonly timeouts: Timeouts
  readonly record: RecordConfig | null
  readonly inspector: InspectorConfig
  readonly log: LogConfig
  readonly metrics: boolean
  readonly proxies: ProxyConfig
  /** Values of `upstreams.*.body` that come from variables, which nobody is to be shown. */
  readonly hidden: readonly Secret[]
}

export interface ListenConfig {
  readonly host: string
  readonly port: number
  /** In lower case, without port. */
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** Addresses and networks, such as `10.0.0.0/8`. */
  readonly trustedProxies: readonly string[]
}

export interface ClientKey {
  readonly name: string
  /** 64 hexadecimal digits in lower case. */
  readonly sha256: string
  /** Whether it opens the inspector too. */
  readonly inspector?: boolean
  /**
   * The key itself, where the configuration has more than its digest. It is known so that it can be taken out of logs
   * and recordings.
   */
  readonly plain?: Secret
  /** Patterns of the names that it may ask for. Left out: every model. */
  readonly models?: readonly string[]
  readonly limits?: KeyLimits
  readonly budget?: Budget
}

/** What is left out is not limited. */
export interface KeyLimits {
  readonly requestsPerMinute?: number
  readonly tokensPerMinute?: number
  /** Requests under way at one time. */
  readonly concurrent?: number
}

export interface Budget {
  readonly usd: number
  readonly per: BudgetPeriod
}

/** Days and months are those of UTC. */
export type BudgetPeriod = 'day' | 'month'

/** How use is counted, and where. */
export interface AccountingConfig {
  /** The first pattern that matches counts. A model that none matches costs nothing. */
  readonly prices: readonly ModelPrice[]
  readonly store: StoreConfig
  /** What becomes of requests while the store cannot be asked: they are counted in memory, or refused. */
  readonly storeFailure: 'open' | 'closed'
}

/** What a million tokens cost, in US dollars. */
export interface ModelPrice {
  /** A name of the model as its upstream has it, in which `*` stands for any characters. */
  readonly match: string
  readonly input: number
  readonly cacheRead: number
  readonly output: number
}

/** `memory`: this process alone. */
export type StoreConfig = { readonly is: 'memory' } | { readonly is: 'redis'; readonly url: Secret }

export interface Upstream {
  readonly name: string
  /** Has no slash at its end, as the route of the dialect is appended. */
  readonly url: string
  readonly dialect: DialectId
  readonly apiKey: Secret | null
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, Secret>
  /** Fields that every request to this upstream gets. */
  readonly body: Readonly<Record<string, unknown>>
  /** The id of a server, or `auto` where its address tells or it is asked. */
  readonly kind: string
  /** Who reads the calls in what a model writes there. */
  readonly parse: 'auto' | 'server' | 'ours'
  /** The header in which it is told which conversation a request belongs to, in lower case. Left out: as its kind wants it. */
  readonly sessionHeader?: string
}

/** How a request finds its way where it may go to more than one upstream. */
export interface RoutingConfig {
  /** How many further upstreams a request may be tried on. */
  readonly retries: number
  /** How long after the first try another one may begin. */
  readonly retryWithin: number
  /** How many failures in a row take an upstream out. */
  readonly outAfter: number
  readonly outFor: number
  /** Which upstream of a pool is asked. */
  readonly balance: Balance
}

/** `affinity`: a conversation stays where its beginning is in the cache. */
export type Balance = 'affinity' | 'least-busy' | 'round-robin'

/** A rule is the first place that its requests may go to, and beside it all of them. */
export interface ModelRule extends RuleTarget {
  /** A name in which `*` stands for any characters. */
  readonly match: string
  /**
   * The pools that requests may go to, in the order in which they are tried. Null where there is only one upstream, so that
   * nothing has to be chosen.
   */
  readonly order: readonly (readonly RuleTarget[])[] | null
}

/** One upstream of a rule, and how the model is asked there. */
export interface RuleTarget {
  /** A key of `upstreams`, or `simulator`. */
  readonly upstream: string
  /** What the upstream calls the model, or null where it is asked for the name that the client used. */
  readonly model: string | null
  readonly format: FormatId | 'auto'
  /**
   * `prompt` writes tools into the prompt as text, in the format of the model, for upstreams without tool support.
   */
  readonly tools: 'native' | 'prompt'
  readonly startsInReasoning: boolean | null
  /** Tokens of prompt and answer together, or null where the upstream is to say it. */
  readonly window: number | null
  /** The longest answer in tokens. */
  readonly maxTokens: number | null
  /** What the user wants, whatever the client asks for. A number is a budget in tokens. */
  readonly thinking: ThinkingSetting
  readonly timeouts: UpstreamTimeouts
}

export interface FormatsConfig {
  /** The formats of models whose names do not show them, by exact name or by a pattern with `*`. */
  readonly overrides: Readonly<Record<string, FormatId>>
  readonly markers: Readonly<Partial<Record<FormatId, MarkerOverrides>>>
  readonly toolCallBytes: Readonly<Partial<Record<FormatId, number>>>
}

export interface Limits {
  readonly bodyBytes: number
  readonly bodiesBytes: number
  readonly toolCallBytes: number
  readonly overflow: 'error' | 'flush'
  readonly headerBytes: number
  readonly jsonDepth: number
  readonly jsonValues: number
  readonly tools: number
  readonly lineBytes: number
  readonly responseBytes: number
  readonly concurrent: number
  readonly authFailuresPerMinute: number
}

/** The time-outs that a model may have of its own. */
export interface UpstreamTimeouts {
  readonly connect: number
  readonly headers: number
  readonly idle: number
  readonly finishGrace: number
}

export interface Timeouts extends UpstreamTimeouts {
  readonly clientHeaders: number
  readonly clientBody: number
  readonly clientStall: number
  readonly keepAlive: number
  readonly drain: number
  readonly drainGrace: number
  readonly ping: number
}

/** How much of earlier answers is kept in memory. */
export interface ItemCacheConfig {
  readonly items: number
  readonly bytes: number
}

export interface RecordConfig {
  /** An absolute path. */
  readonly dir: string
  readonly maxBytes: number
  readonly maxAge: number
}

export interface InspectorConfig {
  /** Null where the address decides. */
  readonly enabled: boolean | null
  /** The bytes of exchanges that are kept in memory. */
  readonly memory: number
}

export interface LogConfig {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** An absolute path, or null for standard error. */
  readonly file: string | null
}
