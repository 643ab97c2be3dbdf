import { type DialectId, encodeSse, encodeSseComment } from '@dragoman/core'
import { completionBody, completionChunks, type Envelope } from './chat-completion.ts'
import { InvalidRequest } from './chat-request.ts'
import { contentBody, contentEvents } from './gemini-answer.ts'
import { withAddress } from './gemini-request.ts'
import type { HistoryProblem } from './history.ts'
import { imitate, type Way } from './imitate.ts'
import type { Said } from './imitation.ts'
import { layOut, type LaidOut } from './lay-out.ts'
import { messageBody, messageEvents } from './messages-answer.ts'
import { type Quirk, quirksNamed } from './quirks.ts'
import { responseBody, responseEvents } from './responses-answer.ts'
import {
  describeProblems,
  scriptAnswer,
  scriptContent,
  scriptMessage,
  scriptResponse,
  type ScriptedAnswer,
} from './script.ts'
import type { Fault, SimulatorSettings } from './settings.ts'

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

/** How the simulator speaks a dialect. */
interface SpokenDialect {
  /** In front of the id of an answer. */
  readonly idPrefix: string
  readonly way: Way
  /** The body with what the dialect says in the address of a request; left out where it says nothing there. */
  readonly addressed?: (body: unknown, path: string) => unknown
  readonly script: (body: unknown, settings: SimulatorSettings) => ScriptedAnswer
  readonly stream: (answer: ScriptedAnswer, envelope: Envelope) => Step[]
  readonly whole: (answer: ScriptedAnswer, envelope: Envelope) => Step[]
}

const spoken: Readonly<Record<DialectId, SpokenDialect>> = {
  'openai-chat': {
    idPrefix: 'chatcmpl-sim-',
    way: 'chat',
    script: scriptAnswer,
    stream: streamSteps,
    whole: bodySteps,
  },
  // Of the faults this one plays only the statuses, and so do those behind it.
  'anthropic-messages': {
    idPrefix: 'sim_',
    way: 'messages',
    script: scriptMessage,
    stream: (answer, envelope) => messageEvents(answer, envelope).map(chunk),
    whole: (answer, envelope) => [chunk(JSON.stringify(messageBody(answer, envelope)))],
  },
  'openai-responses': {
    idPrefix: 'sim',
    way: 'responses',
    script: scriptResponse,
    stream: (answer, envelope) => responseEvents(answer, envelope).map(chunk),
    whole: (answer, envelope) => [chunk(JSON.stringify(responseBody(answer, envelope)))],
  },
  gemini: {
    idPrefix: 'sim_',
    way: 'messages',
    addressed: withAddress,
    script: scriptContent,
    stream: (answer, envelope) => contentEvents(answer, envelope).map(chunk),
    whole: (answer, envelope) => [chunk(JSON.stringify(contentBody(answer, envelope)))],
  },
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
  const { idPrefix, way, script, stream, whole } = spoken[dialect]
  const envelope = { id: idPrefix + id, created }
  const imitated = imitate(body, settings, way)
  if (imitated?.refusal !== undefined) return saidReply(imitated.refusal)
  const scripted = scriptOrRefusal(() => script(imitated?.body ?? body, imitated?.settings ?? settings))
  const failed = (status: number, type: string, message: string): Reply =>
    imitated === undefined
      ? errorReply(status, type, message)
      : saidReply(imitated.inItsShape({ status, type, message }))
  if (scripted instanceof InvalidRequest) return failed(400, 'invalid_request_error', scripted.message)
  const answer = imitated?.deliver(scripted) ?? scripted
  if ('said' in answer) {
    const { said, begun } = answer
    return { ...saidReply(said, begunSteps(begun, envelope)), historyProblems: begun.historyProblems }
  }
  const { historyProblems, settings: chosen, request } = answer
  const quirks = quirksNamed(chosen.quirks)
  const instead = quirks.find((quirk) => quirk.instead !== undefined)?.instead
  if (instead !== undefined) return replyInstead(instead)
  const status = chosen.faults.find((fault) => /^\d+$/.test(fault))
  if (status !== undefined) return failed(Number(status), 'simulated_error', `A simulated HTTP ${status}.`)
  if (chosen.strict && historyProblems.length > 0) {
    return {
      ...failed(400, 'invalid_request_error', describeProblems(historyProblems)),
      historyProblems,
    }
  }
  const isStream = request.isStream && !chosen.faults.includes('json')
  const reply: Reply = {
    status: 200,
    contentType: isStream ? 'text/event-stream' : 'application/json',
    steps: isStream ? stream(answer, envelope) : whole(answer, envelope),
    pace: chosen.pace,
    historyProblems,
  }
  return isStream && quirks.some(({ delivery }) => delivery === 'one-piece') ? inOnePiece(reply) : reply
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

/** An error in a shape that the clients of both dialects know. */
export function errorReply(status: number, type: string, message: string): Reply {
  return wholeReply(status, errorBody(type, message, status))
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

function begunSteps(begun: ScriptedAnswer, envelope: Envelope): Step[] {
  const { opening, deltas } = completionChunks(begun, layOut(begun), envelope)
  return dataSteps([opening, ...deltas])
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

function streamSteps(answer: ScriptedAnswer, envelope: Envelope): Step[] {
  const { faults, comments } = answer.settings
  const { opening, deltas, closing } = completionChunks(answer, laidOutBy(answer), envelope)
  const comment = comments ? [chunk(encodeSseComment('simulated keep-alive'))] : []
  const middle = Math.ceil(deltas.length / 2)
  const first = [...comment, ...dataSteps([opening]), ...dataSteps(deltas.slice(0, middle)), ...comment]
  const accident = accidentIn(faults)
  if (accident?.ends === true) return [...first, ...accident.steps]
  return [
    ...first,
    ...(accident?.steps ?? []),
    ...dataSteps([...deltas.slice(middle), ...closing]),
    ...(faults.includes('no-done') ? [] : [chunk(encodeSse({ data: '[DONE]' }))]),
  ]
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

function accidentIn(faults: readonly Fault[]): Accident | undefined {
  return faults.map((fault) => accidents[fault]).find((accident) => accident !== undefined)
}

const accidents: Partial<Record<Fault, Accident>> = {
  error: {
    ends: true,
    steps: [chunk(encodeSse({ data: errorBody('server_error', 'A simulated error.', 500) }))],
  },
  cut: { ends: true, steps: [{ type: 'cut' }] },
  stall: { ends: true, steps: [{ type: 'stall' }] },
  garbage: { ends: false, steps: [chunk(encodeSse({ data: '{"simulated garbage' }))] },
}

function bodySteps(answer: ScriptedAnswer, envelope: Envelope): Step[] {
  const { faults } = answer.settings
  const body = JSON.stringify(completionBody(answer, laidOutBy(answer), envelope))
  const half = chunk(body.slice(0, body.length / 2))
  if (faults.includes('error')) return [chunk(errorBody('server_error', 'A simulated error.', 500))]
  if (faults.includes('cut')) return [half, { type: 'cut' }]
  if (faults.includes('stall')) return [half, { type: 'stall' }]
  return faults.includes('garbage') ? [half] : [chunk(body)]
}

function dataSteps(values: readonly unknown[]): Step[] {
  return values.map((value) => chunk(encodeSse({ data: JSON.stringify(value) })))
}

function chunk(text: string): Step {
  return { type: 'chunk', text }
}

function errorBody(type: string, message: string, code: number): string {
  return JSON.stringify({ type: 'error', error: { message, type, param: null, code } })
}
