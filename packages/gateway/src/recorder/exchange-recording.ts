import type { AskedAt, DialectId } from '@dragoman/core'
import type { Redactor } from '../security/redact.ts'
import type { WrittenPlan } from '../exchange/written-plan.ts'
import { isAskedByAddress, type RecordedExchange, type RecordedUpstream } from './recording.ts'

/** Which request is recorded. */
export interface RecordedRequest {
  readonly requestId: string
  readonly dialect: DialectId
  readonly asked: AskedAt
}

/** A recording of an exchange that is still running. None of its methods wait for anything. */
export interface OpenRecording {
  clientRequest(body: string | Uint8Array): void
  upstreamRequest(plan: WrittenPlan): void
  upstreamAnswer(status: number, contentType: string): void
  upstreamChunk(chunk: Buffer): void
  upstreamFault(code: string): void
  clientChunk(chunk: string | Uint8Array): void
  /** The exchange has ended, well or badly. */
  end(status: number | null): void
}

export interface RecordingRoom {
  readonly startedAt: number
  /** Reserves room for this many bytes; false where there is none. */
  readonly reserve: (bytes: number) => boolean
  readonly release: (bytes: number) => void
  readonly onDrop: () => void
  readonly onEnd: (recording: ExchangeRecording) => void
}

interface UpstreamNotes extends Omit<RecordedUpstream, 'request' | 'response'> {
  readonly request: string | Uint8Array
}

/** The stages of an exchange as they lie in memory. */
export interface KeptExchange {
  readonly about: RecordedRequest
  readonly time: string
  readonly request: string | Uint8Array
  readonly status: number | null
  readonly response: readonly (string | Uint8Array)[]
  readonly upstream: UpstreamNotes | null
  readonly upstreamResponse: readonly (string | Uint8Array)[]
}

/** The recording of an exchange. Each stage is redacted as one text, as a secret may span two chunks. */
export function redactedExchange(kept: KeptExchange, redact: Redactor): RecordedExchange {
  const { about, time, request, status, response, upstream, upstreamResponse } = kept
  const { requestId, dialect, asked } = about
  return {
    dragomanRecording: 1,
    requestId,
    time,
    client: {
      dialect,
      ...(isAskedByAddress(dialect) && { asked: redactedAddress(asked, redact) }),
      request: redact(textOf([request])),
      status,
      response: redact(textOf(response)),
    },
    upstream: upstream && {
      ...upstream,
      model: redact(upstream.model),
      ...(upstream.clientModel !== undefined && { clientModel: redact(upstream.clientModel) }),
      reading: redactedReading(upstream.reading, redact),
      contentType: redact(upstream.contentType),
      request: redact(textOf([upstream.request])),
      response: redact(textOf(upstreamResponse)),
    },
  }
}

/** The stages of one exchange in memory, until they are written or no room is left for them. */
export class ExchangeRecording implements OpenRecording {
  private readonly about: RecordedRequest
  private readonly room: RecordingRoom
  private state: 'open' | 'ended' | 'gone' = 'open'
  private held = 0
  private request: string | Uint8Array = ''
  private status: number | null = null
  private upstream: UpstreamNotes | null = null
  private upstreamChunks: Buffer[] = []
  private clientChunks: Uint8Array[] = []

  constructor(about: RecordedRequest, room: RecordingRoom) {
    this.about = about
    this.room = room
  }

  clientRequest(body: string | Uint8Array): void {
    if (this.hold(body.length)) this.request = body
  }

  /** Of an upstream that is asked again, the last request and its answer are recorded. */
  upstreamRequest({
    upstream,
    upstreamDialect,
    route,
    format,
    parser,
    body,
    clientModel,
  }: WrittenPlan): void {
    if (!this.hold(body.length)) return
    this.upstreamChunks = []
    const { tools: _tools, ...reading } = parser
    this.upstream = {
      name: upstream.name,
      dialect: upstreamDialect,
      model: route.model,
      ...(clientModel === undefined ? {} : { clientModel }),
      format,
      reading,
      request: body,
      status: null,
      contentType: '',
      fault: null,
    }
  }

  upstreamAnswer(status: number, contentType: string): void {
    if (this.upstream !== null) this.upstream = { ...this.upstream, status, contentType }
  }

  upstreamChunk(chunk: Buffer): void {
    if (this.hold(chunk.length)) this.upstreamChunks.push(chunk)
  }

  upstreamFault(code: string): void {
    if (this.upstream !== null) this.upstream = { ...this.upstream, fault: code }
  }

  clientChunk(chunk: string | Uint8Array): void {
    const bytes = Buffer.from(chunk)
    if (this.hold(bytes.length)) this.clientChunks.push(bytes)
  }

  end(status: number | null): void {
    if (this.state !== 'open') return
    this.state = 'ended'
    this.status = status
    this.room.onEnd(this)
  }

  /** Gives up what is held, and reports the loss. */
  drop(): void {
    if (this.state === 'gone') return
    this.forget()
    this.room.onDrop()
  }

  forget(): void {
    this.state = 'gone'
    this.room.release(this.held)
    this.held = 0
    this.request = ''
    this.upstream = null
    this.upstreamChunks = []
    this.clientChunks = []
  }

  redacted(redact: Redactor): RecordedExchange {
    const { about, request, status, upstream } = this
    const time = new Date(this.room.startedAt).toISOString()
    const answers = { response: this.clientChunks, upstreamResponse: this.upstreamChunks }
    return redactedExchange({ about, time, request, status, upstream, ...answers }, redact)
  }

  private hold(bytes: number): boolean {
    if (this.state !== 'open') return false
    if (!this.room.reserve(bytes)) {
      this.drop()
      return false
    }
    this.held += bytes
    return true
  }
}

/** A character may lie across two chunks. */
function textOf(chunks: readonly (string | Uint8Array)[]): string {
  const [only] = chunks
  if (chunks.length === 1 && typeof only === 'string') return only
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))).toString('utf8')
}

function redactedAddress({ path, query }: AskedAt, redact: Redactor): AskedAt {
  const parameters = Object.entries(query).map(([name, value]) => [name, redact(value)])
  return { path: redact(path), query: Object.fromEntries(parameters) }
}

function redactedReading(reading: UpstreamNotes['reading'], redact: Redactor): UpstreamNotes['reading'] {
  return reading.model === undefined ? reading : { ...reading, model: redact(reading.model) }
}
