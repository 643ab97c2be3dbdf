import type { FinishWord } from './answer.ts'
import { isObject, parseJson } from './json.ts'

/** What a client understands of an answer, in nobody's words. */
export interface View {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly SeenCall[]
  readonly finish: FinishWord | null
  readonly failure: SeenFailure | null
}

export interface SeenCall {
  readonly name: string
  /** The JSON without white space and with every number as it was written; null where it is not whole. */
  readonly arguments: string | null
}

export interface SeenFailure {
  readonly kind: FailureKind
  /** Without the code that Anthropic's dialect has to put behind the message. */
  readonly message: string
}

/** As far as the words of both dialects tell failures apart. */
export type FailureKind =
  | 'invalid request'
  | 'authentication'
  | 'permission'
  | 'not found'
  | 'rate limit'
  | 'overloaded'
  | 'timeout'
  | 'upstream'

/** A client cannot read this: the law is broken whatever the other clients see. */
export class IllegalAnswer extends Error {}

export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new IllegalAnswer(what)
}

/** The text of arguments as every client of any dialect sees them, or null where they are no whole object. */
export function normalArguments(json: string): string | null {
  const value = parseJson(json)
  return isObject(value) ? JSON.stringify(value) : null
}

/** Checks what holds for the calls of every dialect. */
export function checkCalls(calls: readonly SeenCall[], finish: FinishWord | null, isFailed: boolean): void {
  for (const [at, call] of calls.entries()) {
    must(call.name !== '', `call ${at} has no name`)
    must(
      call.arguments !== null || isFailed || finish === 'length',
      `the arguments of call ${at} (${call.name}) are no whole object`,
    )
  }
  if (isFailed) return
  must(finish !== null, 'the answer has neither a finish nor a failure')
  must(finish !== 'tool-calls' || calls.length > 0, 'it ends with calls, and there is none')
  const isOrdinary = finish === 'stop' || finish === 'stop-sequence'
  must(!isOrdinary || calls.length === 0, 'it ends as an ordinary answer, and there are calls')
}

/** Ids that a client sends back: legal in its dialect, and none twice. */
export function checkIds(ids: readonly unknown[], legal: RegExp): void {
  for (const id of ids)
    must(typeof id === 'string' && legal.test(id), `the id ${JSON.stringify(id)} is not legal`)
  must(new Set(ids).size === ids.length, `an id comes twice: ${ids.join(', ')}`)
}

/** The code of a fault of ours stands in parentheses where a dialect has no field for it. */
export function withoutCode(message: string): string {
  return message.replace(/ \([a-z0-9_]+\)$/, '')
}

export interface SseEvent {
  readonly event: string | null
  readonly data: string
}

/** The events of a stream, strictly: a strange line, an event without data or a last one that is not closed are faults. */
export function sseEvents(stream: string): SseEvent[] {
  const blocks = stream.split('\n\n')
  must(blocks.pop() === '', 'the last event of the stream is not closed')
  return blocks.flatMap((block) => {
    const lines = block.split('\n').filter((line) => !line.startsWith(':'))
    if (lines.length === 0) return []
    const events = lines.filter((line) => line.startsWith('event: '))
    const data = lines.filter((line) => line.startsWith('data: '))
    must(
      events.length + data.length === lines.length,
      `a strange line in the stream: ${JSON.stringify(block)}`,
    )
    must(data.length > 0 && data.join('') !== 'data: ', `an event without data: ${JSON.stringify(block)}`)
    const [event] = events
    return [
      { event: event?.slice('event: '.length) ?? null, data: data.map((line) => line.slice(6)).join('\n') },
    ]
  })
}

/** The JSON that a client has to get there. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new IllegalAnswer(`this is no JSON: ${text}`)
  }
}
