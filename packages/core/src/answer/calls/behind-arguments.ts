import { problemCodes, repairCodes, type ProblemCode, type RepairCode } from '../../problems.ts'
import { isBlank } from '../../text/space.ts'
import type { ArgumentSnapshots } from './argument-snapshots.ts'

export interface ArgumentNotes {
  problem(code: ProblemCode, message: string, source: string): void
  repair(code: RepairCode, message: string): void
}

/** What stands behind the whole arguments of a structured call, where nothing can belong to them. */
export class BehindArguments {
  length = 0
  private readonly pieces: string[] = []
  private readonly snapshots: ArgumentSnapshots

  constructor(snapshots: ArgumentSnapshots) {
    this.snapshots = snapshots
  }

  /** Some servers repeat the whole arguments at the end: they say nothing new. */
  add(text: string): void {
    if (text === '' || (this.length === 0 && this.snapshots.areRepeatedIn(text.trim()))) return
    this.pieces.push(text)
    this.length += text.length
  }

  /** What of it is text, and not left over from the writing of the call. It is told of what it was. */
  take(notes: ArgumentNotes): string {
    const text = this.pieces.splice(0).join('').trim()
    this.length = 0
    if (isBlank(text) || this.snapshots.areRepeatedIn(text)) return ''
    if (/^[}\]\s]+$/.test(text)) {
      notes.repair('surplus-closer', repairCodes['surplus-closer'])
    } else if (/^(?:<[^<>]*>\s*)+$/.test(text)) {
      notes.repair('residue', repairCodes.residue)
    } else {
      notes.problem('stray-text', problemCodes['stray-text'], text.slice(0, 256))
      return text
    }
    return ''
  }
}
