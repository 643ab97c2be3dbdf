import type { FinishReason, Usage } from '../../../answer/answer.ts'
import { type Failure, noContent } from '../../../answer/failure.ts'
import { type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { CompactionWish } from '../../../request/conversation-request.ts'
import type { AnswerEncoder, EncodeOptions } from '../../dialect.ts'
import { makeCompaction, withHeading } from '../request/compaction.ts'
import { encodeResponsesUsage } from '../words.ts'
import { inside } from './events.ts'
import { ResponseFrame } from './frame.ts'

/**
 * Writes the summary that a model made of a conversation as the one item that a client keeps in its place. Nothing but the
 * text counts: how the model came to it is no part of a summary.
 */
export function createCompactionEncoder(options: EncodeOptions, wish: CompactionWish): AnswerEncoder {
  return new CompactionEncoder(options, wish)
}

class CompactionEncoder implements AnswerEncoder {
  private readonly options: EncodeOptions
  private readonly wish: CompactionWish
  private readonly frame: ResponseFrame
  private readonly said: string[] = []
  private counted: Usage | null = null
  private finished: FinishReason | null = null

  constructor(options: EncodeOptions, wish: CompactionWish) {
    this.options = options
    this.wish = wish
    this.frame = new ResponseFrame(options)
  }

  start(): void {
    this.frame.start()
  }

  keepAlive(): string | null {
    return this.frame.keepAlive()
  }

  text(text: string): void {
    this.said.push(text)
  }

  usage(usage: Usage): void {
    this.counted = usage
  }

  finish(reason: FinishReason): void {
    this.finished = reason
  }

  fail(failure: Failure): void {
    this.frame.fail(failure, {})
  }

  end(): void {
    if (!this.frame.isOpen || this.finished === null) return
    const summary = this.said.join('').trim()
    if (summary === '') {
      this.fail(noContent)
      this.options.told?.failed(noContent)
      return
    }
    // A client that lacked the item would go on with a conversation that is too long. Whoever reads it is told what it lacks.
    const whole = this.finished === 'length' ? `${summary}\n[The summary breaks off here.]` : summary
    const idEnd = this.options.id.replace(/^[a-z]+_/, '')
    const item = {
      id: `cmp_${idEnd}`,
      type: 'compaction',
      encrypted_content: makeCompaction(withHeading(whole)),
    }
    const { events } = this.frame
    events.emit('response.output_item.added', inside({ output_index: 0, item }))
    events.emit('response.output_item.done', inside({ output_index: 0, item }))
    this.frame.end('response.completed', this.endedObject(item, idEnd, summary.length))
  }

  private endedObject(item: JsonObject, idEnd: string, length: number): string {
    const usage = this.counted ?? this.frame.estimate(length)
    const { wish } = this
    if (wish.gets === 'item') {
      return this.frame.json({ status: 'completed', output: [item], usage })
    }
    const { id, created } = this.options
    return JSON.stringify({
      id,
      object: 'response.compaction',
      created_at: created,
      output: [...wish.kept.map((message, at) => keptMessage(message, `msg_${idEnd}${at}`)), item],
      usage: encodeResponsesUsage(usage),
    })
  }

  reasoning(): void {}

  reasoningProof(): void {}

  callStart(): void {}

  callDelta(): void {}

  callEnd(): void {}

  problem(): void {}

  repair(): void {}
}

function keptMessage(message: JsonObject, id: string): JsonObject {
  return { ...message, id: nonEmptyText(message['id']) ?? id, status: 'completed' }
}
