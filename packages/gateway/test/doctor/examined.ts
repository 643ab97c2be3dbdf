import { examine, isWell } from '../../src/doctor/doctor.ts'
import type { CheckedFinding } from '../../src/doctor/finding.ts'
import { openPatient } from '../../src/doctor/open-patient.ts'
import { configOf, remedyOf } from '../../src/doctor/prescription.ts'
import { startSimulator } from '../../src/cli/built-in-simulator.ts'
import { createSimulator } from '../../src/simulator/server.ts'
import type { SimulatorSettings } from '../../src/simulator/settings.ts'
import { configFor, type GatewaySetup } from '../server/running-gateway.ts'

/** What the doctor found out about one upstream. */
export interface Examined {
  readonly findings: readonly CheckedFinding[]
  /** The finding of a check. */
  readonly finding: (id: string) => CheckedFinding
  /** The ids of the findings that are not as they should be, with their status. */
  readonly complaints: readonly string[]
  readonly works: boolean
  /** The settings that are prescribed for the upstream and for the model. */
  readonly remedy: ReturnType<typeof remedyOf>
  /** The configuration that is printed, with an upstream called `lab`. */
  readonly config: ReturnType<typeof configOf>
}

export interface ExaminedSetup extends GatewaySetup {
  readonly model: string
  readonly timeout?: number
}

export async function examined({ model, timeout = 10_000, ...setup }: ExaminedSetup): Promise<Examined> {
  const config = await configFor({ kind: 'auto', ...setup })
  const upstream = config.upstreams === 'simulator' ? undefined : config.upstreams.get('lab')
  const [rule] = config.models
  if (upstream === undefined || rule === undefined) throw new Error('there is no upstream to examine')
  const world = { now: () => performance.now(), startSimulator }
  const { patient, close } = openPatient({ upstream, rule: { ...rule, model }, timeout }, config, world)
  const findings: CheckedFinding[] = []
  try {
    for await (const finding of examine(patient)) findings.push(finding)
  } finally {
    await close()
  }
  const remedy = remedyOf(findings)
  return {
    findings,
    finding: (id) => {
      const found = findings.find((each) => each.id === id)
      if (found === undefined) throw new Error(`there is no check "${id}"`)
      return found
    },
    complaints: findings
      .filter(({ status }) => status === 'note' || status === 'warn' || status === 'fail')
      .map(({ id, status }) => `${id} ${status}`),
    works: isWell(findings),
    remedy,
    config: configOf({
      upstream: { name: 'lab', url: upstream.url, dialect: upstream.dialect, keyVariable: undefined },
      model,
      remedy,
    }),
  }
}

/** Runs `use` with the address of a simulated server, which is gone afterwards. */
export async function withServer<Result>(
  settings: SimulatorSettings,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const simulator = createSimulator({ pace: 1, ...settings })
  try {
    return await use(await simulator.listen())
  } finally {
    await simulator.close()
  }
}

/** What every simulated server is like: nobody knows it, it tells no window, and it is blind. */
export const usual = ['kind note', 'window note', 'image note']
