import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { combinations, plainCombinations, type Combination } from './combinations.ts'
import { type Lab, startLab } from './lab.ts'
import { share, titled } from './share.ts'
import { expectTask, oneCall, parallelCalls, twoRounds, type RunTask } from './tool-run.ts'

interface Matrix {
  /** How the model writes one call. */
  readonly all?: readonly Combination[]
  /** How it writes several. */
  readonly plain?: readonly Combination[]
  /** How many ways to write one call are tried with each model where not all are. */
  readonly ofEach?: number
}

/** What every client must be able to do, whatever the model writes; and, unless it speaks as another here does, however. */
export function describeClient(
  name: string,
  runTask: RunTask,
  { all = combinations, plain = plainCombinations, ofEach = 1 }: Matrix = {},
): void {
  describe(name, () => {
    let lab: Lab
    beforeAll(async () => {
      lab = await startLab()
    })
    afterAll(() => lab.close())

    it.each(titled(share(all, ofEach, 0)))(
      'runs the tool and hears of its result: %s',
      async (_, combination) => {
        await expectTask(runTask, lab, combination, oneCall)
      },
    )

    it.each(titled(share(plain, 1, 0)))('calls one tool after the other: %s', async (_, combination) => {
      await expectTask(runTask, lab, combination, twoRounds)
    })

    it.each(titled(share(plain, 1, 1)))('calls a tool twice at once: %s', async (_, combination) => {
      await expectTask(runTask, lab, combination, parallelCalls)
    })

    it('has sent no history that a model would stumble over', () => {
      expect(lab.simulator.historyProblems).toEqual([])
    })
  })
}
