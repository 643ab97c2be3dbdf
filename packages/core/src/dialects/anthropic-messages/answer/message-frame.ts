import type { FinishReason, Usage } from '../../../answer/answer.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { type BlockWriter, changedWire, type Wire } from './block-writer.ts'
import { decodeStopReason, encodeStopReason } from './stop-reason.ts'
import { decodeAnthropicUsage, nothingCounted, withCounts } from './usage.ts'

export interface MessageFrameOptions {
  readonly onUsage?: ((usage: Usage) => void) | undefined
  /** Something that every message has was left out by the upstream, and was filled in. */
  readonly onFilled: () => void
}

/**
 * What stands around the blocks of a message. The upstream may tell the end in several events; the client gets one,
 * behind the last block.
 */
export class MessageFrame {
  private readonly writer: BlockWriter
  private readonly options: MessageFrameOptions
  private counted: Usage = nothingCounted
  private end: { readonly wire: Wire; readonly isJoined: boolean } | null = null

  constructor(writer: BlockWriter, options: MessageFrameOptions) {
    this.writer = writer
    this.options = options
  }

  /** Why the upstream has ended, or null where it has not told. */
  get reason(): FinishReason | null {
    const word = nonEmptyText(this.delta['stop_reason'])
    return word === null ? null : decodeStopReason(word)
  }

  /** The start of the message, with the counts that clients read from it. */
  start(wire: Wire): Wire {
    const { message } = wire.data
    if (!isJsonObject(message)) return wire
    this.count(message['usage'])
    const usage = withCounts(message['usage'], { input_tokens: 0, output_tokens: 0 })
    if (usage === message['usage']) return wire
    this.options.onFilled()
    this.writer.hasChanged = true
    return changedWire(wire, { message: { ...message, usage } })
  }

  /** A part of the end. Of what it says twice the later counts. */
  takeEnd(wire: Wire): void {
    this.count(wire.data['usage'])
    if (this.end === null) {
      this.end = { wire, isJoined: false }
      return
    }
    const { data } = this.end.wire
    const joined = {
      ...merged(data, wire.data),
      delta: merged(objectIn(data, 'delta'), objectIn(wire.data, 'delta')),
      usage: merged(objectIn(data, 'usage'), objectIn(wire.data, 'usage')),
    }
    this.end = { wire: { ...wire, data: joined }, isJoined: true }
  }

  /** Writes the end, once nothing more can follow, and answers what it says. */
  writeEnd(hasCalls: boolean): FinishReason {
    const { end, reason: said, writer } = this
    const reason = outcome(said, hasCalls)
    const came = end?.wire.data['usage']
    const usage = withCounts(came, { output_tokens: this.counted.outputTokens })
    const isFilled = said === null || usage !== came
    if (isFilled) this.options.onFilled()
    const { stop_reason: word, stop_sequence: sequence = null } = this.delta
    const stop_reason = reason === said ? word : encodeStopReason(reason)
    const delta = { ...this.delta, stop_reason, stop_sequence: sequence }
    if (end === null) writer.emit('message_delta', { delta, usage })
    else if (isFilled || reason !== said || end.isJoined) writer.passChanged(end.wire, { delta, usage })
    else writer.passBeside(end.wire)
    return reason
  }

  private get delta(): JsonObject {
    return this.end === null ? {} : objectIn(this.end.wire.data, 'delta')
  }

  private count(usage: unknown): void {
    if (!isJsonObject(usage)) return
    this.counted = decodeAnthropicUsage(usage, this.counted)
    this.options.onUsage?.(this.counted)
  }
}

/** Calls run only where the end speaks of them; a message that was cut or refused ends as such all the same. */
function outcome(said: FinishReason | null, hasCalls: boolean): FinishReason {
  const isPlain = said === null || said === 'stop' || said === 'stop-sequence'
  return isPlain && hasCalls ? 'tool-calls' : (said ?? 'stop')
}

/** Null says that there is nothing new. */
function merged(before: JsonObject, news: JsonObject): JsonObject {
  const said = Object.entries(news).filter(
    ([field, value]) => value !== null || !Object.hasOwn(before, field),
  )
  return { ...before, ...Object.fromEntries(said) }
}
