import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Disagreement, disagreementOn, misreadingOf } from './agreement.ts'
import type { Answer } from './answer.ts'
import { describeDisagreement } from './describe.ts'
import { anyAnswer, flawlessAnswer, plainAnswer } from './generate.ts'
import { saidBy } from './said.ts'

/** Answers of the first law; the others take a share. Each answer is seen by up to sixty-four clients. */
const numRuns = Number(process.env['CLIENTS_AGREE_RUNS'] ?? 120)
const share = Math.ceil(numRuns / 4)
const timeout = Math.max(300_000, numRuns * 200)

it(
  'says the same to clients of every dialect, streamed or whole, translated or passed through',
  () => {
    expectNone(anyAnswer(), numRuns, disagreementOn)
  },
  timeout,
)

it(
  'says what the upstream says, to the last character, where the model makes no mistakes',
  () => {
    expectNone(plainAnswer(), share, (answer) => misreadingOf(answer, saidBy(answer)))
  },
  timeout,
)

it(
  'says the same where the server makes no mistakes either',
  () => {
    expectNone(flawlessAnswer(), share, disagreementOn)
  },
  timeout,
)

function expectNone(
  answers: fc.Arbitrary<Answer>,
  runs: number,
  find: (answer: Answer) => Disagreement | null,
): void {
  const run = fc.check(
    fc.property(answers, (answer) => find(answer) === null),
    { numRuns: runs },
  )
  const [answer] = run.counterexample ?? []
  if (answer === undefined) return
  const found = find(answer)
  expect(found, 'the same answer is read in two ways, one after the other').not.toBeNull()
  if (found !== null)
    expect.fail(`${describeDisagreement(answer, found)}\n\nSEED=${run.seed}, answer ${run.numRuns}`)
}
