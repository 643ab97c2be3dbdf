import type { NewPart, Part, PartWithId } from './specification.ts'

export type TextKind = 'text' | 'reasoning'

/** A block of text or reasoning that the provider began. */
export interface SourceBlock {
  readonly kind: TextKind
  readonly start: PartWithId
  /** The provider's own end, where it came before anything of the block was sent. */
  end: Part | null
  /**
   * `empty`: no text of it has come. `held`: none was sent on. `called`: none was sent on, and a call began in it, so
   * that nothing may be left of it. `sent`: it was begun.
   */
  state: 'empty' | 'held' | 'called' | 'sent'
}

interface OpenBlock {
  readonly kind: TextKind
  readonly id: string
  /** Null for a block of ours, behind a call in the middle of the provider's block. */
  readonly source: SourceBlock | null
  /** The provider's own end. It waits, because text of the block may still be held back. */
  end: Part | null
}

/** Writes parts of a stream so that one block of text is open at a time, and each is closed. */
export class PartWriter {
  open: OpenBlock | null = null
  #parts: Part[] = []
  #ownBlocks = 0

  /** What was written since the last call. */
  take(): Part[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  write(part: Part | NewPart): void {
    this.#parts.push(part)
  }

  openSource(source: SourceBlock): void {
    this.close()
    source.state = 'sent'
    this.open = { kind: source.kind, id: source.start.id, source, end: source.end }
    this.write(source.start)
  }

  openOwn(kind: TextKind): void {
    this.close()
    this.#ownBlocks++
    const id = `dragoman-${this.#ownBlocks}`
    this.open = { kind, id, source: null, end: null }
    this.write({ type: `${kind}-start`, id })
  }

  /** Into the open block: a part with its own id or the id of the block. */
  inOpen(part: PartWithId): void {
    if (this.open === null) return
    this.write(part.id === this.open.id ? part : withId(part, this.open.id))
  }

  text(text: string): void {
    if (this.open === null) return
    const { kind, id } = this.open
    this.write({ type: `${kind}-delta`, id, delta: text })
  }

  /** The open block ends with this part, when something else is written. */
  endWith(part: Part): void {
    if (this.open !== null) this.open.end = withId(part, this.open.id)
  }

  close(): void {
    if (this.open === null) return
    const { kind, id, end } = this.open
    this.open = null
    this.write(end ?? { type: `${kind}-end`, id })
  }
}

function withId(part: Part, id: string): PartWithId {
  return { ...part, id }
}
