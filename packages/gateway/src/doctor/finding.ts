import type { FormatId, ThinkingSetting } from '@dragoman/core'
import type { Patient } from './patient.ts'

/** `fail`: agents do not work with this upstream, whatever is configured. `warn`: they do, with a loss or with lines. */
export type Status = 'ok' | 'note' | 'warn' | 'fail' | 'skipped'

/** What a check found out. */
export interface Finding {
  readonly status: Status
  /** What the upstream did, in one line. */
  readonly seen: string
  /** What to do about it. */
  readonly advice?: string
  /** The configuration that mends it. */
  readonly remedy?: Remedy
}

/** Settings that make an upstream work. Those that change a request were tried before they are prescribed. */
export interface Remedy {
  readonly upstream?: { readonly kind?: string; readonly parse?: 'ours' }
  readonly model?: ModelRemedy
}

export interface ModelRemedy {
  readonly format?: FormatId
  readonly tools?: 'prompt'
  readonly startsInReasoning?: true
  readonly thinking?: ThinkingSetting
  readonly window?: number
  readonly maxTokens?: number
}

/** One thing that is looked at. */
export interface Check {
  readonly id: string
  readonly title: string
  /** The checks without which this one tells nothing: it is skipped where one of them failed. */
  readonly needs: readonly string[]
  readonly run: (patient: Patient) => Promise<Finding>
}

export interface CheckedFinding extends Finding {
  readonly id: string
  readonly title: string
  /** The check that failed, so that this one was not made. */
  readonly blockedBy?: string
}

export function ok(seen: string): Finding {
  return { status: 'ok', seen }
}

export function note(seen: string, advice?: string): Finding {
  return advice === undefined ? { status: 'note', seen } : { status: 'note', seen, advice }
}

export function warn(seen: string, advice: string, remedy?: Remedy): Finding {
  return { status: 'warn', seen, advice, ...(remedy === undefined ? {} : { remedy }) }
}

export function fail(seen: string, advice: string): Finding {
  return { status: 'fail', seen, advice }
}

export function skipped(seen: string): Finding {
  return { status: 'skipped', seen }
}
