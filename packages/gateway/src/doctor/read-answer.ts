import {
  type AnswerSink,
  createAnswerDecoder,
  createSseDecoder,
  type DialectId,
  dialects,
  type Failure,
  failureFromResponse,
  type FinishReason,
  type FormatId,
  type ParserOptions,
  type ProblemCode,
  readAnswer as readWhole,
  type RequestNote,
  textInError,
  type UpstreamCall,
  type Usage,
} from '@dragoman/core'
import type { Exchange } from './http.ts'

/** One answer, seen twice: what the server itself made of it, and what the gateway makes of it. */
export interface Answer {
  readonly exchange: Exchange
  /** What of the question could not be sent to this server, or not as it was meant. */
  readonly notes: readonly RequestNote[]
  /** Why the server did not answer at all, or null. */
  readonly refusal: Failure | null
  readonly delivered: 'stream' | 'whole'
  /** `error`: the server could not read what the model wrote, and told it in its error. */
  readonly place: 'answer' | 'error'
  /** How many events a stream had. */
  readonly events: number
  /** Why the server says that it ended, in its own word; null where it says nothing. */
  readonly saidFinish: string | null
  readonly text: string
  readonly thoughts: readonly Thought[]
  readonly calls: readonly ReadCall[]
  /** The format in which calls stood in the text; null where none did. */
  readonly format: FormatId | null
  /** Why it ended, as a client is told. */
  readonly finish: FinishReason | null
  readonly usage: Usage | null
  /** Why a client would get an error. */
  readonly failure: Failure | null
  readonly problems: readonly ProblemCode[]
}

export interface Thought {
  /** The field that it came in; `content` where it stood in the text. */
  readonly field: string
  readonly text: string
  readonly proof: string | null
}

export interface ReadCall {
  readonly name: string
  readonly json: string
  /** `fields`: the server read the call itself. `text`: the gateway reads it. */
  readonly from: 'fields' | 'text'
  readonly isWhole: boolean
}

export interface ReadingOptions {
  readonly dialect: DialectId
  readonly parser: ParserOptions
  readonly clientToolName: (name: string) => string
  readonly notes: readonly RequestNote[]
  readonly redact: (text: string) => string
}

export function readAnswer(exchange: Exchange, options: ReadingOptions): Answer {
  const { headers, body, status } = exchange
  const delivered = headers['content-type']?.includes('event-stream') === true ? 'stream' : 'whole'
  const values = valuesIn(body, delivered)
  const answer = new Collector(options.redact)
  if (status < 300) decode(body, delivered, options, answer, exchange.fault)
  const told = status >= 300 || answer.isFailed ? toldInError(exchange, answer, options) : null
  const refusal = told === null ? refusalIn(exchange, options.redact) : null
  const collector = told ?? answer
  return {
    exchange,
    notes: options.notes,
    refusal,
    delivered,
    place: told === null ? 'answer' : 'error',
    events: delivered === 'stream' ? values.length : 0,
    saidFinish: status < 300 ? finishIn(values) : null,
    ...collector.seen(),
  }
}

/**
 * The error of a server as the answer that the gateway makes of it; null where no call stands in it. What came before
 * the error has gone to a client, and some dialects have no way to go on behind it.
 */
function toldInError(exchange: Exchange, before: Collector, options: ReadingOptions): Collector | null {
  const told = textInError(exchange)
  if (told === null) return null
  const { whole } = dialects[options.dialect].answer
  if (before.isBegun && whole.rest(told.text, {}) === null) return null
  const collector = before.withoutFailure()
  decode(whole.ofText(told.text), 'whole', options, collector)
  return collector.seen().calls.some(({ isWhole }) => isWhole) ? collector : null
}

function refusalIn({ status, body, fault }: Exchange, redact: (text: string) => string): Failure | null {
  if (status === 0) return failureOf(fault ?? { code: 'cut', cause: '', message: '' })
  if (status < 300) return null
  const failure = failureFromResponse({ status, body, credential: 'client' })
  return { ...failure, message: redact(ownWords(body) ?? failure.message) }
}

/** What the server says itself. Clients are told more than that. */
export function ownWords(body: string): string | undefined {
  const value = parsed(body)
  const inner = fieldIn(value, 'error') ?? value
  return [inner, ...['message', 'detail', 'msg'].map((field) => fieldIn(inner, field))].find(
    (text) => typeof text === 'string',
  )
}

function fieldIn(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.getOwnPropertyDescriptor(value, field)?.value
}

