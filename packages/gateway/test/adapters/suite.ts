import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/simulator/server.ts'
import { fields as everyField, type Field } from '../../src/simulator/settings.ts'
import { combinations, families, plainCombinations, type Combination } from '../clients/combinations.ts'
import type { Lab } from '../clients/lab.ts'
import { share, titled } from '../clients/share.ts'
import { expectTask, oneCall, parallelCalls, twoRounds, type RunTask } from '../clients/tool-run.ts'

export interface Suite {
  /** Where the client calls and the simulated model answers: by default at the simulator itself. */
  readonly start?: () => Promise<Lab>
  /** One of each style of ids and of each kind of syntax; the clients behind the gateway try them all. */
  readonly models?: readonly string[]
  /** The fields of a message that the client shows to its user. */
  readonly fields?: readonly Field[]
}

/** What every client must be able to do with an adapter and nothing else between it and the model. */
export function describeAdapter(
  name: string,
  runTask: RunTask,
  { start = startSimulator, models = families, fields = everyField }: Suite = {},
): void {
  describe(name, () => {
    let lab: Lab
    beforeAll(async () => {
      lab = await start()
    })
    afterAll(() => lab.close())

    const all = among(combinations, models, fields)
    const plain = among(plainCombinations, models, fields)

    it.each(titled(share(all, 8, 0)))('runs the tool and hears of its result: %s', async (_, combination) => {
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

async function startSimulator(): Promise<Lab> {
  const simulator = createSimulator({ pace: 0 })
  const address = await simulator.listen()
  return { address: address.replace(/\/v1$/, ''), simulator, close: () => simulator.close() }
}

function among(
  list: readonly Combination[],
  models: readonly string[],
  fields: readonly Field[],
): Combination[] {
  return list.filter(
    ({ model, field }) => models.includes(model.replace(/\+.*/, '')) && fields.includes(field),
  )
}
