import { isBlank } from '../../text/space.ts'
import type { PartWriter, SourceBlock, TextKind } from './part-writer.ts'
import type { Part, PartWithId } from './specification.ts'

/**
 * The blocks of text and reasoning of an answer. A block of the model's is begun when something of it is sent, so one
 * that holds nothing but calls leaves no empty block behind.
 */
export class TextBlocks {
  readonly #writer: PartWriter
  readonly #sources = new Map<string, SourceBlock>()
  /** The block that text was read from last. */
  #current: SourceBlock | null = null
  /** White space that gets no block of its own if a call follows. */
  #space: { readonly kind: TextKind; text: string } | null = null

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
    this.#current = this.#sourceOf(kind, id)
    if (this.#current.state === 'empty') this.#current.state = 'held'
  }

  /** A delta without text: a signature, or nothing at all. It is of no use to a block that was cut in two. */
  pass(kind: TextKind, part: PartWithId): void {
    const source = this.#sourceOf(kind, part.id)
    if (source.state === 'empty' || source.state === 'held') this.#openSource(source)
    if (this.#writer.open?.source === source) this.#writer.inOpen(part)
  }

  end(kind: TextKind, part: Part, id: string): void {
    const source = this.#sources.get(`${kind} ${id}`)
    if (source === undefined) return
    this.#sources.delete(`${kind} ${id}`)
    if (source.state === 'empty') this.#openSource(source)
    const { open } = this.#writer
    if (source.state !== 'sent') source.end = part
    else if (open?.source === source || (open?.source === null && open.kind === kind)) {
      this.#writer.endWith(part)
    }
  }

  /** `as` is the part to send where the text is that of a part, unchanged. */
  text(kind: TextKind, text: string, as?: PartWithId): void {
    const source = this.#current?.kind === kind && this.#current.state !== 'sent' ? this.#current : null
    if (this.#writer.open?.kind !== kind || source !== null) {
      if (isBlank(text)) return this.#keepSpace(kind, text)
      if (source === null) this.#writer.openOwn(kind)
      else this.#openSource(source)
    }
    this.#flushSpace(kind)
    if (as === undefined) this.#writer.text(text)
    else this.#writer.inOpen(as)
  }

  callBegins(): void {
    this.#space = null
    if (this.#current?.state === 'held') this.#current.state = 'called'
  }

  close(): void {
    // An answer of white space alone is one all the same.
    if (this.#space !== null && this.#current?.state === 'held') this.#openSource(this.#current)
    this.#space = null
    this.#writer.close()
  }

  #sourceOf(kind: TextKind, id: string): SourceBlock {
    return this.#sources.get(`${kind} ${id}`) ?? this.begin(kind, { type: `${kind}-start` }, id)
  }

  #openSource(source: SourceBlock): void {
    this.#writer.openSource(source)
    this.#flushSpace(source.kind)
  }

  #keepSpace(kind: TextKind, text: string): void {
    if (this.#space?.kind === kind) this.#space.text += text
    else this.#space = { kind, text }
  }

  #flushSpace(kind: TextKind): void {
    if (this.#space?.kind === kind) this.#writer.text(this.#space.text)
    this.#space = null
  }
}
