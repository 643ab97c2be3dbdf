import { connectionChecks } from './checks/connection.ts'
import type { Finding } from './finding.ts'
import type { Patient } from './patient.ts'

/** Why an upstream cannot be asked at all, in the words of the doctor. */
export interface Obstacle {
  /** What the upstream does: a sentence without its end. */
  readonly seen: string
  /** What to do about it: a sentence, or more. */
  readonly advice: string
}

/** Asks the upstream once. Null where it answers and lets us in. */
export async function findObstacle(patient: Patient): Promise<Obstacle | null> {
  const failed = await connectionChecks.reduce<Promise<Finding | null>>(async (before, check) => {
    const found = (await before) ?? (await check.run(patient))
    return found.status === 'fail' ? found : null
  }, Promise.resolve(null))
  return failed === null ? null : told(failed, patient)
}

/** The finding stands under the address that was examined. On its own it has to name it. */
function told({ seen, advice = '' }: Finding, { upstream }: Patient): Obstacle {
  const { host } = new URL(upstream.url)
  const [, cause] = seen.split(`${host}: `, 2)
  return { seen: cause === undefined ? seen : `no answer at ${upstream.url} (${cause})`, advice }
}
