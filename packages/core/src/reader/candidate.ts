import { EventCollector } from '../events.ts'
import type { ProblemCode } from '../problems.ts'
import type { Recording } from '../text/input.ts'
import type { Found } from './scanner.ts'

/**
 * Text that may be a call, held until it is certain: in reasoning until what follows is known, in
 * salvage until the call is whole, in a code fence until the fence closes.
 */
export interface Candidate {
  readonly found: Found
  /** Its source, which goes back to being text if it is no call. */
  readonly recording: Recording
  /** What the engine wrote, to be sent on if it is one. */
  readonly evidence: Evidence
  /** How many calls there were before it. */
  readonly madeBefore: number
}

/** Longer candidates are let go as text: whoever reads along must not wait for ever. */
export const LONGEST_CANDIDATE = 65_536

/** Collects what an engine reads in a candidate, and whether all of it speaks for a call. */
export class Evidence extends EventCollector {
  private readonly isDeclared: (name: string) => boolean
  private readonly mayBeUnclosed: boolean
  private verdict: 'none' | 'call' | 'no-call' = 'none'

  constructor(isDeclared: (name: string) => boolean, mayBeUnclosed: boolean) {
    super()
    this.isDeclared = isDeclared
    this.mayBeUnclosed = mayBeUnclosed
  }

  get showsCall(): boolean {
    return this.verdict === 'call'
  }

  override text(text: string): void {
    this.verdict = 'no-call'
    super.text(text)
  }

  override callStart(index: number, id: string | null, name: string): void {
    if (!this.isDeclared(name)) this.verdict = 'no-call'
    super.callStart(index, id, name)
  }

  override callEnd(index: number, complete: boolean): void {
    if (!complete) this.verdict = 'no-call'
    else if (this.verdict === 'none') this.verdict = 'call'
    super.callEnd(index, complete)
  }

  override problem(code: ProblemCode, message: string, source: string): void {
    if (code === 'unclosed-call' && !this.mayBeUnclosed) this.verdict = 'no-call'
    super.problem(code, message, source)
  }
}
