import type { Content, FormatId } from '@dragoman/core'

/** One answer from both sides: as the upstream sent it, and as it was understood. */
export interface KeptAnswer {
  readonly model: string
  /** `standard` where the calls were structured. */
  readonly format: FormatId
  readonly source: 'sse' | 'json'
  /** The body of the answer as it came. */
  readonly received: string
  /** Whether `received` is only the beginning. */
  readonly isCut: boolean
  readonly became: Content | null
  /** What was wrong with it, and what was repaired, in words. */
  readonly remarks: readonly string[]
}
