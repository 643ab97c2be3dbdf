import type { AskedAt, DialectId, Failure, FinishReason, FormatId, RequestNote, Usage } from '@dragoman/core'
import type { WrittenPlan } from '../exchange/written-plan.ts'
import { type BlockPool, ChunkLog, type KeptStage } from './chunk-log.ts'
import type { KeptChunks } from './stage-part.ts'
import type { NoteDetails, ToldDetails } from './api-types.ts'

export interface LiveRequest {
  readonly requestId: string
  readonly dialect: DialectId
  readonly asked: AskedAt
  readonly userAgent: string | undefined
}

/** What an exchange needs of the memory that it is kept in. */
export interface ExchangeMemory {
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number
  readonly blocks: BlockPool
  /** Counts bytes of an exchange. It may forget exchanges for that, this one too. */
  readonly hold: (exchange: LiveExchange, bytes: number) => void
  readonly changed: (exchange: LiveExchange) => void
  readonly ended: (exchange: LiveExchange) => void
}

/** How the upstream was asked the last time. */
export interface KeptUpstream {
  readonly name: string
  readonly dialect: DialectId
  readonly url: string
  readonly path: string
  readonly model: string
  readonly format: WrittenPlan['format']
  readonly formatFrom: WrittenPlan['formatFrom']
  /** Without the tools, which may be large, and without who is told of parsers. */
  readonly reading: WrittenPlan['parser']
  /** What it was asked, where that came as bytes; null where the text is among the chunks. */
  readonly body: Uint8Array | null
  readonly at: number
  status: number | null
  contentType: string
  fault: string | null
}

/** About what an exchange and a note take beside their texts. */
const EXCHANGE_BYTES = 2048
const NOTE_BYTES = 128

/** A text in memory has up to two bytes a character. */
const CHARACTER_BYTES = 2

/**
 * One exchange in memory, told of everything as it happens. Nothing is parsed or put together: what is shown of it is made
 * when somebody looks.
 */
export class LiveExchange {
  readonly about: LiveRequest
  /** `outline`: what was said and asked is not kept, only what became of it. */
  readonly keeps: 'everything' | 'outline'
  /** When it began, by the wall clock, in milliseconds. */
  readonly began: number
  held = 0
  /** What an exchange holds counts once it is listed. */
  isListed = false
  state: 'running' | 'over' | 'forgotten' = 'running'
  request: string | Uint8Array = ''
  requestAt = 0
  model = ''
  upstream: KeptUpstream | null = null
  readonly notes: NoteDetails[] = []
  readonly told: ToldDetails[] = []
  calls = 0
  written: FormatId | null = null
  status: number | null = null
  finish: FinishReason | null = null
  usage: Usage | null = null
  failure: string | null = null
  firstByteMs: number | null = null
  durationMs: number | null = null
  private readonly memory: ExchangeMemory
  private readonly startedAt: number
  private readonly chunks: ChunkLog | null

  /** `startedAt`: the same moment as `began`, by the clock that never goes back. */
  constructor(
    about: LiveRequest,
    keeps: LiveExchange['keeps'],
    { began, startedAt }: { readonly began: number; readonly startedAt: number },
    memory: ExchangeMemory,
  ) {
    this.about = about
    this.keeps = keeps
    this.began = began
    this.memory = memory
    this.chunks = keeps === 'everything' ? new ChunkLog(memory.blocks) : null
    this.startedAt = startedAt
  }

  get time(): string {
    return new Date(this.began).toISOString()
  }

  /** Whether something went wrong in it, or had to be put right. */
  get hasFaults(): boolean {
    return this.failure !== null || this.told.length > 0
  }

  /** What the upstream was asked. */
  get asked(): KeptChunks {
    const { upstream } = this
    if (upstream === null || upstream.body === null) return this.chunksOf('asked')
    return { chunks: [upstream.body], times: [upstream.at] }
  }

  /** What the upstream said. */
  get said(): KeptChunks {
    return this.chunksOf('said')
  }

  /** What the client got. */
  get got(): KeptChunks {
    return this.chunksOf('got')
  }

  /** To be called once, when the exchange is listed. */
  begin(): void {
    this.memory.hold(this, EXCHANGE_BYTES)
    this.memory.changed(this)
  }

  clientRequest(body: string | Uint8Array): void {
    if (this.chunks === null || this.state === 'forgotten') return
    this.request = typeof body === 'string' ? body : standingAlone(body)
    this.requestAt = this.elapsed()
    this.memory.hold(this, sizeOf(body))
  }

  asksFor(model: string): void {
    this.model = model
    this.memory.changed(this)
  }

