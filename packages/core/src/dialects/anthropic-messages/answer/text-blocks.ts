import { nonEmptyText, objectIn } from '../../../json/objects.ts'
import { isBlank } from '../../../text/space.ts'
import type { BlockKind, BlockWriter } from './blocks.ts'
import type { Wire } from './decode.ts'

/**
 * The blocks of text and reasoning of a message. A block of the upstream's passes as it came while the policy says what it
 * says. Where text was held, or a call was found in it, what it says goes into blocks of ours.
 */
export class TextBlocks {
  private readonly writer: BlockWriter
  /** The block that the upstream has begun last. */
  private source: SourceBlock | null = null
  /** Those before it of which text is still held. */
  private earlier: SourceBlock[] = []
  /** Those that the upstream has not ended, although it has begun another. */
  private readonly unended = new Map<unknown, SourceBlock>()
  /** White space that gets no block of its own. */
  private space: { readonly kind: BlockKind; readonly text: string } | null = null
  private readonly held: HeldCount = { length: 0 }

  constructor(writer: BlockWriter) {
    this.writer = writer
  }

  /** How much waits: events of blocks that say nothing so far, and white space. */
  get heldLength(): number {
    return this.held.length + (this.space?.text.length ?? 0)
  }

  /** The upstream begins a block. */
  begin(start: Wire, kind: BlockKind): void {
    if (this.source?.isHeld === true) this.earlier.push(this.source)
    this.source = new SourceBlock(this.writer, start, kind, this.held)
    this.unended.set(start.data['index'], this.source)
  }

  /**
   * A signature of a block behind which the upstream has begun another. It goes into its block as long as that is open. The
   * answer is where it went; null where the upstream has begun no such block.
   */
  passLateSignature(wire: Wire): 'passed' | 'late' | null {
    const block = this.unended.get(wire.data['index'])
    if (block?.kind !== 'thinking') return null
    if (block.state !== 'open') return 'late'
    block.pass(wire)
    return 'passed'
  }

  /** The kind of the block that the event is about; null where it is about no block of text. */
  kindOf(wire: Wire): BlockKind | null {
    return this.source?.owns(wire) === true ? this.source.kind : null
  }

  /** Some servers number every block alike: what follows an event that begins another is no longer about the text. */
  forget(wire: Wire): void {
    this.unended.delete(wire.data['index'])
    if (this.source?.owns(wire) === true) this.source = null
  }

  /** Passes a delta of text on, if the policy says the same. The answer is whether it may. */
  pass(wire: Wire, text: string, isSame: boolean): boolean {
    const { source } = this
    if (source === null) return false
    // Where text was held, of this block or of one before it, what follows it goes where that text goes.
    if (!isSame || this.earlier.length > 0 || source.isHeld || source.state === 'split') {
      source.hasDiffered = true
      return false
    }
    if (source.state === 'waiting' && isBlank(text)) source.hold(wire)
    else this.passInto(source, wire)
    return true
  }

  /** Whether the next delta like this one goes on as it came, if the policy says the same. */
  passesNextAsItCame(wire: Wire): boolean {
    return this.earlier.length === 0 && this.source?.isOpenAs(wire.data['index']) === true
  }

  /** A delta of something else, such as a signature or a citation. It is of no use in a block that was split. */
  passOther(wire: Wire): void {
    const { source } = this
    if (source?.isHeld === true) source.hold(wire)
    else if (source !== null && source.state !== 'split') this.passInto(source, wire)
  }

  /** The upstream ends a block. One behind which it has begun another ends for the client when that one says something. */
  end(stop: Wire): void {
    this.unended.delete(stop.data['index'])
    if (this.source?.owns(stop) === true) this.source.end(stop)
  }

  /** An event beside the blocks keeps its place among those that wait. */
  passBeside(wire: Wire): void {
    const { source } = this
    if (source?.state === 'waiting' && !source.hasDiffered) source.hold(wire)
    else this.writer.passBeside(wire)
  }

  /** Writes text that the policy made. */
  say(kind: BlockKind, text: string): void {
    const isOpen = this.writer.isOpen(kind)
    const waiting = [...this.earlier, this.source].filter((each) => each?.isWaitingFor(kind))
    // White space that a block has held belongs before this text, whatever block is open.
    const holder = waiting.find((each) => each?.hasHeldText)
    if (isBlank(text) && (!isOpen || holder !== undefined)) {
      this.space = { kind, text: this.spaceBefore(kind) + text }
      return
    }
    const source = holder ?? (isOpen ? null : waiting[0])
    source?.open()
    this.earlier = this.earlier.filter((each) => each !== source && (each.kind !== kind || each.hasHeldText))
    this.writer.text(kind, this.spaceBefore(kind) + text)
    this.space = null
  }

