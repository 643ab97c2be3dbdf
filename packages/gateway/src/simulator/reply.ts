import { type DialectId, encodeSse, encodeSseComment } from '@dragoman/core'
import { InvalidRequest } from './chat-request.ts'
import type { HistoryProblem } from './history.ts'
import { imitate } from './imitate.ts'
import type { Said } from './imitation.ts'
import { layOut, type LaidOut } from './lay-out.ts'
import { type Quirk, quirksNamed } from './quirks.ts'
import { describeProblems, scriptAnswer, type ScriptedAnswer } from './script.ts'
import type { Fault, SimulatorSettings } from './settings.ts'
import { commonError, type SimulatedError, spoken, type SpokenDialect } from './spoken-dialects.ts'
import type { Envelope } from './streamed-answer.ts'

/** What is sent, and when. A step that is no chunk does something to the connection. */
export type Step =
  | { readonly type: 'chunk'; readonly text: string }
  /** Nothing more is sent, and the connection stays open. */
  | { readonly type: 'stall' }
  /** The connection ends as if it had broken. */
  | { readonly type: 'cut' }

export interface Reply {
  readonly status: number
  readonly contentType: 'application/json' | 'text/event-stream' | 'text/html'
  readonly steps: readonly Step[]
  /** The milliseconds to wait after each chunk. */
  readonly pace: number
  readonly historyProblems: readonly HistoryProblem[]
}

/** The body of a request that was sent to this path, with all that it asks for. */
export function bodyAskedAt(dialect: DialectId, path: string, body: unknown): unknown {
  return spoken[dialect].addressed?.(body, path) ?? body
}

/** Makes the whole reply to a request before any of it is sent. */
export function replyTo(
  dialect: DialectId,
  body: unknown,
  settings: SimulatorSettings,
  { id, created }: Envelope,
): Reply {
  const speaking = spoken[dialect]
  const envelope = { id: speaking.idPrefix + id, created }
  const imitated = imitate(body, settings, speaking.way)
  if (imitated?.refusal !== undefined) return saidReply(imitated.refusal)
  const scripted = scriptOrRefusal(() => {
    const request = speaking.read(imitated?.body ?? body)
    return scriptAnswer({ request, rules: speaking.rules }, imitated?.settings ?? settings)
  })
  const failed = (error: SimulatedError): Reply =>
    imitated === undefined
      ? wholeReply(error.status, JSON.stringify(speaking.error(error)))
      : saidReply(imitated.inItsShape(error))
  if (scripted instanceof InvalidRequest) return failed(invalid(scripted.message))
  const answer = imitated?.deliver(scripted) ?? scripted
  if ('said' in answer) {
    const { said, begun } = answer
    const { opening, deltas } = speaking.stream(begun, layOut(begun), envelope)
    return {
      ...saidReply(said, [...opening, ...deltas].map(chunk)),
      historyProblems: begun.historyProblems,
    }
  }
  const { historyProblems, settings: chosen, request } = answer
  const quirks = quirksNamed(chosen.quirks)
  const instead = quirks.find((quirk) => quirk.instead !== undefined)?.instead
  if (instead !== undefined) return replyInstead(instead)
  const status = chosen.faults.find((fault) => /^\d+$/.test(fault))
  if (status !== undefined) {
    return failed({
      status: Number(status),
      type: 'simulated_error',
      message: `A simulated HTTP ${status}.`,
    })
  }
  if (chosen.strict && historyProblems.length > 0) {
    return { ...failed(invalid(describeProblems(historyProblems))), historyProblems }
  }
  const isStream = request.isStream && !chosen.faults.includes('json')
  const reply: Reply = {
    status: 200,
    contentType: isStream ? 'text/event-stream' : 'application/json',
    steps: isStream ? streamSteps(speaking, answer, envelope) : bodySteps(speaking, answer, envelope),
    pace: chosen.pace,
    historyProblems,
  }
  return isStream && quirks.some(({ delivery }) => delivery === 'one-piece') ? inOnePiece(reply) : reply
}

function invalid(message: string): SimulatedError {
  return { status: 400, type: 'invalid_request_error', message }
}

/** The answer of a server that gives the same to everything. */
export function replyInstead({ status, contentType, body }: NonNullable<Quirk['instead']>): Reply {
  return { status, contentType, steps: [chunk(body)], pace: 0, historyProblems: [] }
}

