import { type AnswerTranslation, type DialectId, dialects, type Failure } from '@dragoman/core'
import { isObject } from '../base/is-object.ts'

/** Takes a piece of an answer that its client may name by this id. */
export type KeepPiece = (id: string, piece: object) => void

/** The same translation, of which the pieces are kept once it is whole. */
export function keepingPieces(
  translation: AnswerTranslation,
  dialect: DialectId,
  wants: 'stream' | 'whole',
  keep: KeepPiece,
): AnswerTranslation {
  return new KeptTranslation(translation, dialect, wants, keep)
}

class KeptTranslation implements AnswerTranslation {
  private readonly inner: AnswerTranslation
  private readonly dialect: DialectId
  private readonly keep: KeepPiece
  private readonly sent: { push(text: string): void; end(): unknown }
  private isKept = false

  constructor(inner: AnswerTranslation, dialect: DialectId, wants: 'stream' | 'whole', keep: KeepPiece) {
    this.inner = inner
    this.dialect = dialect
    this.keep = keep
    const collector = dialects[dialect].answer.whole.collect()
    this.sent =
      wants === 'whole'
        ? new WholeText()
        : { push: (text) => collector.push(text), end: () => collector.end()?.value }
  }

  get state(): AnswerTranslation['state'] {
    return this.inner.state
  }

  get failure(): Failure | null {
    return this.inner.failure
  }

  get isStarted(): boolean {
    return this.inner.isStarted
  }

  keepAlive(): string | null {
    return this.inner.keepAlive?.() ?? null
  }

  push(chunk: string | Uint8Array): string {
    return this.passed(this.inner.push(chunk))
  }

  end(cause?: Failure): string {
    return this.passed(this.inner.end(cause))
  }

  private passed(text: string): string {
    if (text !== '') this.sent.push(text)
    if (this.inner.state !== 'ended' || this.isKept) return text
    this.isKept = true
    // Of an answer that broke off a client names nothing: it asks again.
    if (this.inner.failure === null) this.keepAll(this.sent.end())
    return text
  }

  private keepAll(answer: unknown): void {
    const pieces = isObject(answer) ? dialects[this.dialect].request.references?.piecesOf(answer) : undefined
    for (const [id, piece] of pieces ?? []) this.keep(id, piece)
  }
}

class WholeText {
  private text = ''

  push(text: string): void {
    this.text += text
  }

  end(): unknown {
    return this.text === '' ? undefined : JSON.parse(this.text)
  }
}