function decode(
  body: string,
  delivered: Answer['delivered'],
  { dialect, parser, clientToolName }: ReadingOptions,
  sink: Collector,
  fault: Exchange['fault'] = null,
): void {
  let minted = 0
  const options = {
    parser,
    clientToolName,
    sink,
    mint: (format: FormatId | 'std'): string => {
      if (format !== 'std') sink.wroteIn(format)
      return `call_doctor_${minted++}`
    },
  }
  const cause = fault === null ? undefined : failureOf(fault)
  if (delivered === 'whole' && cause === undefined) {
    readWhole(dialect, body, options)
    return
  }
  const decoder = createAnswerDecoder(dialect, options)
  if (delivered === 'stream') decoder.push(body)
  decoder.end(cause)
}

function failureOf({ code, message }: NonNullable<Exchange['fault']>): Failure {
  return { kind: 'upstream', code, message }
}

function valuesIn(body: string, delivered: Answer['delivered']): unknown[] {
  if (delivered === 'whole') return [parsed(body)]
  const decoder = createSseDecoder()
  return [...decoder.push(body), ...decoder.end()].flatMap((item) =>
    item.kind === 'event' ? [parsed(item.data)] : [],
  )
}

/** The word for the end, wherever a dialect has it. The gateway may understand it as another. */
function finishIn(values: readonly unknown[]): string | null {
  return values.map((value) => finishOf(value, 0)).findLast((word) => word !== null) ?? null
}

/** Of an answer that is made of items, the word for the end is its status. */
const finishFields: ReadonlySet<string> = new Set(['finish_reason', 'stop_reason', 'finishReason', 'status'])

function finishOf(value: unknown, depth: number): string | null {
  if (typeof value !== 'object' || value === null || depth > 4) return null
  for (const [key, inner] of Object.entries(value)) {
    const word = finishFields.has(key) && typeof inner === 'string' ? inner : finishOf(inner, depth + 1)
    if (word !== null) return word
  }
  return null
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

class Collector implements AnswerSink {
  private readonly redact: (text: string) => string
  private readonly texts: string[] = []
  private readonly thoughts: { field: string; text: string; proof: string | null }[] = []
  private readonly calls: { name: string; json: string; from: ReadCall['from']; isWhole: boolean }[] = []
  private readonly problems: ProblemCode[] = []
  private format: FormatId | null = null
  private finished: FinishReason | null = null
  private used: Usage | null = null
  private failed: Failure | null = null

  constructor(redact: (text: string) => string) {
    this.redact = redact
  }

  seen(): Omit<Answer, 'exchange' | 'notes' | 'refusal' | 'delivered' | 'place' | 'events' | 'saidFinish'> {
    return {
      text: this.texts.join(''),
      thoughts: this.thoughts,
      calls: this.calls,
      format: this.calls.some(({ from }) => from === 'text') ? this.format : null,
      finish: this.finished,
      usage: this.used,
      failure: this.failed,
      problems: this.problems,
    }
  }

  get isFailed(): boolean {
    return this.failed !== null
  }

  /** Whether anything came that a client would have been given. */
  get isBegun(): boolean {
    return this.texts.length + this.thoughts.length + this.calls.length > 0
  }

  /** What came, without its end. The rest can be added. */
  withoutFailure(): Collector {
    const begun = new Collector(this.redact)
    begun.texts.push(...this.texts)
    begun.thoughts.push(...this.thoughts)
    begun.calls.push(...this.calls)
    begun.used = this.used
    return begun
  }

  wroteIn(format: FormatId): void {
    this.format = format
  }

  start(): void {}

  text(text: string): void {
    this.texts.push(text)
  }

  reasoning(text: string, field: string): void {
    const last = this.thoughts.at(-1)
    if (last?.field === field) last.text += text
    else this.thoughts.push({ field, text, proof: null })
  }

  reasoningProof(proof: string): void {
    const last = this.thoughts.at(-1)
    if (last !== undefined) last.proof = proof
  }

  callStart(_index: number, _id: string, name: string, call?: UpstreamCall): void {
    this.calls.push({ name, json: '', from: call === undefined ? 'text' : 'fields', isWhole: false })
  }

  callDelta(_index: number, json: string): void {
    const last = this.calls.at(-1)
    if (last !== undefined) last.json += json
  }

  callEnd(): void {
    const last = this.calls.at(-1)
    if (last !== undefined) last.isWhole = true
  }

  usage(usage: Usage): void {
    this.used = usage
  }

  finish(reason: FinishReason): void {
    this.finished = reason
  }

  fail(failure: Failure): void {
    this.failed = { ...failure, message: this.redact(failure.message) }
  }

  end(): void {}

  problem(code: ProblemCode): void {
    this.problems.push(code)
  }

  repair(): void {}
}
