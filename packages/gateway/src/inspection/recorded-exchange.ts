import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { dialects, isDialectId } from '@dragoman/core'
import type { Redactor } from '../security/redact.ts'
import { addressOf } from './address.ts'
import type {
  ExchangeDetails,
  ExchangeSummary,
  ReadingDetails,
  StageId,
  StagePart,
  UpstreamDetails,
} from './api-types.ts'
import { clientDetails } from './client-details.ts'
import type { Place, RepeatableRequest, ShownExchange } from './exchange-source.ts'
import { type ScannedRecording, type StageSpan, unescaped } from './recording-scan.ts'

/** The layout that this program reads. Fields that it knows are shown of any other, too. */
const LAYOUT = 1

/** An exchange in a file. What a recording does not hold is not known: the times of chunks, notes, problems and repairs. */
export class RecordedShown implements ShownExchange {
  private readonly path: string
  private readonly place: Place
  private readonly scanned: ScannedRecording
  private readonly model: string
  private readonly redact: Redactor

  constructor(path: string, place: Place, scanned: ScannedRecording, model: string, redact: Redactor) {
    this.path = path
    this.place = place
    this.scanned = scanned
    this.model = model
    this.redact = redact
  }

  summary(): ExchangeSummary {
    const status = this.number('client.status')
    const failure = this.failure()
    return {
      id: this.place.id,
      time: this.place.time,
      state: failure !== null || (status ?? 500) >= 400 ? 'failed' : 'ended',
      client: null,
      clientDialect: this.text('client.dialect') ?? '',
      model: this.model,
      upstream: this.text('upstream.name'),
      upstreamModel: this.text('upstream.model'),
      format: this.text('upstream.format'),
      formatFrom: null,
      status,
      finish: null,
      firstByteMs: null,
      durationMs: null,
      inputTokens: null,
      outputTokens: null,
      calls: 0,
      problems: 0,
      repairs: 0,
      notes: 0,
      failure,
    }
  }

  details(): ExchangeDetails {
    const client = clientDetails(this.text('client.dialect') ?? '', this.address())
    const upstream = this.upstream()
    return { summary: this.summary(), keeps: 'everything', client, upstream, notes: [], told: [] }
  }

  async stage(stage: StageId, from: number): Promise<StagePart> {
    const span = this.scanned.stages.get(stage)
    const start = span?.pieces[from]
    if (span === undefined || start === undefined) return { chunks: [], next: null }
    const next = span.pieces[from + 1]
    const text = unescaped(await readSpan(this.path, start, next ?? span.end))
    const chunks = piecesOf(stage, this.redact(text)).map((piece) => ({ at: null, text: piece }))
    return { chunks, next: next === undefined ? null : from + 1 }
  }

  recording(): AsyncIterable<Buffer> {
    return createReadStream(this.path)
  }

  async request(most: number): Promise<RepeatableRequest | undefined> {
    const span = this.scanned.stages.get('client-request')
    if (span === undefined || this.scanned.end !== 'whole' || lengthOf(span) > most) return undefined
    const body = unescaped(await readSpan(this.path, span.pieces[0] ?? 0, span.end))
    const path = this.address()
    return path === '' ? undefined : { path, body }
  }

  private failure(): string | null {
    const layout = this.scanned.values.get('dragomanRecording')
    if (layout !== LAYOUT)
      return `The recording has the layout ${String(layout)}; this version reads ${LAYOUT}.`
    if (this.scanned.end !== 'whole')
      return 'The file is cut off: what is missing was never written, or got lost.'
    const fault = this.text('upstream.fault')
    return fault === null ? null : `The connection to the upstream ended badly: ${fault}`
  }

  private upstream(): UpstreamDetails | null {
    const name = this.text('upstream.name')
    if (name === null) return null
    return {
      name,
      dialect: this.text('upstream.dialect') ?? '',
      method: 'POST',
      url: '',
      model: this.text('upstream.model') ?? '',
      status: this.number('upstream.status'),
      contentType: this.text('upstream.contentType') ?? '',
      fault: this.text('upstream.fault'),
      reading: this.reading(),
    }
  }

  private reading(): ReadingDetails {
    const [format, model] = [this.text('upstream.reading.format'), this.text('upstream.reading.model')]
    const opens = this.scanned.values.get('upstream.reading.promptOpensReasoning')
    const delivery = this.text('upstream.reading.delivery')
    const calls = this.text('upstream.reading.calls')
    return {
      ...(format !== null && { format }),
      ...(model !== null && { model }),
      ...(typeof opens === 'boolean' && { promptOpensReasoning: opens }),
      ...((delivery === 'incremental' || delivery === 'complete') && { delivery }),
      ...((calls === 'read' || calls === 'remove') && { calls }),
    }
  }

  /** Where the request was sent. Most dialects have one place for it, and their recordings leave it out. */
  private address(): string {
    const path = this.text('client.asked.path')
    if (path === null) {
      const dialect = this.text('client.dialect') ?? ''
      const routes = isDialectId(dialect) ? dialects[dialect].http.routes : []
      return routes.find(({ serves }) => serves === 'answer')?.path ?? ''
    }
    const inQuery = 'client.asked.query.'
    const query = [...this.scanned.values].flatMap(([name, value]) =>
      name.startsWith(inQuery) && typeof value === 'string' ? [[name.slice(inQuery.length), value]] : [],
    )
    return addressOf({ path, query: Object.fromEntries(query) })
  }

  private text(path: string): string | null {
    const value = this.scanned.values.get(path)
    return typeof value === 'string' ? value : null
  }

  private number(path: string): number | null {
    const value = this.scanned.values.get(path)
    return typeof value === 'number' ? value : null
  }
}

/** A recording does not say how an answer was cut, so each event of a stream is a chunk. */
function piecesOf(stage: StageId, text: string): string[] {
  const isAnswer = stage === 'client-response' || stage === 'upstream-response'
  return (isAnswer ? text.split(/(?<=\n\r?\n)/) : [text]).filter((piece) => piece !== '')
}

/** How much of a request is looked through for the name of its model. */
const MODEL_WITHIN = 262_144

/** The model by the name that the client used: it stands in the address or in the body. */
export async function modelIn(path: string, { values, stages }: ScannedRecording): Promise<string> {
  const address = values.get('client.asked.path')
  const inAddress = typeof address === 'string' ? /\/models\/(.+?)(?::|$)/.exec(address)?.[1] : undefined
  if (inAddress !== undefined) return inAddress
  const span = stages.get('client-request')
  const start = span?.pieces[0] ?? 0
  if (span === undefined || span.end === start) return ''
  const body = unescaped(await readSpan(path, start, Math.min(span.end, start + MODEL_WITHIN)))
  const name = /(?<!\\)"model"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(body)?.[1]
  return name === undefined ? '' : unescaped(name)
}

function lengthOf({ pieces, end }: StageSpan): number {
  return end - (pieces[0] ?? end)
}

async function readSpan(path: string, start: number, end: number): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
