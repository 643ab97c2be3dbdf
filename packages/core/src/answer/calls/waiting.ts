import type { HeldText } from '../../text/held-text.ts'
import type { OtherCall, StructuredCall } from './structured-call.ts'

/** Something of an answer that waits for the call before it. */
export type Waiting =
  | { readonly is: 'call'; readonly call: StructuredCall }
  | WaitingText
  | ({ readonly is: 'proof' } & Proof)
  | { readonly is: 'other'; readonly item: unknown; readonly call: OtherCall | null; readonly bytes: number }

export interface Proof {
  readonly proof: string
  readonly field: string | undefined
}

export interface WaitingText {
  readonly is: 'text' | 'reasoning'
  /** Where the upstream has the reasoning; empty for a text. */
  readonly field: string
  readonly text: HeldText
  isBlank: boolean
}

/**
 * What waits, in order. An upstream decides how many entries there are, and each of its events asks about them: so no
 * question looks through them, and none is moved when the first is taken.
 */
export class WaitingEntries {
  private entries: Waiting[] = []
  /** Where the first is. Those before it were taken. */
  private at = 0
  /** How many say something. */
  private saying = 0
  private lastButProofs: Waiting | undefined

  get isEmpty(): boolean {
    return this.at === this.entries.length
  }

  get first(): Waiting | undefined {
    return this.entries[this.at]
  }

  get last(): Waiting | undefined {
    return this.isEmpty ? undefined : this.entries.at(-1)
  }

  /** The last that is no proof of reasoning. */
  get lastSaid(): Waiting | undefined {
    return this.lastButProofs
  }

  /** Whether something is said behind the first. */
  get isFirstFollowed(): boolean {
    const { first } = this
    return this.saying > (first !== undefined && saysSomething(first) ? 1 : 0)
  }

  /** The last that says something. */
  findLastSaying(): Waiting | undefined {
    return this.entries.findLast((entry, at) => at >= this.at && saysSomething(entry))
  }

  push(entry: Waiting): void {
    this.entries.push(entry)
    if (saysSomething(entry)) this.saying++
    if (entry.is !== 'proof') this.lastButProofs = entry
  }

  /** More of a text that waits. */
  grow(entry: WaitingText, text: string, isTextBlank: boolean): void {
    entry.text.add(text)
    if (!entry.isBlank || isTextBlank) return
    entry.isBlank = false
    this.saying++
  }

  shift(): void {
    const { first } = this
    if (first === undefined) return
    if (saysSomething(first)) this.saying--
    this.at++
    if (this.isEmpty) {
      this.takeAll()
    } else if (this.at >= 64 && this.at * 2 >= this.entries.length) {
      // As many are moved as were taken before, so that each entry costs the same however many there are.
      this.entries = this.entries.slice(this.at)
      this.at = 0
    }
  }

  takeAll(): readonly Waiting[] {
    const left = this.entries.slice(this.at)
    this.entries = []
    this.at = 0
    this.saying = 0
    this.lastButProofs = undefined
    return left
  }
}

/** White space says nothing, as some servers send it with the end of an answer; nor does a proof. */
function saysSomething(entry: Waiting): boolean {
  if (entry.is === 'text' || entry.is === 'reasoning') return !entry.isBlank
  return entry.is !== 'proof'
}
