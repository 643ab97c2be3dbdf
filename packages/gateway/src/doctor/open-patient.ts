import type { GatewayConfig, Upstream } from '../config/config.ts'
import { secretsOf } from '../config/secrets-of.ts'
import { createRedactor } from '../security/redact.ts'
import { Upstreams, type UpstreamsOptions } from '../upstream/upstreams.ts'
import { Patient, type PatientOptions } from './patient.ts'

export interface OpenPatient {
  readonly patient: Patient
  /** Ends its connections. */
  readonly close: () => Promise<void>
}

export interface Subject {
  readonly upstream: Upstream
  readonly rule: PatientOptions['rule']
  /** Milliseconds. */
  readonly timeout: number
}

/** Makes the connections by which an upstream of the configuration is examined: through its proxies, if it has any. */
export function openPatient(
  subject: Subject,
  config: GatewayConfig,
  { now, startSimulator }: Pick<UpstreamsOptions, 'now' | 'startSimulator'>,
): OpenPatient {
  const upstreams = new Upstreams({ now, proxies: config.proxies, startSimulator })
  const redact = createRedactor(secretsOf(config))
  const patient = new Patient({ ...subject, upstreams, now, redact })
  return { patient, close: () => upstreams.close() }
}

/** How a model is asked that no rule is for. */
export const unruled: Subject['rule'] = {
  model: null,
  format: 'auto',
  tools: 'native',
  startsInReasoning: null,
  thinking: 'auto',
  window: null,
}
