import {
  anthropicErrorResponse,
  chatErrorResponse,
  type ConversationRequest,
  decodeAnthropicRequest,
  decodeChatRequest,
  type Failure,
  failureFromResponse,
  type FormatId,
  type MintId,
  mintToolId,
  requestDialects,
  shortToolNames,
} from '@dragoman/core'
import type { AnswerWatcher } from '../exchange/answer-watch.ts'
import { estimateTokens } from '../exchange/estimate-tokens.ts'
import { expectedCalls } from '../exchange/expected-calls.ts'
import { createStreamPipeline, createWholePipeline, type PipelineOptions } from '../exchange/pipeline.ts'
import type { Dialect } from '../base/dialect.ts'
import { failureOf } from '../upstream/upstream-failures.ts'
import type { RecordedExchange, RecordedUpstream } from './recording.ts'

export interface ReplaySettings {
  /** The dialect of the client. By default it is the recorded one. */
  readonly to?: Dialect
  /** How the answer is read. By default it is read as it was then. */
  readonly format?: FormatId | 'auto'
  readonly watcher: AnswerWatcher
}

export interface ReplayedAnswer {
  readonly status: number
  readonly body: string
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
  const dialect = settings.to ?? recording.client.dialect
  const texts: string[] = []
  let status = 200
  const failed = (failure: Failure): void => {
    const answer =
      dialect === 'anthropic-messages'
        ? anthropicErrorResponse(failure, recording.requestId)
        : chatErrorResponse(failure)
    status = answer.status
    texts.push(JSON.stringify(answer.body))
  }
  if (upstream.status !== null && upstream.status >= 300) {
    failed(failureFromResponse({ status: upstream.status, body: upstream.response }))
  } else {
    const request = requestIn(recording)
    const options = pipelineOptions(recording, upstream, request, { ...settings, to: dialect })
    const source = upstream.contentType.toLowerCase().includes('text/event-stream') ? 'sse' : 'json'
    const output = { ...options, failed, write: take(texts), whole: take(texts) }
    const open = request.stream ? createStreamPipeline : createWholePipeline
    const pipeline = open(output, source)
    pipeline.push(Buffer.from(upstream.response))
    const fault = faultsOfUpstream.find((code) => code === upstream.fault)
    if (fault === undefined) pipeline.end()
    else pipeline.fail(failureOf({ code: fault }))
  }
  return { status, body: texts.join('') }
}

/**
 * Faults in the middle of an answer. `aborted` is not one of them: there the client or the gateway had ended the
 * call.
 */
const faultsOfUpstream = ['cut', 'idle-timeout'] as const

/** The request of the client, with its tools. */
export function requestIn({ client }: RecordedExchange): ConversationRequest {
  const body: unknown = JSON.parse(client.request)
  const decoded =
    client.dialect === 'anthropic-messages' ? decodeAnthropicRequest(body) : decodeChatRequest(body)
  if ('error' in decoded) throw new Error(`${decoded.error.field}: ${decoded.error.message}`)
  return decoded.request
}

/** Makes ids by counting, so that they are the same each time. */
export function countingMint(dialect: Dialect): MintId {
  let ids = 0
  return (format, taken) =>
    mintToolId({ dialect, format, taken, newId: () => String(ids++).padStart(4, '0') })
}

function take(texts: string[]): (text: string) => void {
  return (text) => {
    texts.push(text)
  }
}

function pipelineOptions(
  { client, time }: RecordedExchange,
  upstream: RecordedUpstream,
  request: ConversationRequest,
  { to, format, watcher }: ReplaySettings & { readonly to: Dialect },
): Omit<PipelineOptions, 'failed' | 'write' | 'whole'> {
  const calls = request.contents.flatMap(({ blocks }) => blocks.filter((block) => block.type === 'tool_call'))
  const toolNames = shortToolNames(request.tools, requestDialects[upstream.dialect].longestToolName)
  return {
    plan: {
      upstreamDialect: upstream.dialect,
      format: format === undefined || format === 'auto' ? upstream.format : format,
      parser: {
        ...upstream.reading,
        ...expectedCalls(request, toolNames),
        ...(format === undefined ? {} : { format }),
      },
      toolNames,
      route: { model: upstream.model },
    },
    clientDialect: to,
    clientModel: request.model,
    newAnswerId: () => (to === 'anthropic-messages' ? 'msg_0000' : 'chatcmpl-0000'),
    created: Math.floor(Date.parse(time) / 1000),
    includeUsage: request.wantsUsage === true || client.dialect !== 'openai-chat',
    inputTokens: () => estimateTokens(request),
    mint: countingMint(to),
    conversationIds: new Set(calls.map(({ id }) => id)),
    maxEventBytes: 8_388_608,
    watcher,
    redact: (text) => text,
    streamed: () => {},
  }
}
