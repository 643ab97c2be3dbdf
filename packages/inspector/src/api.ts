/**
 * What the page asks the gateway for. Every path is relative to the page, `/inspector/` on a gateway. All of it is read-only
 * but for `again`. A change that an older page could not read is a new version.
 */
export const api = {
  status: 'api/v1/status',
  /**
   * POST with `SessionRequest` as JSON: a cookie that no script can read lets the page in until it ends. 204, or 401 where the
   * key is none for the inspector. DELETE ends the session. Only where the page is behind a key: every other path then
   * answers 401 without the cookie.
   */
  session: 'api/v1/session',
  /** `cursor`: the `next` of the page before. `limit`: how many, at most 500. */
  exchanges: (cursor: string | null, limit: number): string =>
    `api/v1/exchanges?limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
  exchange: (id: string): string => `api/v1/exchanges/${encodeURIComponent(id)}`,
  /** `from`: the `next` of the piece before. */
  stage: (id: string, stage: StageId, from: number): string =>
    `api/v1/exchanges/${encodeURIComponent(id)}/${stage}?from=${from}`,
  /** The exchange as a recording, to be kept as a file. */
  recording: (id: string): string => `api/v1/exchanges/${encodeURIComponent(id)}/recording`,
  /** An event stream: `exchange` with an `ExchangeSummary` that is new or has changed, `gone` with `{ id }`. */
  changes: 'api/v1/changes',
  /** POST, with an empty body: sends the recorded request anew. Gives `AskedAgain`. */
  again: (id: string): string => `api/v1/exchanges/${encodeURIComponent(id)}/again`,
} as const

/** The four stages of an exchange, in the order in which they happen. */
export const stageIds = [
  'client-request',
  'upstream-request',
  'upstream-response',
  'client-response',
] as const

export type StageId = (typeof stageIds)[number]

export interface SessionRequest {
  readonly key: string
}

export interface Status {
  /** Of the program. */
  readonly version: string
  /** Which process answers, where there are several: each knows its own exchanges. Null where there is one. */
  readonly instance: string | null
  /** Where exchanges come from: those under way and just ended, or a folder or file of recordings. */
  readonly shows: 'live' | 'live-and-recordings' | 'recordings'
  /** Whether `again` may be asked for. */
  readonly mayAskAgain: boolean
  /** What may be sent to try the gateway, for whoever has sent nothing yet. */
  readonly examples: readonly ExampleRequest[]
}

export interface ExampleRequest {
  /** What will be seen. */
  readonly title: string
  readonly path: string
  /** With `$DRAGOMAN_API_KEY` in the place of a key, where one is needed. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Newest first. `next` is null on the last page. */
export interface ExchangePage {
  readonly exchanges: readonly ExchangeSummary[]
  readonly next: string | null
}

/** One line of the list. What is not known, or not yet, is null. */
export interface ExchangeSummary {
  readonly id: string
  /** When the request came, in ISO 8601. */
  readonly time: string
  readonly state: 'running' | 'ended' | 'failed'
  /** The name of the client and its version, from its user agent. */
  readonly client: string | null
  readonly clientDialect: string
  /** As the client named it. */
  readonly model: string
  readonly upstream: string | null
  readonly upstreamModel: string | null
  readonly format: string | null
  /** How the format is known: told by the configuration, by the name of the model, or by what it wrote. */
  readonly formatFrom: 'configuration' | 'model' | 'stream' | null
  readonly status: number | null
  readonly finish: string | null
  /** Milliseconds from the request on. */
  readonly firstByteMs: number | null
  readonly durationMs: number | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly calls: number
  readonly problems: number
  readonly repairs: number
  readonly notes: number
  /** Why there is no answer, or only a part of one. */
  readonly failure: string | null
}

/** One exchange without the texts of its stages, which are asked for one by one. */
export interface ExchangeDetails {
  readonly summary: ExchangeSummary
  /** `outline`: it came in a flood that nobody looked at. Its stages are empty, and it has no recording. */
  readonly keeps: 'everything' | 'outline'
  readonly client: ClientDetails
  /** Null where the request was refused before any upstream was asked. */
  readonly upstream: UpstreamDetails | null
  /** What was dropped or changed on the way to the upstream. */
  readonly notes: readonly NoteDetails[]
  /** What was said of the answer, in order; also of what came structured. */
  readonly told: readonly ToldDetails[]
}

export interface ClientDetails {
  readonly dialect: string
  readonly method: string
  readonly path: string
  /** What a request of the dialect needs, with `$DRAGOMAN_API_KEY` in the place of a key. */
  readonly headers: Readonly<Record<string, string>>
}

export interface UpstreamDetails {
  readonly name: string
  readonly dialect: string
  readonly method: string
  /** Without keys. */
  readonly url: string
  readonly model: string
  readonly status: number | null
  readonly contentType: string
  readonly fault: string | null
  /** How its answer was read: the options of the parser but for the tools. */
  readonly reading: ReadingDetails
}

export interface ReadingDetails {
  readonly format?: string
  readonly model?: string
  readonly promptOpensReasoning?: boolean
  readonly delivery?: 'incremental' | 'complete'
  readonly calls?: 'read' | 'remove'
}

/** `field` is where in the client's request: `thinking`, `messages[3].content[1]`. */
export interface NoteDetails {
  readonly kind: 'dropped' | 'changed'
  readonly field: string
  readonly reason: string
}

export interface ToldDetails {
  readonly kind: 'problem' | 'repair'
  readonly code: string
  readonly message: string
}

/** A part of a stage, at most about a megabyte. `next` is null where it ends, or has got to so far. */
export interface StagePart {
  readonly chunks: readonly StageChunk[]
  readonly next: number | null
}

/** `at`: milliseconds from the request on, or null where nobody wrote it down. Secrets are taken out of the text. */
export interface StageChunk {
  readonly at: number | null
  readonly text: string
}

export interface AskedAgain {
  /** Of the new exchange. */
  readonly id: string
}
