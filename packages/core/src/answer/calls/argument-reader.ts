import { ArgumentSnapshots } from './argument-snapshots.ts'
import { type ArgumentNotes, BehindArguments } from './behind-arguments.ts'

/** What reading the arguments of a structured call takes, wherever they go. */
export abstract class ArgumentReader {
  protected held = 0
  protected readonly notes: ArgumentNotes
  protected readonly snapshots = new ArgumentSnapshots()
  protected readonly behind = new BehindArguments(this.snapshots)

  constructor(notes: ArgumentNotes) {
    this.notes = notes
  }

  /** How much was taken in and not given out. */
  get heldLength(): number {
    return this.held + this.behind.length
  }

  /** Text that came behind the whole arguments, and is none of them. */
  takeTextBehind(): string {
    return this.behind.take(this.notes)
  }
}
