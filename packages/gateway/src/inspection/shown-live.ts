import { redactedExchange } from '../recorder/exchange-recording.ts'
import type { Redactor } from '../security/redact.ts'
import { addressOf } from './address.ts'
import type {
  ExchangeDetails,
  ExchangeSummary,
  NoteDetails,
  StageId,
  StagePart,
  UpstreamDetails,
} from './api-types.ts'
import { clientDetails } from './client-details.ts'
import { clientName } from './client-name.ts'
import type { RepeatableRequest, ShownExchange } from './exchange-source.ts'
import type { KeptUpstream, LiveExchange } from './live-exchange.ts'
import { type KeptChunks, stagePart } from './stage-part.ts'

/** An exchange of the memory as it is shown. */
export class ShownLive implements ShownExchange {
  private readonly exchange: LiveExchange
  private readonly redact: Redactor

  constructor(exchange: LiveExchange, redact: Redactor) {
    this.exchange = exchange
    this.redact = redact
  }

  summary(): ExchangeSummary {
    return withoutSecrets(summaryOf(this.exchange), this.redact)
  }

  details(): ExchangeDetails {
    const { exchange } = this
    const { dialect, asked } = exchange.about
    const details = {
      summary: summaryOf(exchange),
      keeps: exchange.keeps,
      client: clientDetails(dialect, addressOf(asked)),
      upstream: exchange.upstream === null ? null : upstreamOf(exchange.upstream),
      notes: eachOnce(exchange.notes),
      told: [...exchange.told],
    }
    return withoutSecrets(details, this.redact)
  }

  stage(stage: StageId, from: number): Promise<StagePart> {
    return Promise.resolve(stagePart(chunksOf(this.exchange, stage), from, this.redact))
  }

  async *recording(): AsyncIterable<string> {
    const { about, time, request, status, got, upstream, asked, said } = this.exchange
    const recorded = redactedExchange(
      {
        about,
        time,
        request,
        status,
        response: got.chunks,
        upstream: upstream && {
          name: upstream.name,
          dialect: upstream.dialect,
          model: upstream.model,
          format: upstream.format,
          reading: upstream.reading,
          request: asked.chunks[0] ?? '',
          status: upstream.status,
          contentType: upstream.contentType,
          fault: upstream.fault,
        },
        upstreamResponse: said.chunks,
      },
      this.redact,
    )
    yield await Promise.resolve(`${JSON.stringify(recorded, null, 2)}\n`)
  }

  request(most: number): Promise<RepeatableRequest | undefined> {
    const { about, request } = this.exchange
    const isWhole = request.length > 0 && request.length <= most
    const body = typeof request === 'string' ? request : Buffer.from(request)
    return Promise.resolve(isWhole ? { path: addressOf(about.asked), body } : undefined)
  }
}

function summaryOf(exchange: LiveExchange): ExchangeSummary {
  const { about, time, model, upstream, status, usage, told, failure, written } = exchange
  return {
    id: about.requestId,
    time,
    state: stateOf(exchange),
    client: clientName(about.userAgent),
    clientDialect: about.dialect,
    model,
    upstream: upstream?.name ?? null,
    upstreamModel: upstream?.model ?? null,
    format: written ?? upstream?.format ?? null,
    formatFrom: written === null ? sourceOf(upstream) : 'stream',
    status,
    finish: exchange.finish,
    firstByteMs: rounded(exchange.firstByteMs),
    durationMs: rounded(exchange.durationMs),
    inputTokens: usage && usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    outputTokens: usage?.outputTokens ?? null,
    calls: exchange.calls,
    problems: told.filter(({ kind }) => kind === 'problem').length,
    repairs: told.filter(({ kind }) => kind === 'repair').length,
    notes: eachOnce(exchange.notes).length,
    failure,
  }
}

function stateOf({ state, failure, status }: LiveExchange): ExchangeSummary['state'] {
  if (state === 'running') return 'running'
  return failure !== null || (status ?? 500) >= 400 ? 'failed' : 'ended'
}

function sourceOf(upstream: KeptUpstream | null): ExchangeSummary['formatFrom'] {
  const from = upstream?.formatFrom
  if (from === 'configuration') return 'configuration'
  return from === 'model name' ? 'model' : null
}

function upstreamOf({ reading, ...upstream }: KeptUpstream): UpstreamDetails {
  const { format, model, promptOpensReasoning, delivery, calls } = reading
  return {
    name: upstream.name,
    dialect: upstream.dialect,
    method: 'POST',
    url: new URL(upstream.path, upstream.url).href,
    model: upstream.model,
    status: upstream.status,
    contentType: upstream.contentType,
    fault: upstream.fault,
    reading: {
      ...(format !== undefined && { format }),
      ...(model !== undefined && { model }),
      ...(promptOpensReasoning !== undefined && { promptOpensReasoning }),
      ...(delivery !== undefined && { delivery }),
      ...(calls !== undefined && { calls }),
    },
  }
}

function chunksOf(exchange: LiveExchange, stage: StageId): KeptChunks {
  const { request, requestAt } = exchange
  switch (stage) {
    case 'client-request':
      return request.length === 0 ? nothing : { chunks: [request], times: [requestAt] }
    case 'upstream-request':
      return exchange.asked
    case 'upstream-response':
      return exchange.said
    case 'client-response':
      return exchange.got
  }
}

const nothing: KeptChunks = { chunks: [], times: [] }

/** An upstream that is asked again is mostly asked with the same changes. */
function eachOnce(notes: readonly NoteDetails[]): readonly NoteDetails[] {
  return [...new Map(notes.map((note) => [`${note.kind} ${note.field} ${note.reason}`, note])).values()]
}

function rounded(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms)
}

/** Any text of it may quote an upstream, which may repeat the key that it got. */
function withoutSecrets<T extends object>(value: T, redact: Redactor): T {
  const text = JSON.stringify(value)
  const clean = redact(text)
  return clean === text ? value : JSON.parse(clean)
}
