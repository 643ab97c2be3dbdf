/**
 * What the page is given, as `packages/inspector/src/api.ts` has it. The page is built for browsers by itself, so that each
 * side states the types; a test compares them.
 */
export const stageIds = [
  'client-request',
  'upstream-request',
  'upstream-response',
  'client-response',
] as const

export type StageId = (typeof stageIds)[number]

export interface Status {
  readonly version: string
  /** Which process answers, where there are several. */
  readonly instance: string | null
  readonly shows: 'live' | 'live-and-recordings' | 'recordings'
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
  readonly time: string
  readonly state: 'running' | 'ended' | 'failed'
  readonly client: string | null
  readonly clientDialect: string
  readonly model: string
  readonly upstream: string | null
  readonly upstreamModel: string | null
  readonly format: string | null
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
  readonly failure: string | null
}

export interface ExchangeDetails {
  readonly summary: ExchangeSummary
  /** `outline`: it came in a flood that nobody looked at. Its stages are empty, and it has no recording. */
  readonly keeps: 'everything' | 'outline'
  readonly client: ClientDetails
  readonly upstream: UpstreamDetails | null
  readonly notes: readonly NoteDetails[]
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
  readonly reading: ReadingDetails
}

export interface ReadingDetails {
  readonly format?: string
  readonly model?: string
  readonly promptOpensReasoning?: boolean
  readonly delivery?: 'incremental' | 'complete'
  readonly calls?: 'read' | 'remove'
}

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

export interface StageChunk {
  readonly at: number | null
  readonly text: string
}

export interface AskedAgain {
  readonly id: string
}
