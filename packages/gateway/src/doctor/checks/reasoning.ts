import { refusedThinkingField } from '@dragoman/core'
import { type Check, fail, type Finding, note, ok, skipped, warn } from '../finding.ts'
import type { Patient } from '../patient.ts'
import { lowEffort, withThought } from '../questions.ts'
import type { Answer, Thought } from '../read-answer.ts'
import { troubleOf } from './results.ts'

/** Where the model thinks, and what becomes of it. */
export const reasoningChecks: readonly Check[] = [
  { id: 'reasoning', title: 'reasoning', needs: ['stream'], run: reasoning },
  { id: 'reasoning-back', title: 'reasoning sent back', needs: ['result', 'reasoning'], run: reasoningBack },
]

/** Whether the model can be told how much to think. */
export const effortChecks: readonly Check[] = [
  { id: 'effort', title: 'effort', needs: ['stream'], run: effort },
]

async function effort(patient: Patient): Promise<Finding> {
  const answer = await patient.answer('effort')
  const unsaid = answer.notes.find(({ kind, field }) => kind === 'dropped' && field === 'thinking')
  if (unsaid !== undefined) return skipped(`the server is told nothing: ${unsaid.reason}`)
  const trouble = troubleOf(answer)
  if (trouble === null) return ok('a low effort is taken')
  return note(
    `refused: ${trouble}`,
    refusedThinkingField(trouble) === null
      ? 'Leave the effort unset in the client.'
      : 'The gateway asks again without it, and remembers that.',
  )
}

/** What the model thought, unasked if it did so unasked. */
async function thoughtOf(patient: Patient): Promise<(Thought & { readonly isAsked: boolean }) | undefined> {
  const unasked = thoughtIn(await patient.given('call', 'plain', 'wholeCall'))
  if (unasked !== undefined) return { ...unasked, isAsked: false }
  if (patient.rule.thinking === 'off') return undefined
  const asked = thoughtIn([await patient.answer('effort')])
  return asked === undefined ? undefined : { ...asked, isAsked: true }
}

function thoughtIn(answers: readonly Answer[]): Thought | undefined {
  return answers.flatMap(({ thoughts }) => thoughts).find(({ text }) => text.trim() !== '')
}

async function reasoning(patient: Patient): Promise<Finding> {
  const answers = await patient.given('call', 'plain', 'wholeCall')
  const isOpen = answers.some(({ problems }) => problems.includes('unopened-reasoning'))
  if (isOpen) {
    return warn(
      'answers begin inside the reasoning: it is closed in the text, and was never opened',
      'The template opens it. Say so with the lines below, so that no thought is taken for text.',
      { model: { startsInReasoning: true } },
    )
  }
  const thought = await thoughtOf(patient)
  if (thought === undefined) return ok('none was seen')
  if (thought.field !== 'content') return ok(`in the field ${thought.field}`)
  // An item of reasoning has a content too, and its parts are of this type.
  const all = [...answers, ...(await patient.given('effort'))]
  const isApart = all.some(({ exchange }) => exchange.body.includes('"reasoning_text"'))
  return ok(isApart ? 'in items of its own' : 'in the text, between tags: the gateway takes it out')
}

async function reasoningBack(patient: Patient): Promise<Finding> {
  const thought = await thoughtOf(patient)
  if (thought === undefined) return skipped('there is none to send')
  const question = withThought(thought.text, patient.sign(thought))
  const trouble = troubleOf(await patient.ask(thought.isAsked ? { ...question, ...lowEffort } : question))
  if (trouble === null) return ok('taken')
  const seen = `refused: ${trouble}`
  const silent = await patient.answer('noThinking')
  if (troubleOf(silent) === null && silent.thoughts.length === 0) {
    return warn(seen, 'Without thinking there is nothing to send back: take the lines below.', {
      model: { thinking: 'off' },
    })
  }
  return fail(seen, 'An agent gets an error after the first call before which the model thought.')
}
