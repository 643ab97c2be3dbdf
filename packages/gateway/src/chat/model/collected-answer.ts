import {
  type AnswerDecoder,
  type AnswerDecoderOptions,
  type AnswerTranslation,
  createAnswerDecoder,
  type DialectId,
  type Failure,
  readAnswer,
} from '@dragoman/core'
import type { AnswerCollector } from './answer-collector.ts'

export interface CollectedAnswerOptions extends Omit<AnswerDecoderOptions, 'sink'> {
  readonly dialect: DialectId
  readonly collector: AnswerCollector
  /** Is called with what the upstream sends, before it is read. */
  readonly onChunk: (chunk: Uint8Array) => void
}

/** Reads the answer of an upstream into a collector. The chat has no client to which text would be written. */
export function collectAnswer(
  { collector, dialect, onChunk, ...options }: CollectedAnswerOptions,
  delivered: 'stream' | 'whole',
): AnswerTranslation {
  const reading = { ...options, sink: collector }
  const decoder =
    delivered === 'stream'
      ? createAnswerDecoder(dialect, reading)
      : new BodyDecoder((body) => readAnswer(dialect, body, reading))
  return new CollectedAnswer(decoder, collector, onChunk)
}

class CollectedAnswer implements AnswerTranslation {
  private readonly decoder: AnswerDecoder
  private readonly collector: AnswerCollector
  private readonly onChunk: (chunk: Uint8Array) => void

  constructor(decoder: AnswerDecoder, collector: AnswerCollector, onChunk: (chunk: Uint8Array) => void) {
    this.decoder = decoder
    this.collector = collector
    this.onChunk = onChunk
  }

  get state(): AnswerTranslation['state'] {
    return this.decoder.state
  }

  /** What has been shown cannot be taken back: the upstream is not asked for it a second time. */
  get isStarted(): boolean {
    return this.collector.hasShown
  }

  get failure(): Failure | null {
    return this.collector.failure
  }

  push(chunk: string | Uint8Array): string {
    this.onChunk(Buffer.from(chunk))
    this.decoder.push(chunk)
    return ''
  }

  /** The collector keeps the first failure, and the cause tells more than that the stream has ended. */
  end(cause?: Failure): string {
    if (cause !== undefined) this.collector.fail(cause)
    this.decoder.end()
    return ''
  }
}

/** A whole body, read when it is all there. */
class BodyDecoder implements AnswerDecoder {
  state: AnswerDecoder['state'] = 'reading'
  private readonly chunks: Buffer[] = []
  private readonly read: (body: string) => void

  constructor(read: (body: string) => void) {
    this.read = read
  }

  push(chunk: string | Uint8Array): void {
    this.chunks.push(Buffer.from(chunk))
  }

  end(): void {
    if (this.state === 'ended') return
    this.state = 'ended'
    this.read(Buffer.concat(this.chunks).toString('utf8'))
  }
}
