import type { Check } from '../finding.ts'
import { callChecks } from './calls.ts'
import { connectionChecks } from './connection.ts'
import { endingChecks } from './endings.ts'
import { imageChecks } from './image.ts'
import { effortChecks, reasoningChecks } from './reasoning.ts'
import { resultChecks } from './results.ts'
import { serverChecks } from './server.ts'
import { streamChecks, usageChecks } from './streaming.ts'

/** Every check, in the order in which they are made and told. */
export const checks: readonly Check[] = [
  ...connectionChecks,
  ...serverChecks,
  ...streamChecks,
  ...callChecks,
  ...resultChecks,
  ...reasoningChecks,
  ...usageChecks,
  ...endingChecks,
  ...imageChecks,
  ...effortChecks,
]
