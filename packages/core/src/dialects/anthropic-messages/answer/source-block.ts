import type { BlockWriter, TextKind, Wire } from './block-writer.ts'

/** A block of text that the upstream has begun, on its way to the client. */
export class SourceBlock {
  readonly kind: TextKind
  /** Whether a text of it was held or came out otherwise. */
  hasDiffered = false
  private readonly writer: BlockWriter
  private readonly upstreamIndex: unknown
  private progress: State
  /** Its start, and white space, which makes no block if calls follow; and what came between. */
  private waiting: Wire[]
  private index = -1

  constructor(writer: BlockWriter, start: Wire, kind: TextKind) {
    this.kind = kind
    this.writer = writer
    this.upstreamIndex = start.data['index']
    // A call in the text may go on in the next block, which then is a part of it.
    this.progress = writer.isOpen('tool') ? 'split' : 'waiting'
    this.waiting = [start]
  }

  get state(): State {
    // A block of ours may have ended the upstream's.
    if (this.progress === 'open' && this.writer.openIndex !== this.index) return 'split'
    return this.progress
  }

  /** Whether the event is about this block. */
  owns(wire: Wire): boolean {
    return this.upstreamIndex === wire.data['index']
  }

  hold(wire: Wire): void {
    this.waiting.push(wire)
  }

  /** Begins a block that waits, with what it has held. The answer is whether it waited. */
  open(): boolean {
    if (this.progress !== 'waiting') return false
    this.progress = 'open'
    this.index = this.writer.takeIndex()
    this.writer.opened(this.kind, this.index)
    for (const wire of this.waiting) {
      const { type } = wire.data
      if (type === 'content_block_stop') this.writer.deferStop(wire)
      else if (type === 'content_block_start' || type === 'content_block_delta') this.pass(wire)
      else this.writer.passBeside(wire)
    }
    this.waiting = []
    return true
  }

  pass(wire: Wire): void {
    this.writer.pass(wire, this.index)
  }

  split(): void {
    this.progress = 'split'
  }
}

/** `waiting`: its events are held until it says anything. `split`: what it says is in blocks of ours. */
type State = 'waiting' | 'open' | 'split'