/** The time for which a stream that comes all at once is held back, in milliseconds. */
const HELD_MS = 200

function inOnePiece(reply: Reply): Reply {
  const text = reply.steps.map((step) => (step.type === 'chunk' ? step.text : '')).join('')
  // Nothing is sent for an empty chunk, but the time after it passes.
  return { ...reply, steps: [chunk(''), chunk(text)], pace: HELD_MS }
}

/** An error of the server itself, which is of no dialect. */
export function errorReply(status: number, type: string, message: string): Reply {
  return wholeReply(status, JSON.stringify(commonError({ status, type, message })))
}

/** What a server says instead of an answer, or after this much of one. */
function saidReply({ status, body, inStream }: Said, begun: readonly Step[] = []): Reply {
  if (inStream === undefined) return wholeReply(status, JSON.stringify(body))
  const { event, body: data } = inStream
  const failure = encodeSse({ data: JSON.stringify(data), ...(event !== undefined && { event }) })
  return {
    status: 200,
    contentType: 'text/event-stream',
    steps: [...begun, chunk(failure)],
    pace: 0,
    historyProblems: [],
  }
}

function wholeReply(status: number, body: string): Reply {
  return {
    status,
    contentType: 'application/json',
    steps: [chunk(body)],
    pace: 0,
    historyProblems: [],
  }
}

function scriptOrRefusal(write: () => ScriptedAnswer): ScriptedAnswer | InvalidRequest {
  try {
    return write()
  } catch (error) {
    if (error instanceof InvalidRequest) return error
    throw error
  }
}

function streamSteps(speaking: SpokenDialect, answer: ScriptedAnswer, envelope: Envelope): Step[] {
  const { faults, comments } = answer.settings
  const { opening, deltas, finish, usage, done } = speaking.stream(answer, laidOutBy(answer), envelope)
  const comment = comments ? [encodeSseComment('simulated keep-alive')] : []
  const middle = Math.ceil(deltas.length / 2)
  const first = [...comment, ...opening, ...deltas.slice(0, middle), ...comment].map(chunk)
  const accident = accidentIn(faults)?.(speaking)
  if (accident?.ends === true) return [...first, ...accident.steps]
  const closing = [
    ...(faults.includes('no-finish') ? [] : finish),
    ...usage,
    ...(faults.includes('no-done') ? [] : done),
  ]
  return [...first, ...(accident?.steps ?? []), ...[...deltas.slice(middle), ...closing].map(chunk)]
}

function laidOutBy(answer: ScriptedAnswer): LaidOut {
  return quirksNamed(answer.settings.quirks).reduce(
    (laidOut, quirk) => quirk.laidOut?.(laidOut, answer) ?? laidOut,
    layOut(answer),
  )
}

interface Accident {
  readonly steps: readonly Step[]
  /** Whether this step is the last one. */
  readonly ends: boolean
}

function accidentIn(faults: readonly Fault[]): ((speaking: SpokenDialect) => Accident) | undefined {
  return faults.map((fault) => accidents[fault]).find((accident) => accident !== undefined)
}

const simulatedError: SimulatedError = { status: 500, type: 'server_error', message: 'A simulated error.' }

const accidents: Partial<Record<Fault, (speaking: SpokenDialect) => Accident>> = {
  error: ({ errorEvent }) => ({ ends: true, steps: [chunk(errorEvent(simulatedError))] }),
  cut: () => ({ ends: true, steps: [{ type: 'cut' }] }),
  stall: () => ({ ends: true, steps: [{ type: 'stall' }] }),
  garbage: () => ({ ends: false, steps: [chunk(encodeSse({ data: '{"simulated garbage' }))] }),
}

function bodySteps(speaking: SpokenDialect, answer: ScriptedAnswer, envelope: Envelope): Step[] {
  const { faults } = answer.settings
  const body = JSON.stringify(speaking.whole(answer, laidOutBy(answer), envelope))
  const half = chunk(body.slice(0, body.length / 2))
  if (faults.includes('error')) return [chunk(JSON.stringify(speaking.error(simulatedError)))]
  if (faults.includes('cut')) return [half, { type: 'cut' }]
  if (faults.includes('stall')) return [half, { type: 'stall' }]
  return faults.includes('garbage') ? [half] : [chunk(body)]
}

function chunk(text: string): Step {
  return { type: 'chunk', text }
}
