import {
  type AnswerSink,
  createAnswerDecoder,
  createSseDecoder,
  type DialectId,
  dialectIds,
  dialects,
} from '@dragoman/core'
import type { RecordedExchange } from '../recorder/recording.ts'
import { countingMint } from '../recorder/replay.ts'
import { CliError, failure } from '../terminal/cli-error.ts'
import { findRequest, type FoundRequest, type RequestSearch } from './convert-request.ts'
import { type InputSource, readText } from './input.ts'
import { joined, openRecorded } from './recorded-input.ts'

/** An answer of an upstream, with what it shows of itself; or what a client asked for one with. */
export type AnswerInput =
  | { readonly is: 'request'; readonly found: FoundRequest }
  | { readonly is: 'recording'; readonly recording: RecordedExchange }
  | ({ readonly is: 'stream'; readonly chunks: AsyncIterable<Buffer> } & Shown)
  | ({ readonly is: 'whole'; readonly body: string } & Shown)

/** Null stands for what an answer does not show. */
interface Shown {
  readonly dialect: DialectId | null
  readonly model: string | null
}

const nothingShown: Shown = { dialect: null, model: null }

/** So much is held at most until it is known what an input is. */
const MOST_HELD = 1024 * 1024

/** Finds out what an input is, and refuses one that is neither an answer nor a request. */
export async function openAnswer(input: InputSource, search: RequestSearch): Promise<AnswerInput> {
  const { from } = search
  const opened = await openRecorded(input)
  if (opened.is === 'recording') return opened
  const { name } = input
  const head = new Head()
  const rest = opened.chunks[Symbol.asyncIterator]()
  await readHead(head, rest)
  const chunks = joined(head.chunks, rest)
  if (head.begins === 'nothing') throw failure(`${name} is empty`)
  if (head.begins === 'json') {
    const body = await readText({ name, chunks })
    const value = parsed(body, name)
    const shown = shownByWhole(body)
    if (shown !== null) {
      checkDialect(`${name} is an answer`, shown.dialect, from)
      return { is: 'whole', body, ...shown }
    }
    return requested(value, name, search)
  }
  if (!head.hasEvents) {
    const hint = 'For the bare text of an answer there is dragoman parse.'
    throw new CliError(1, `${name} is no event stream: nothing in it begins with "data:"`, hint)
  }
  checkDialect(`${name} is a stream`, head.shown.dialect, from)
  return { is: 'stream', chunks, ...head.shown }
}

async function readHead(head: Head, rest: AsyncIterator<Buffer>): Promise<void> {
  if (head.isEnough) return
  const next = await rest.next()
  if (next.done === true) return
  head.push(next.value)
  return readHead(head, rest)
}

/** The beginning of an input. */
class Head {
  readonly chunks: Buffer[] = []
  hasEvents = false
  private readonly probes = dialectIds.map((id) => new Probe(id))
  private readonly events = createSseDecoder()
  private size = 0
  private first = ''

  push(chunk: Buffer): void {
    this.chunks.push(chunk)
    this.size += chunk.length
    if (this.first === '') this.first = chunk.toString('utf8').trimStart().slice(0, 1)
    if (this.begins === 'json') return
    if (this.events.push(chunk).length > 0) this.hasEvents = true
    for (const probe of this.probes) probe.push(chunk)
  }

  get isEnough(): boolean {
    return this.begins === 'json' || this.shown !== nothingShown || this.size > MOST_HELD
  }

  /** An event stream never begins with a bracket. */
  get begins(): 'nothing' | 'json' | 'text' {
    if (this.first === '') return 'nothing'
    return this.first === '{' || this.first === '[' ? 'json' : 'text'
  }

  get shown(): Shown {
    return this.probes.find(({ shown }) => shown !== null)?.shown ?? nothingShown
  }
}

/** Reads a stream as one of a dialect. In another than its own, an answer has neither a name nor content. */
class Probe {
  shown: Shown | null = null
  private readonly decoder: { push(chunk: Buffer): void }

  constructor(dialect: DialectId) {
    const show = (model: string | null): void => {
      this.shown ??= { dialect, model }
    }
    const sink: AnswerSink = {
      ...silentSink,
      start: ({ id, model }) => {
        if (id !== null || model !== null) show(model)
      },
      text: () => show(null),
      reasoning: () => show(null),
      callStart: () => show(null),
    }
    const mint = countingMint(dialect)
    this.decoder = createAnswerDecoder(dialect, {
      sink,
      parser: { format: 'standard' },
      mint,
      faults: 'pass',
    })
  }

  push(chunk: Buffer): void {
    this.decoder.push(chunk)
  }
}

const ignore = (): void => {}

const silentSink: AnswerSink = {
  start: ignore,
  text: ignore,
  reasoning: ignore,
  reasoningProof: ignore,
  callStart: ignore,
  callDelta: ignore,
  callEnd: ignore,
  usage: ignore,
  finish: ignore,
  fail: ignore,
  end: ignore,
  problem: ignore,
  repair: ignore,
}

/** What a whole answer shows. Null for any other JSON. */
function shownByWhole(body: string): Shown | null {
  for (const dialect of dialectIds) {
    const whole = dialects[dialect].answer.whole.toEvents(body)
    if (!('events' in whole)) continue
    const probe = new Probe(dialect)
    probe.push(Buffer.from(whole.events))
    return probe.shown ?? { dialect, model: null }
  }
  return null
}

/** Refuses JSON that is no request either, with what it is. */
function requested(value: unknown, name: string, search: RequestSearch): AnswerInput {
  const found = findRequest(value, search)
  if (found !== null && 'request' in found) return { is: 'request', found }
  const kind =
    found === null ? kindOf(value) : `it looks like a request, but ${found.field}: ${found.message}.`
  throw new CliError(1, `${name} is JSON, but no answer of a model: ${kind}`, hint)
}

const hint = `It takes an event stream, a whole answer or a request of ${dialectIds.join(', ')}, or a recording of the gateway.`

function parsed(body: string, name: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError(1, `${name} begins like JSON, but is none: ${reason}`, hint, { cause: error })
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'it is a list.'
  const fields = Object.keys(Object(value))
  if (fields.includes('error')) return 'it is an error.'
  return fields.length === 0 ? 'it is empty.' : `its fields are ${fields.slice(0, 8).join(', ')}.`
}

function checkDialect(what: string, shown: DialectId | null, from: DialectId | undefined): void {
  if (shown === null || from === undefined || shown === from) return
  throw new CliError(1, `${what} of ${shown}, not of ${from}`, `Say --from ${shown}, or leave --from out.`)
}
