import { type Check, type Finding, note, ok } from '../finding.ts'
import type { Patient } from '../patient.ts'
import { troubleOf } from './results.ts'

export const imageChecks: readonly Check[] = [
  { id: 'image', title: 'an image', needs: ['stream'], run: image },
]

async function image(patient: Patient): Promise<Finding> {
  const answer = await patient.answer('image')
  const trouble = troubleOf(answer)
  if (trouble !== null) {
    return note(`refused: ${trouble}`, 'The model reads text alone: send it no screenshots.')
  }
  return /\bred\b/i.test(answer.text)
    ? ok('taken, and seen')
    : note('taken, but the model does not see it', 'The model reads text alone: send it no screenshots.')
}
