import type { JsonObject } from '../../../json/objects.ts'
import { encodeSse, encodeSseComment } from '../../../sse/encoder.ts'
import type { SseEvent } from '../../../sse/items.ts'
import { chunkWith } from './chunk.ts'

/** What a rewriter has for the client. Events that go on as they came, one behind the other, are one piece. */
export class ChunkOutput {
  private texts: string[] = []
  private held: string[] = []
  private source = ''
  private from = 0
  private to = 0
  private hasComments = false

  push(text: string): void {
    this.endRun()
    this.texts.push(text)
  }

  /** The part of `source` between these places goes on as it came. */
  pass(source: string, from: number, to: number): void {
    if (this.from === this.to || from !== this.to || source !== this.source) {
      this.endRun()
      this.source = source
      this.from = from
    }
    this.to = to
  }

  comment(text: string): void {
    this.hasComments = true
    this.push(encodeSseComment(text))
  }

  /** The event as it came. A comment between its lines has been written already; its source holds it once more. */
  event(event: SseEvent): void {
    this.push(this.hasComments && /^:/m.test(event.source) ? encodeSse(event) : event.source)
  }

  /** What comes next belongs to another event. */
  endEvent(): void {
    this.hasComments = false
  }

  /** A chunk in which the choices that came became those that are sent. */
  chunk(event: SseEvent, chunk: JsonObject, came: readonly unknown[], sent: readonly unknown[]): void {
    const isUnchanged = came.length === sent.length && came.every((choice, at) => choice === sent[at])
    const endsAsItCame = isUnchanged || (came.length === 1 && sent.at(-1) === came[0])
    if (!isUnchanged) this.choices(event, chunk, endsAsItCame ? sent.slice(0, -1) : sent, endsAsItCame)
    if (endsAsItCame) this.event(event)
  }

  /** A chunk for each choice. `goesOn`: the chunk itself follows, with what it says beside its choices. */
  choices(event: Partial<SseEvent>, chunk: JsonObject, choices: readonly unknown[], goesOn = false): void {
    for (const [at, choice] of choices.entries()) {
      const isLast = !goesOn && at === choices.length - 1
      this.push(encodeSse({ ...event, data: JSON.stringify(chunkWith(chunk, choice, isLast)) }))
    }
  }

  /** Keeps the last piece back until `release`: what is pushed meanwhile goes before it. */
  holdLast(): void {
    this.endRun()
    this.held.push(...this.texts.splice(-1))
  }

  release(): void {
    if (this.held.length === 0) return
    this.endRun()
    this.texts.push(...this.held)
    this.held = []
  }

  take(): string[] {
    this.endRun()
    const { texts } = this
    this.texts = []
    return texts
  }

  private endRun(): void {
    if (this.from < this.to) this.texts.push(this.source.slice(this.from, this.to))
    this.source = ''
    this.from = 0
    this.to = 0
  }
}
