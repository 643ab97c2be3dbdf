import type { FinishReason, Usage } from '../../../answer/answer.ts'
import { type Failure, noContent } from '../../../answer/failure.ts'
import { type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { CompactionWish } from '../../../request/conversation-request.ts'
import type { AnswerEncoder, EncodeOptions } from '../../dialect.ts'
import { responsesErrorFields } from '../errors.ts'
import { makeCompaction, withHeading } from '../request/compaction.ts'
import { encodeResponsesUsage, nothingCounted } from '../words.ts'
import { EventWriter, inside } from './events.ts'
import { ResponseObject, type ResponseState } from '../response-object.ts'

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
  private readonly events: EventWriter
  private readonly object: ResponseObject
  private progress: 'new' | 'writing' | 'ended' = 'new'
  private readonly said: string[] = []
  private counted: Usage | null = null
  private finished: FinishReason | null = null

  constructor(options: EncodeOptions, wish: CompactionWish) {
    this.options = options
    this.wish = wish
    this.events = new EventWriter(options.write)
    this.object = new ResponseObject(options)
  }

  start(): void {
    this.progress = 'writing'
    const response = `"response":${this.object.json(begun)}`
    this.events.emit('response.created', response)
    this.events.emit('response.in_progress', response)
  }

  keepAlive(): string | null {
    return this.progress === 'writing' ? this.events.made('keepalive', '') : null
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
    if (this.progress !== 'writing') return
    this.progress = 'ended'
    const error = responsesErrorFields(failure)
    const { code, message, param } = error
    this.events.emit('error', inside({ code, message, param, error }))
    const state: ResponseState = { ...begun, status: 'failed', error: { code, message } }
    this.events.emit('response.failed', `"response":${this.object.json(state)}`)
  }

  end(): void {
    if (this.progress !== 'writing' || this.finished === null) return
    const summary = this.said.join('').trim()
    if (summary === '') {
      this.fail(noContent)
      this.options.told?.failed(noContent)
      return
    }
    this.progress = 'ended'
    // A client that lacked the item would go on with a conversation that is too long. Whoever reads it is told what it lacks.
    const whole = this.finished === 'length' ? `${summary}\n[The summary breaks off here.]` : summary
    const idEnd = this.options.id.replace(/^[a-z]+_/, '')
    const item = {
      id: `cmp_${idEnd}`,
      type: 'compaction',
      encrypted_content: makeCompaction(withHeading(whole)),
    }
    this.events.emit('response.output_item.added', inside({ output_index: 0, item }))
    this.events.emit('response.output_item.done', inside({ output_index: 0, item }))
    this.events.emit('response.completed', `"response":${this.endedObject(item, idEnd, summary.length)}`)
    this.options.write('data: [DONE]\n\n')
  }

  private endedObject(item: JsonObject, idEnd: string, length: number): string {
    const usage = this.counted ?? this.estimate(length)
    const { wish } = this
    if (wish.gets === 'item') {
      return this.object.json({ ...begun, status: 'completed', output: [item], usage })
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

  /** Four characters a token is near enough where the upstream counts nothing. */
  private estimate(length: number): Usage {
    return {
      ...nothingCounted,
      inputTokens: this.options.inputTokens(),
      outputTokens: Math.ceil(length / 4),
    }
  }

  reasoning(): void {}

  reasoningProof(): void {}

  callStart(): void {}

  callDelta(): void {}

  callEnd(): void {}

  problem(): void {}

  repair(): void {}
}

const begun: ResponseState = { status: 'in_progress', output: [], usage: null, error: null, incomplete: null }

function keptMessage(message: JsonObject, id: string): JsonObject {
  return { ...message, id: nonEmptyText(message['id']) ?? id, status: 'completed' }
}
