import {
  type AnswerWatcher,
  type ConversationRequest,
  type DialectId,
  dialects,
  type Failure,
  failureFromResponse,
  type FormatId,
  type MintId,
  mintToolId,
  shortToolNames,
} from '@dragoman/core'
import { parseBody } from '../base/json-body.ts'
import { parsedCalls } from '../exchange/expected-calls.ts'
import { type AnswerReading, openTranslation } from '../exchange/translation.ts'
import { failureOf } from '../upstream/upstream-failures.ts'
import type { RecordedExchange, RecordedUpstream } from './recording.ts'

export interface ReplaySettings {
  /** The dialect of the client. By default it is the recorded one. */
  readonly to?: DialectId
  /** How the answer is read. By default it is read as it was then. */
  readonly format?: FormatId | 'auto'
  readonly watcher: AnswerWatcher
}

export interface ReplayedAnswer {
  readonly status: number
  readonly body: string
  /** Why the answer is no whole one, or null. */
  readonly failure: Failure | null
}

/**
 * Makes the answer that the client of a recorded exchange would get today. The same recording always gives the same
 * answer.
 */
export function replayExchange(
  recording: RecordedExchange,
  upstream: RecordedUpstream,
  settings: ReplaySettings,
): ReplayedAnswer {
  const { errors } = dialects[settings.to ?? recording.client.dialect]
  const refused = (failure: Failure): ReplayedAnswer => {
    const body = JSON.stringify(errors.body(failure, recording.requestId))
    return { status: errors.status(failure), body, failure }
  }
  if (upstream.status !== null && upstream.status >= 300) {
    return refused(failureFromResponse({ status: upstream.status, body: upstream.response }))
  }
  const delivered = upstream.contentType.toLowerCase().includes('text/event-stream') ? 'stream' : 'whole'
  const translation = openTranslation(readingFor(recording, upstream, settings), delivered)
  const fault = faultsOfUpstream.find((code) => code === upstream.fault)
  const body =
    translation.push(upstream.response) +
    translation.end(fault === undefined ? undefined : failureOf({ code: fault }))
  const { failure, isStarted } = translation
  if (failure !== null && !isStarted) return refused(failure)
  return { status: 200, body: framed(body, recording, settings), failure }
}

/** The stream in the frame in which its client asked for it. */
function framed(body: string, recording: RecordedExchange, { to }: ReplaySettings): string {
  const { dialect, asked } = recording.client
  if (asked === undefined || (to ?? dialect) !== dialect || !requestIn(recording).stream) return body
  const framing = dialects[dialect].http.framing?.(asked) ?? null
  return framing === null ? body : framing.write(body) + framing.end()
}

/**
 * Faults in the middle of an answer. `aborted` is not one of them: there the client or the gateway had ended the
 * call.
 */
const faultsOfUpstream = ['cut', 'idle-timeout'] as const

/** The request of the client, with its tools. */
export function requestIn({ client }: RecordedExchange): ConversationRequest {
  const body: unknown = JSON.parse(client.request)
  const decoded = dialects[client.dialect].request.decode(body, client.asked)
  if ('error' in decoded) throw new Error(`${decoded.error.field}: ${decoded.error.message}`)
  return decoded.request
}

/** The id of an answer, behind the prefix of its dialect. */
export const replayedId = '0000'

/** Makes ids by counting, so that they are the same each time. */
export function countingMint(dialect: DialectId): MintId {
  let ids = 0
  return (format, taken) =>
    mintToolId({ dialect, format, taken, newId: () => String(ids++).padStart(4, '0') })
}

/** How many tokens the upstream was allowed, as far as its request is in the recording. */
function maxTokensIn({ dialect, request }: RecordedUpstream): number | undefined {
  const body = parseBody(request, { depth: DEEPEST, values: Infinity })
  const isBody = body.is === 'json' && isFields(body.value)
  return isBody ? dialects[dialect].request.maxTokensIn(body.value) : undefined
}

/** No request that was sent nests deeper. */
const DEEPEST = 1000

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readingFor(
  recording: RecordedExchange,
  upstream: RecordedUpstream,
  { to = recording.client.dialect, format, watcher }: ReplaySettings,
): AnswerReading {
  const request = requestIn(recording)
  const toolNames = shortToolNames(request.tools, dialects[upstream.dialect].request.longestToolName)
  return {
    plan: {
      upstreamDialect: upstream.dialect,
      format: format === undefined || format === 'auto' ? upstream.format : format,
      parser: {
        ...upstream.reading,
        ...parsedCalls(request, toolNames),
        ...(format === undefined ? {} : { format }),
      },
      toolNames,
      maxTokens: maxTokensIn(upstream),
      route: { model: upstream.model },
      ...(upstream.clientModel !== undefined && { clientModel: upstream.clientModel }),
    },
    request,
    clientDialect: to,
    askedIn: recording.client.dialect,
    newId: () => replayedId,
    created: Math.floor(Date.parse(recording.time) / 1000),
    mint: countingMint(to),
    maxEventBytes: 8_388_608,
    watcher,
  }
}
