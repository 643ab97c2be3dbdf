import { isBlank } from '../../text/space.ts'
import type { PartWriter, SourceBlock, TextKind } from './part-writer.ts'
import type { Part, PartWithId } from './specification.ts'

/**
 * The blocks of text and reasoning of an answer. A block of the provider's is begun when something of it is sent, so
 * one that holds nothing but calls leaves no empty block behind.
 */
export class TextBlocks {
  readonly #writer: PartWriter
  readonly #sources = new Map<string, SourceBlock>()
  /** The blocks that text and reasoning were read from last. What was held of one kind may go out behind the other. */
  readonly #latest = new Map<TextKind, SourceBlock>()
  /** White space that gets no block of its own if a call in the text follows. */
  #space: HeldSpace | null = null

  constructor(writer: PartWriter) {
    this.#writer = writer
  }

  begin(kind: TextKind, start: Part, id: string): SourceBlock {
    const source: SourceBlock = { kind, start: { ...start, id }, end: null, state: 'empty' }
    this.#sources.set(`${kind} ${id}`, source)
    return source
  }

  /** Text of this block is read next. */
  read(kind: TextKind, id: string): void {
    const source = this.#sourceOf(kind, id)
    if (source !== this.#space?.source) this.#releaseSpace()
    this.#latest.set(kind, source)
    if (source.state === 'empty') source.state = 'held'
  }

  /** A delta without text: a signature, or nothing at all. It is of no use to a block that was cut in two. */
  pass(kind: TextKind, part: PartWithId): void {
    const source = this.#sourceOf(kind, part.id)
    if (source.state === 'empty' || source.state === 'held') this.#open(kind, source)
    if (this.#writer.open?.source === source) this.#writer.inOpen(part)
  }

  end(kind: TextKind, part: Part, id: string): void {
    const source = this.#sources.get(`${kind} ${id}`)
    if (source === undefined) return
    this.#sources.delete(`${kind} ${id}`)
    if (source.state === 'empty') this.#open(kind, source)
    const { open } = this.#writer
    if (source.state !== 'sent') source.end = part
    else if (open?.source === source || (open?.source === null && open.kind === kind)) {
      this.#writer.endWith(part)
    }
  }

  /** `as` is the part to send where the text is that of a part, unchanged. */
  text(kind: TextKind, text: string, as?: PartWithId): void {
    const latest = this.#latest.get(kind)
    const source = latest === undefined || latest.state === 'sent' ? null : latest
    if (this.#writer.open?.kind !== kind || source !== null) {
      const mayBeMarkup = isBlank(text) && (source !== null || as === undefined)
      if (mayBeMarkup) {
        this.#hold(kind, source, text, as)
        return
      }
      this.#open(kind, source)
    }
    if (as === undefined) this.#writer.text(text)
    else this.#writer.inOpen(as)
  }

  /** A call in the text begins. White space that touches its markup is markup. */
  callBegins(): void {
    this.#space = null
    for (const source of this.#latest.values()) if (source.state === 'held') source.state = 'called'
    this.#writer.close()
  }

  /** Something that is no text comes next. It may stand inside a block that the provider has not ended. */
  settle(): void {
    this.#releaseSpace()
    const { open } = this.#writer
    if (open !== null && open.end !== null) this.#writer.close()
  }

  close(): void {
    this.#releaseSpace()
    this.#writer.close()
  }

  #sourceOf(kind: TextKind, id: string): SourceBlock {
    return this.#sources.get(`${kind} ${id}`) ?? this.begin(kind, { type: `${kind}-start` }, id)
  }

  #hold(kind: TextKind, source: SourceBlock | null, text: string, as?: PartWithId): void {
    if (this.#space?.kind !== kind || this.#space.source !== source) this.#releaseSpace()
    this.#space ??= new HeldSpace(kind, source)
    this.#space.add(text, as)
    if (this.#space.length > longestSpace) this.#open(kind, source)
  }

  /** White space in a block of the provider's stands as it came; for that which the parser left no block is made. */
  #releaseSpace(): void {
    const source = this.#space?.source ?? null
    if (source === null) this.#space = null
    else this.#open(source.kind, source)
  }

  /** With the white space that belongs into the block, before anything else of it. */
  #open(kind: TextKind, source: SourceBlock | null): void {
    if (this.#space !== null && this.#space.source !== source) this.#releaseSpace()
    const space = this.#space
    this.#space = null
    if (source === null) this.#writer.openOwn(kind)
    else this.#writer.openSource(source)
    if (space?.kind === kind) space.writeTo(this.#writer)
  }
}

/** White space of a block that nothing was sent of, until it is known what follows it. */
class HeldSpace {
  readonly kind: TextKind
  /** Null for white space that belongs into no block of the provider's. */
  readonly source: SourceBlock | null
  length = 0
  readonly #pieces: (string | PartWithId)[] = []

  constructor(kind: TextKind, source: SourceBlock | null) {
    this.kind = kind
    this.source = source
  }

  add(text: string, as?: PartWithId): void {
    const last = this.#pieces.at(-1)
    const isJoined = as === undefined && typeof last === 'string'
    if (isJoined) this.#pieces[this.#pieces.length - 1] = last + text
    else this.#pieces.push(as ?? text)
    this.length += text.length
  }

  writeTo(writer: PartWriter): void {
    for (const piece of this.#pieces) {
      if (typeof piece === 'string') writer.text(piece)
      else writer.inOpen(piece)
    }
  }
}

const longestSpace = 256
