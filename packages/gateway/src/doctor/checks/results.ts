import { shortened } from '../../base/printable.ts'
import { type Check, fail, type Finding, note, ok, warn } from '../finding.ts'
import { isCall, judgeCall } from '../judge-call.ts'
import type { CallMode, Patient } from '../patient.ts'
import { codeWord, questions } from '../questions.ts'
import type { Answer } from '../read-answer.ts'

/** Whether the model goes on with what a tool answered. */
export const resultChecks: readonly Check[] = [
  { id: 'result', title: 'a result sent back', needs: ['call-streamed'], run: result },
]

async function result(patient: Patient): Promise<Finding> {
  const answer = await patient.answer('result')
  const trouble = troubleOf(answer)
  if (trouble === null) return reading(answer)
  const seen = `the server refuses it: ${trouble}`
  const advice = 'An agent gets an error after its first call.'
  if (patient.mode.is === 'prompt') return fail(seen, advice)
  const format = patient.promptFormat
  const mode: CallMode = { is: 'prompt', format }
  const isTaken = troubleOf(await patient.ask(questions.result, mode)) === null
  // A model that is told of the tools in its prompt must still call them.
  if (!isTaken || !isCall(judgeCall(await patient.ask(questions.call, mode)))) return fail(seen, advice)
  patient.mode = mode
  return warn(seen, `${advice} With tools and results in the prompt it is taken: take the lines below.`, {
    model: { tools: 'prompt', format },
  })
}

export function troubleOf({ refusal, failure }: Answer): string | null {
  const trouble = refusal ?? failure
  return trouble === null ? null : shortened(trouble.message, 200)
}

function reading({ text, calls }: Answer): Finding {
  if (text.toLowerCase().includes(codeWord)) return ok('taken, and the answer uses it')
  if (calls.length > 0) {
    return warn(
      'taken, but the model calls the tool again',
      'The template of the model may not show it results.',
    )
  }
  return note('taken, but the answer does not use it', 'The template of the model may not show it results.')
}
