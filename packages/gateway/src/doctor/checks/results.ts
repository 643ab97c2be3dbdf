import { shortened } from '../../base/printable.ts'
import { findWayForResults } from '../call-ways.ts'
import { type Check, fail, type Finding, note, ok, warn } from '../finding.ts'
import type { Patient } from '../patient.ts'
import { codeWord } from '../questions.ts'
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
  const way = await findWayForResults(patient, (given) => troubleOf(given) === null)
  return way === null ? fail(seen, advice) : warn(seen, `${advice} ${way.advice}`, way.remedy)
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
