import { retryFor, textCallsOf } from '@dragoman/core'
import type { Remedy } from './finding.ts'
import { isCall, judgeCall } from './judge-call.ts'
import type { CallMode, Patient } from './patient.ts'
import { type Question, questions } from './questions.ts'
import type { Answer } from './read-answer.ts'

/** Another way to offer tools, where the server's own does not work. */
export interface CallWay {
  readonly mode: CallMode
  /** What to do, in a sentence. */
  readonly advice: string
  readonly remedy?: Remedy
}

/** The first other way in which a call arrives, or null. It is the way of all later questions. */
export async function findWay(patient: Patient, question: Question, answer: Answer): Promise<CallWay | null> {
  const ways = [...waysInText(patient, answer), ...waysInPrompt(patient)]
  const found = await ways.reduce<Promise<CallWay | null>>(
    async (before, way) => (await before) ?? ((await works(patient, question, way)) ? way : null),
    Promise.resolve(null),
  )
  if (found !== null) patient.mode = found.mode
  return found
}

async function works(patient: Patient, question: Question, { mode }: CallWay): Promise<boolean> {
  return isCall(judgeCall(await patient.ask(question, mode)))
}

/** The server can be kept from reading calls, so that they come as the text that the model writes. */
function waysInText(patient: Patient, { exchange }: Answer): CallWay[] {
  const { server, version, mode, upstream } = patient
  if (mode.is !== 'native' || server?.textCalls?.by !== 'fields') return []
  const { fields } = server.textCalls
  if (textCallsOf(server, version) !== undefined) {
    return [
      {
        mode: { is: 'text', fields },
        advice: `${server.title} can be kept from reading calls, and the gateway reads them: take the lines below.`,
        remedy: { upstream: { kind: server.id, parse: 'ours' } },
      },
    ]
  }
  // A newer server swallows what its parser finds. One that says that it has no parser swallows nothing.
  const isMendedUnasked = upstream.parse === 'auto' && retryFor(exchange)?.helps === 'calls in text'
  const advice = 'The gateway sees that, asks again for the text, and reads the calls from it.'
  return isMendedUnasked ? [{ mode: { is: 'text', fields }, advice }] : []
}

/** The tools are described in the prompt, and the server is told of none. */
function waysInPrompt(patient: Patient): CallWay[] {
  if (patient.mode.is === 'prompt') return []
  const format = patient.promptFormat
  return [
    {
      mode: { is: 'prompt', format },
      advice: 'With the tools in the prompt the call arrives: take the lines below.',
      remedy: { model: { tools: 'prompt', format } },
    },
  ]
}

/** The way for a server that does not take results: they stand in the prompt, and calls must still arrive. */
export async function findWayForResults(
  patient: Patient,
  isTaken: (answer: Answer) => boolean,
): Promise<CallWay | null> {
  const [way] = waysInPrompt(patient)
  if (way === undefined || !isTaken(await patient.ask(questions.result, way.mode))) return null
  if (!(await works(patient, questions.call, way))) return null
  patient.mode = way.mode
  return way
}