  /** Something else begins: the text before it is over. */
  leave(): void {
    this.source?.split()
    this.earlier = []
    this.space = null
  }

  private spaceBefore(kind: BlockKind): string {
    return this.space?.kind === kind ? this.space.text : ''
  }

  private passInto(source: SourceBlock, wire: Wire): void {
    const space = this.spaceBefore(source.kind)
    if (source.open() && space !== '') this.writer.text(source.kind, space)
    this.space = null
    source.pass(wire)
  }
}

/** How much the blocks of a message hold together. */
interface HeldCount {
  length: number
}

/** A block of text that the upstream has begun, on its way to the client. */
class SourceBlock {
  readonly kind: BlockKind
  /** Whether a text of it was held or came out otherwise. */
  hasDiffered = false
  private readonly writer: BlockWriter
  private readonly upstreamIndex: unknown
  private progress: SourceState
  /** Its start, and white space, which makes no block if nothing follows; and what came between. */
  private waiting: Wire[] = []
  private readonly held: HeldCount
  private index = -1

  constructor(writer: BlockWriter, start: Wire, kind: BlockKind, held: HeldCount) {
    this.kind = kind
    this.writer = writer
    this.upstreamIndex = start.data['index']
    // A call in the text may go on in the next block, which then is a part of it.
    this.progress = writer.isOpen('tool') ? 'split' : 'waiting'
    this.held = held
    this.hold(start)
  }

  get state(): SourceState {
    // A block of ours may have ended the upstream's.
    if (this.progress === 'open' && this.writer.openIndex !== this.index) return 'split'
    return this.progress
  }

  isWaitingFor(kind: BlockKind): boolean {
    return this.kind === kind && this.state === 'waiting'
  }

  /** Whether it waits, and text of it is held. */
  get isHeld(): boolean {
    return this.state === 'waiting' && this.hasDiffered
  }

  /** Whether white space of it waits. */
  get hasHeldText(): boolean {
    return this.waiting.some(({ data }) => nonEmptyText(objectIn(data, 'delta')[this.kind]) !== null)
  }

  /** Whether the client knows the block by this number, which is the upstream's. */
  isOpenAs(index: unknown): boolean {
    return this.state === 'open' && this.index === index && this.upstreamIndex === index
  }

  /** Whether the event is about this block. */
  owns(wire: Wire): boolean {
    return this.upstreamIndex === wire.data['index']
  }

  private get isSigned(): boolean {
    return this.waiting.some(
      ({ data }) => nonEmptyText(objectIn(data, 'content_block')['signature']) !== null,
    )
  }

  hold(wire: Wire): void {
    this.waiting.push(wire)
    this.held.length += wire.event.source.length
  }

  /**
   * The upstream has ended the block. What it said may still be held. White space alone makes no block, nor does nothing
   * at all: a client that sends such a block back is refused. A signature is what a client must send back, even alone.
   */
  end(stop: Wire): void {
    const { state } = this
    if (state === 'open') this.writer.deferStop(stop)
    if (state !== 'waiting') return
    this.hold(stop)
    if (this.isSigned) this.open()
    else if (!this.hasDiffered) this.drop()
  }

  private drop(): void {
    this.progress = 'split'
    for (const wire of this.waiting)
      if (wire.data['index'] !== this.upstreamIndex) this.writer.passBeside(wire)
    this.release()
  }

  /** Begins a block that waits, with what it has held. The answer is whether it waited. */
  open(): boolean {
    if (this.progress !== 'waiting') return false
    this.progress = 'open'
    this.index = this.writer.begin(this.kind)
    for (const wire of this.waiting) {
      const { type } = wire.data
      if (type === 'content_block_stop') this.writer.deferStop(wire)
      else if (type === 'content_block_start' || type === 'content_block_delta') this.pass(wire)
      else this.writer.passBeside(wire)
    }
    this.release()
    return true
  }

  pass(wire: Wire): void {
    this.writer.passInText(wire, this.index)
  }

  split(): void {
    this.progress = 'split'
    this.release()
  }

  private release(): void {
    for (const { event } of this.waiting) this.held.length -= event.source.length
    this.waiting = []
  }
}

/** `waiting`: its events are held until it says anything. `split`: what it says is in blocks of ours. */
type SourceState = 'waiting' | 'open' | 'split'
