import type { GatewayConfig, Upstream } from '../config/config.ts'
import type { UpstreamsOptions } from '../upstream/upstreams.ts'
import { connectionChecks } from './checks/connection.ts'
import type { Finding } from './finding.ts'
import { openPatient, unruled } from './open-patient.ts'
import type { Patient } from './patient.ts'

/** Why nothing can be asked of an upstream, in the words of the doctor. */
export interface Obstacle {
  /** `unreached`: no connection came about, so that no request of any kind can work. */
  readonly is: 'unreached' | 'refused'
  /** What the upstream does: a sentence without its end. */
  readonly seen: string
  /** What to do about it. */
  readonly advice: string
}

/** Asks the upstream once, for its models. Null where it answers and lets us in. */
export async function findObstacle(
  upstream: Upstream,
  config: GatewayConfig,
  world: Pick<UpstreamsOptions, 'now' | 'startSimulator'>,
  timeout: number,
): Promise<Obstacle | null> {
  const { patient, close } = openPatient({ upstream, rule: unruled, timeout }, config, world)
  try {
    const failed = await firstFailure(patient)
    return failed === null ? null : await obstacleOf(failed, patient)
  } finally {
    await close()
  }
}

function firstFailure(patient: Patient): Promise<Finding | null> {
  return connectionChecks.reduce<Promise<Finding | null>>(async (before, check) => {
    const found = (await before) ?? (await check.run(patient))
    return found.status === 'fail' ? found : null
  }, Promise.resolve(null))
}

/** A finding stands under the address that was examined. On its own it has to name the address. */
async function obstacleOf({ seen, advice = '' }: Finding, patient: Patient): Promise<Obstacle> {
  const { url } = patient.upstream
  const { status, fault } = await patient.list()
  // A server that took the connection is there, and may only be slow.
  const is = status === 0 && fault?.code !== 'headers-timeout' ? 'unreached' : 'refused'
  const [, cause] = seen.split(`${new URL(url).host}: `, 2)
  return { is, seen: cause === undefined ? seen : `no answer at ${url} (${cause})`, advice }
}
