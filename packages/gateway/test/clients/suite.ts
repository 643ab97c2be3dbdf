import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { combinations, plainCombinations, type Combination } from './combinations.ts'
import { isThorough } from '../thorough.ts'
import { type Lab, startLab } from './lab.ts'
import { expectTask, oneCall, parallelCalls, twoRounds, type RunTask } from './tool-run.ts'

interface Matrix {
  /** How the model writes one call. */
  readonly all?: readonly Combination[]
  /** How it writes several. */
  readonly plain?: readonly Combination[]
}

/** What every client must be able to do, whatever the model writes; and, unless it speaks as another here does, however. */
export function describeClient(
  name: string,
  runTask: RunTask,
  { all = combinations, plain = plainCombinations }: Matrix = {},
): void {
  describe(name, () => {
    let lab: Lab
    beforeAll(async () => {
      lab = await startLab()
    })
    afterAll(() => lab.close())

    it.each(titled(share(all, 1, 0)))('runs the tool and hears of its result: %s', async (_, combination) => {
      await expectTask(runTask, lab, combination, oneCall)
    })

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

/**
 * So many combinations of each model, others with each, so that all models together try every one. `from` makes two shares of
 * the same list differ.
 */
function share(list: readonly Combination[], ofEach: number, from: number): readonly Combination[] {
  if (isThorough) return list
  const byModel = new Map<string, Combination[]>()
  for (const each of list) {
    const name = each.model.replace(/\+.*/, '')
    byModel.set(name, [...(byModel.get(name) ?? []), each])
  }
  // Seven divides no number of combinations, so that its multiples begin everywhere.
  return [...byModel.values()].flatMap((all, nth) =>
    all.filter((_, at) => (at + 7 * nth + from) % Math.ceil(all.length / ofEach) === 0),
  )
}

function titled(list: readonly Combination[]): [string, Combination][] {
  return list.map((each) => [`${each.model} ${each.isStream ? 'as a stream' : 'in one piece'}`, each])
}