  /** Of an upstream that is asked again, the last request and its answer are kept. */
  upstreamRequest(plan: WrittenPlan): void {
    if (this.state === 'forgotten') return
    if (this.chunks === null) {
      this.upstream = keptUpstream(plan, null, 0)
    } else {
      const { body } = plan
      const before = this.upstream === null ? 0 : sizeOfBody(this.upstream.body, this.request)
      this.chunks.beginAnew()
      const bytes = typeof body === 'string' ? null : this.keptOnce(body)
      this.upstream = keptUpstream(plan, bytes, this.elapsed())
      this.memory.hold(this, sizeOfBody(bytes, this.request) - before)
      // A text that lives on would be moved by the next collections of garbage, and may be as long as a conversation.
      if (typeof body === 'string') this.add('asked', body)
    }
    this.memory.changed(this)
  }

  upstreamAnswer(status: number, contentType: string): void {
    if (this.upstream === null) return
    this.upstream.status = status
    this.upstream.contentType = contentType
  }

  upstreamChunk(chunk: Uint8Array): void {
    this.add('said', chunk)
  }

  upstreamFault(code: string): void {
    if (this.upstream !== null) this.upstream.fault = code
  }

  clientChunk(chunk: string): void {
    if (chunk !== '') this.add('got', chunk)
  }

  changedRequest(notes: readonly RequestNote[]): void {
    for (const { kind, field, reason } of notes) this.note({ kind, field, reason })
  }

  /** The upstream refused, and something was done about it. */
  secondThought(reason: string): void {
    this.note({ kind: 'changed', field: 'request', reason })
  }

  tell(kind: ToldDetails['kind'], code: string, message: string): void {
    if (this.state === 'forgotten') return
    this.told.push({ kind, code, message })
    this.memory.hold(this, message.length * CHARACTER_BYTES + NOTE_BYTES)
    this.memory.changed(this)
  }

  firstByte(): void {
    if (this.firstByteMs !== null) return
    this.firstByteMs = this.elapsed()
    this.memory.changed(this)
  }

  failed({ code, message }: Failure): void {
    this.failure ??= `${code}: ${message}`
  }

  clientLeft(): void {
    this.failure ??= 'The client left before the end of its answer.'
  }

  /** `calls`: how many of them are whole. Until then all that have begun are counted. */
  end(status: number | null, calls: number): void {
    this.status = status
    this.calls = calls
    this.durationMs = this.elapsed()
    if (this.state === 'forgotten') return
    this.state = 'over'
    this.memory.changed(this)
    this.memory.ended(this)
  }

  /** Gives up all that takes room. */
  forget(): void {
    this.state = 'forgotten'
    this.request = ''
    this.upstream = null
    this.chunks?.giveBack()
    this.notes.length = 0
    this.told.length = 0
  }

  private chunksOf(stage: KeptStage): KeptChunks {
    return this.chunks?.chunksOf(stage) ?? { chunks: [], times: [] }
  }

  /** A request that did not have to change is in memory once. */
  private keptOnce(body: Buffer): Uint8Array {
    return typeof this.request !== 'string' && body.equals(this.request) ? this.request : standingAlone(body)
  }

  private note(note: NoteDetails): void {
    if (this.state === 'forgotten') return
    this.notes.push(note)
    this.memory.hold(this, note.reason.length * CHARACTER_BYTES + NOTE_BYTES)
  }

  private add(stage: KeptStage, chunk: string | Uint8Array): void {
    if (this.chunks === null || this.state === 'forgotten') return
    const before = this.chunks.size
    this.chunks.add(stage, chunk, this.elapsed())
    this.memory.hold(this, this.chunks.size - before)
  }

  private elapsed(): number {
    return this.memory.now() - this.startedAt
  }
}

function keptUpstream(
  { upstream, upstreamDialect, route, format, formatFrom, parser, path }: WrittenPlan,
  body: Uint8Array | null,
  at: number,
): KeptUpstream {
  return {
    name: upstream.name,
    dialect: upstreamDialect,
    url: upstream.url,
    path,
    model: route.model,
    format,
    formatFrom,
    reading: { ...parser, tools: undefined, onOpen: undefined },
    body,
    at,
    status: null,
    contentType: '',
    fault: null,
  }
}

function sizeOf(chunk: string | Uint8Array): number {
  return typeof chunk === 'string' ? chunk.length * CHARACTER_BYTES : chunk.length
}

/** What is read from a connection is a part of a much larger piece of memory, which would not be freed as long as the part is kept. */
function standingAlone(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength > 2 * bytes.length ? Buffer.from(bytes) : bytes
}

/** It takes nothing where it is the request of the client. */
function sizeOfBody(body: Uint8Array | null, request: string | Uint8Array): number {
  return body === null || body === request ? 0 : body.length
}
