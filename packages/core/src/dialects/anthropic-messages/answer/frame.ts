import type { FinishReason, Usage } from '../../../answer/answer.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import {
  decodeAnthropicUsage,
  decodeStopReason,
  encodeStopReason,
  nothingCounted,
  withCounts,
} from '../words.ts'
import { type BlockWriter, changedWire } from './blocks.ts'
import type { Wire } from './decode.ts'

/**
 * What stands around the blocks of a message. The upstream may tell the end in several events; the client gets one,
 * behind the last block.
 */
export class MessageFrame {
  private readonly writer: BlockWriter
  private readonly onFilled: () => void
  private counted: Usage = nothingCounted
  private end: { readonly wire: Wire; readonly isJoined: boolean } | null = null

  /** `onFilled`: something that every message has was left out by the upstream, and was filled in. */
  constructor(writer: BlockWriter, onFilled: () => void) {
    this.writer = writer
    this.onFilled = onFilled
  }

  /** The start of the message, with the counts that clients read from it. */
  start(wire: Wire): Wire {
    const { message } = wire.data
    if (!isJsonObject(message)) return wire
    this.count(message['usage'])
    const usage = withCounts(message['usage'], { input_tokens: 0, output_tokens: 0 })
    if (usage === message['usage']) return wire
    this.onFilled()
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

  /** Writes the end, once nothing more can follow. */
  writeEnd(reason: FinishReason): void {
    const { end, writer } = this
    const { stop_reason: came, stop_sequence: sequence = null } = this.delta
    const word = nonEmptyText(came)
    const isSame = word !== null && decodeStopReason(word) === reason
    const said = end?.wire.data['usage']
    const usage = withCounts(said, { output_tokens: this.counted.outputTokens })
    const isFilled = word === null || usage !== said
    if (isFilled) this.onFilled()
    const delta = {
      ...this.delta,
      stop_reason: isSame ? word : encodeStopReason(reason),
      stop_sequence: sequence,
    }
    if (end === null) writer.emit('message_delta', { delta, usage })
    else if (isFilled || !isSame || end.isJoined) writer.passChanged(end.wire, { delta, usage })
    else writer.passBeside(end.wire)
  }

  private get delta(): JsonObject {
    return this.end === null ? {} : objectIn(this.end.wire.data, 'delta')
  }

  private count(usage: unknown): void {
    if (!isJsonObject(usage)) return
    this.counted = decodeAnthropicUsage(usage, this.counted)
  }
}

/** Null says that there is nothing new. */
function merged(before: JsonObject, news: JsonObject): JsonObject {
  const said = Object.entries(news).filter(
    ([field, value]) => value !== null || !Object.hasOwn(before, field),
  )
  return { ...before, ...Object.fromEntries(said) }
}
