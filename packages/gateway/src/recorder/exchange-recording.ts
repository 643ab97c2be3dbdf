import type { AskedAt, DialectId } from '@dragoman/core'
import type { Redactor } from '../security/redact.ts'
import type { Plan } from '../exchange/plan.ts'
import { isAskedByAddress, type RecordedExchange, type RecordedUpstream } from './recording.ts'

/** Which request is recorded. */
export interface RecordedRequest {
  readonly requestId: string
  readonly dialect: DialectId
  readonly asked: AskedAt
}

/** A recording of an exchange that is still running. None of its methods wait for anything. */
export interface OpenRecording {
  clientRequest(text: string): void
  upstreamRequest(plan: Plan): void
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

type UpstreamNotes = Omit<RecordedUpstream, 'response'>

/** The stages of one exchange in memory, until they are written or no room is left for them. */
export class ExchangeRecording implements OpenRecording {
  private readonly about: RecordedRequest
  private readonly room: RecordingRoom
  private state: 'open' | 'ended' | 'gone' = 'open'
  private held = 0
  private request = ''
  private status: number | null = null
  private upstream: UpstreamNotes | null = null
  private upstreamChunks: Buffer[] = []
  private clientChunks: Buffer[] = []

  constructor(about: RecordedRequest, room: RecordingRoom) {
    this.about = about
    this.room = room
  }

  clientRequest(text: string): void {
    if (this.hold(text.length)) this.request = text
  }

  /** Of an upstream that is asked again, the last request and its answer are recorded. */
  upstreamRequest({ upstream, upstreamDialect, route, format, parser, body }: Plan): void {
    if (!this.hold(body.length)) return
    this.upstreamChunks = []
    const { tools: _tools, ...reading } = parser
    this.upstream = {
      name: upstream.name,
      dialect: upstreamDialect,
      model: route.model,
      format,
      reading,
      request: body.toString(),
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

  /** Each stage is redacted as one text, as a secret may span two chunks. */
  redacted(redact: Redactor): RecordedExchange {
    const { upstream } = this
    const { requestId, dialect, asked } = this.about
    return {
      dragomanRecording: 1,
      requestId,
      time: new Date(this.room.startedAt).toISOString(),
      client: {
        dialect,
        ...(isAskedByAddress(dialect) && { asked: redactedAddress(asked, redact) }),
        request: redact(this.request),
        status: this.status,
        response: redact(Buffer.concat(this.clientChunks).toString('utf8')),
      },
      upstream: upstream && {
        ...upstream,
        model: redact(upstream.model),
        reading: redactedReading(upstream.reading, redact),
        contentType: redact(upstream.contentType),
        request: redact(upstream.request),
        response: redact(Buffer.concat(this.upstreamChunks).toString('utf8')),
      },
    }
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

function redactedAddress({ path, query }: AskedAt, redact: Redactor): AskedAt {
  const parameters = Object.entries(query).map(([name, value]) => [name, redact(value)])
  return { path: redact(path), query: Object.fromEntries(parameters) }
}

function redactedReading(reading: UpstreamNotes['reading'], redact: Redactor): UpstreamNotes['reading'] {
  return reading.model === undefined ? reading : { ...reading, model: redact(reading.model) }
}
