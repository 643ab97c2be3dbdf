import { shortened } from '../../base/printable.ts'
import { type Check, fail, type Finding, note, ok, warn } from '../finding.ts'
import { isLate, isPage, spoken } from '../http.ts'
import type { Patient } from '../patient.ts'
import type { Answer } from '../read-answer.ts'
import { isLoading, keyRefused, stillLoading } from './connection.ts'

/** The first answer, and how it travels. */
export const streamChecks: readonly Check[] = [
  { id: 'stream', title: 'streaming', needs: ['model'], run: stream },
]

/** With fewer events, or in less time, nothing can be said about when they came. */
const LEAST_EVENTS = 6
const LEAST_MS = 100
/** The part of the whole time in which all events of a stream come that was held back. */
const HELD_SHARE = 0.02

async function stream(patient: Patient): Promise<Finding> {
  const answer = await patient.answer('plain')
  const { refusal, failure, delivered, events, exchange } = answer
  if (exchange.status === 401 || exchange.status === 403) return keyRefused(patient, refusal?.message ?? '')
  if (refusal !== null) return refused(patient, answer)
  if (isPage(exchange)) return fail('the answer is a web page', 'Check the path of the address.')
  if (delivered === 'whole' && failure === null) {
    return warn(
      'JSON came in place of a stream',
      'The gateway makes a stream of it, but clients see nothing until the answer is complete.',
    )
  }
  if (failure !== null)
    return fail(`the answer is broken: ${failure.message}`, 'Look at the log of the server.')
  const duration = Math.round(exchange.duration)
  if (events >= LEAST_EVENTS && duration >= LEAST_MS && spread(answer) < exchange.duration * HELD_SHARE) {
    return warn(
      `${events} events, all of them at once after ${duration} ms`,
      'Something holds the stream back until its end, often a proxy: turn its buffering off.',
    )
  }
  return ok(`${events} events in ${duration} ms`)
}

function refused({ model, line }: Patient, { refusal, exchange }: Answer): Finding {
  const words = shortened(refusal?.message ?? '', 200)
  if (exchange.status === 0) {
    const isOurs = exchange.fault !== null && isLate(exchange.fault)
    return fail(
      `no answer: ${words === '' ? (refusal?.code ?? '') : words}`,
      isOurs
        ? `If the server needs more than ${spoken(line.timeout)}, say so with --timeout.`
        : 'Look at the log of the server.',
    )
  }
  if (isLoading(exchange)) return stillLoading()
  const advice =
    exchange.status === 404
      ? `Check the path of the address (most have /v1), and whether the server knows ${model}.`
      : 'Look at the log of the server.'
  return fail(`the server answers ${exchange.status}: ${words}`, advice)
}

/** The time from the first piece to the last. */
function spread({ exchange: { arrivals } }: Answer): number {
  return (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)
}

/** What the server counts. */
export const usageChecks: readonly Check[] = [{ id: 'usage', title: 'usage', needs: ['stream'], run: usage }]

async function usage(patient: Patient): Promise<Finding> {
  const streamed = await patient.answer('plain')
  if (streamed.usage !== null) return ok('counted, in streams too')
  const asked = await patient.given('wholeCall', 'required', 'named', 'result', 'noThinking')
  const whole = asked.filter(
    ({ delivered, place, refusal }) => delivered === 'whole' && place === 'answer' && refusal === null,
  )
  const seen = whole.some(({ usage: counted }) => counted !== null)
    ? 'counted, but not in streams'
    : whole.length === 0
      ? 'not counted in streams'
      : 'not counted'
  return note(seen, 'Clients that watch how full the window is go by the estimate of the gateway.')
}
