import type { Usage } from '../../../answer/answer.ts'
import type { CallPolicy } from '../../../answer/calls/policy.ts'
import type { StructuredCall } from '../../../answer/calls/structured-call.ts'
import { type Failure, heldTooMuch, tooManyOf } from '../../../answer/failure.ts'
import type { WireAnswer } from '../../../answer/stream.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject, wordOf } from '../../../json/objects.ts'
import { RawJson } from '../../../json/raw.ts'
import type { SseEvent } from '../../../sse/items.ts'
import { PlainDeltas } from './plain-deltas.ts'
import { decodeAnthropicUsage, decodeStopReason, failureIfEmpty, nothingCounted } from '../words.ts'

/** Reads the events of a message into the policy of another dialect's client. */
export function decodeAnthropicAnswer(policy: CallPolicy): WireAnswer {
  return new MessageAnswer(policy)
}

class MessageAnswer implements WireAnswer {
  private readonly policy: CallPolicy
  private readonly reader: MessageReader
  private readonly deltas = new PlainDeltas()

  constructor(policy: CallPolicy) {
    this.policy = policy
    this.reader = new MessageReader(policy, () => policy.repair('late-signature'))
  }

  get failure(): Failure | null {
    return this.policy.failure
  }

  get isStarted(): boolean {
    return this.policy.isStarted
  }

  get isEnded(): boolean {
    return this.policy.isEnded
  }

  get hasFinishReason(): boolean {
    return this.reader.hasStopReason
  }

  get taken(): number {
    return this.deltas.taken
  }

  /** What one read brings is one text: each delta by itself would cost the client as much as us. */
  takeEvents(text: string, at: number, limit: number): number {
    const { deltas, policy } = this
    if (!policy.joinsContent) return at
    const next = deltas.match(text, at, limit)
    if (next === at) return at
    deltas.taken += deltas.ends.length
    policy.content(deltas.content)
    return next
  }

  read(data: JsonObject, event: SseEvent): void {
    this.deltas.pause()
    this.reader.read({ data, event })
    if (data['type'] === 'content_block_delta' && this.reader.isInText(data['index'])) {
      this.deltas.learnFrom({ data, event })
    }
    this.warnOfDropped(data)
    if (data['type'] === 'message_stop') this.finish()
  }

  foreign(_event: SseEvent, fault: string): void {
    this.policy.warn(`${fault}; left out`)
  }

  finish(): void {
    this.reader.finish()
  }

  fail(failure: Failure): void {
    this.policy.fail(failure)
  }

  private warnOfDropped(data: JsonObject): void {
    if (data['type'] === 'content_block_start') {
      const { type } = objectIn(data, 'content_block')
      if (!knownBlocks.has(type)) this.drop(`a block of type ${wordOf(type)}`)
    } else if (data['type'] === 'content_block_delta') {
      const { type } = objectIn(data, 'delta')
      if (!knownDeltas.has(type)) this.drop(`a delta of type ${wordOf(type)}`)
    }
  }

  private drop(what: string): void {
    this.policy.warnOnce(`${what} has no place in the client's dialect; dropped`)
  }
}

const knownBlocks: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use'])
const knownDeltas: ReadonlySet<unknown> = new Set([
  'text_delta',
  'thinking_delta',
  'signature_delta',
  'input_json_delta',
])

/** Real signatures take some kilobytes. */
const longestSignature = 1_048_576
/** Some servers begin all blocks before they end one: there may be more of them than calls. */
const mostOpenBlocks = 8192

/** An event of the upstream and the JSON in it. */
export interface Wire {
  readonly event: SseEvent
  readonly data: JsonObject
}

/** Reads the events of a message into a policy. Blocks that only this dialect has keep their place as they came. */
export class MessageReader {
  private readonly policy: CallPolicy
  private readonly onLateSignature: () => void
  private readonly blocks = new Map<unknown, OpenBlock>()
  /** The block of which something was said last. */
  private current: OpenBlock | null = null
  /** How much of signatures waits for the end of its block. */
  private signatureLength = 0
  private counted: Usage = nothingCounted
  private stopWord: string | null = null
  private stopSequence: string | null = null

  /** `onLateSignature`: a signature came when something else had been said, and has no place any more. */
  constructor(policy: CallPolicy, onLateSignature: () => void = () => {}) {
    this.policy = policy
    this.onLateSignature = onLateSignature
  }

  get hasStopReason(): boolean {
    return this.stopWord !== null
  }

  /** Whether the upstream has left out the end of a call so far. */
  get hasOpenCall(): boolean {
    for (const { call } of this.blocks.values()) if (call !== null) return true
    return false
  }

  /** Whether the block with this index has text, and said something last. */
  isInText(index: unknown): boolean {
    const block = this.blocks.get(index)
    return block !== undefined && block === this.current && block.call === null && !block.isOther
  }

  /** The call that the block with this index is, if it is one and has not ended. */
  callAt(index: unknown): StructuredCall | null {
    return this.blocks.get(index)?.call ?? null
  }

  /** Whether the start of a call said that it has no arguments, and no delta has said otherwise. */
  hasNoInput(index: unknown): boolean {
    const call = this.callAt(index)
    return call !== null && call.takesNone && !call.hasArguments
  }

  read(wire: Wire): void {
    const { data } = wire
    const { index } = data
    switch (data['type']) {
      case 'message_start':
        this.readStart(objectIn(data, 'message'))
        break
      case 'content_block_start':
        this.readBlockStart(index, objectIn(data, 'content_block'), wire)
        break
      case 'content_block_delta':
        this.readDelta(this.blocks.get(index), objectIn(data, 'delta'), wire)
        break
      case 'content_block_stop':
        this.readBlockStop(index, wire)
        break
      case 'message_delta':
        this.readEnd(objectIn(data, 'delta'), data['usage'])
        break
      default:
    }
  }

  finish(): void {
    const reason = this.stopWord === null ? null : decodeStopReason(this.stopWord)
    this.policy.finish(reason, this.stopSequence, failureIfEmpty(this.stopWord))
  }

  private readStart(message: JsonObject): void {
    this.policy.start(nonEmptyText(message['id']), nonEmptyText(message['model']))
    this.readUsage(message['usage'])
  }

  private readBlockStart(index: unknown, block: JsonObject, wire: Wire): void {
    if (!this.policy.isStarted) this.policy.start(null, null)
    const { type } = block
    const open: OpenBlock = {
      call: null,
      input: null,
      hasTextInput: false,
      signature: [],
      isOther: false,
      hasSpoken: false,
    }
    this.blocks.set(index, open)
    if (this.blocks.size > mostOpenBlocks) {
      this.policy.fail(tooManyOf('open blocks', mostOpenBlocks))
      return
    }
    if (type === 'text' || type === 'thinking') {
      this.readText(open, type, block[type])
      this.addSignature(open, nonEmptyText(block['signature']))
    } else if (type === 'tool_use') {
      this.turnTo(open)
      const { input, id, name } = block
      open.call = this.policy.openCall({ ...block, input: {} })
      open.call.takesNone = isJsonObject(input) && Object.keys(input).length === 0
      open.input = open.call.takesNone ? null : writtenInput(input, wire)
      open.hasTextInput = nonEmptyText(input) !== null
      open.call.addId(id)
      if (typeof name === 'string') open.call.addName(name)
      this.policy.callGrew(open.call)
    } else {
      this.turnTo(open)
      if (type === 'redacted_thinking') this.policy.proof(nonEmptyText(block['data']) ?? '')
      open.isOther = true
      this.policy.other(wire, wire.event.data.length)
    }
  }

  /**
   * Some servers begin a block before they have ended the one before it. A signature belongs to the reasoning that was
   * said last, so it is told before anything else is said.
   */
  private turnTo(block: OpenBlock): void {
    block.hasSpoken = true
    if (this.current === block) return
    if (this.current !== null) this.tellProof(this.current)
    this.current = block
  }

  private addSignature(block: OpenBlock, signature: string | null): void {
    if (signature === null) return
    block.signature.push(signature)
    this.signatureLength += signature.length
    if (this.signatureLength > longestSignature)
      this.policy.fail(heldTooMuch('A signature', longestSignature))
  }

  private tellProof(block: OpenBlock): void {
    for (const { length } of block.signature) this.signatureLength -= length
    const proof = block.signature.splice(0).join('')
    if (proof === '') return
    if (block === this.current || !block.hasSpoken) this.policy.proof(proof)
    else this.onLateSignature()
  }

  private readDelta(block: OpenBlock | undefined, delta: JsonObject, wire: Wire): void {
    if (block?.isOther === true) {
      this.policy.other(wire, wire.event.data.length)
      return
    }
    switch (delta['type']) {
      case 'text_delta':
        this.readText(block, 'text', delta['text'])
        break
      case 'thinking_delta':
        this.readText(block, 'thinking', delta['thinking'])
        break
      case 'signature_delta':
        if (block !== undefined) this.addSignature(block, nonEmptyText(delta['signature']))
        break
      case 'input_json_delta':
        this.readInput(block, nonEmptyText(delta['partial_json']))
        break
      default:
    }
  }

  private readText(block: OpenBlock | undefined, kind: 'text' | 'thinking', value: unknown): void {
    if (!this.policy.isStarted) this.policy.start(null, null)
    const text = nonEmptyText(value) ?? ''
    if (block !== undefined && text !== '') this.turnTo(block)
    if (kind === 'text') this.policy.content(text)
    else this.policy.reasoning(text, 'thinking')
  }

  /** The input of the start is empty where deltas follow; where none do, it is all there is. */
  private readInput(block: OpenBlock | undefined, json: string | null): void {
    if (json === null || block === undefined || block.call === null) return
    block.input = null
    block.call.addArguments(json)
    this.policy.callGrew(block.call)
  }

  private readBlockStop(index: unknown, wire: Wire): void {
    const block = this.blocks.get(index)
    if (block === undefined) return
    this.blocks.delete(index)
    if (block.isOther) this.policy.other(wire, wire.event.data.length)
    this.tellProof(block)
    if (block.call === null) return
    if (block.hasTextInput) block.call.noteRepair('unwrapped-arguments')
    if (block.input !== null) block.call.addArguments(block.input)
    block.call.isClosed = true
    this.policy.callGrew(block.call)
  }

  private readEnd(delta: JsonObject, usage: unknown): void {
    this.stopWord = nonEmptyText(delta['stop_reason']) ?? this.stopWord
    this.stopSequence = nonEmptyText(delta['stop_sequence']) ?? this.stopSequence
    this.readUsage(usage)
  }

  private readUsage(given: unknown): void {
    if (!isJsonObject(given)) return
    this.counted = decodeAnthropicUsage(given, this.counted)
    this.policy.usage(this.counted)
  }
}

/** Read as a value, a number that is too long for ours would lose its digits. */
function writtenInput(input: unknown, { event }: Wire): unknown {
  if (!isJsonObject(input)) return input ?? null
  return new RawJson(event.data).value(['content_block', 'input']) ?? input
}

interface OpenBlock {
  call: StructuredCall | null
  /** What came with the start of the block and no delta has replaced. */
  input: unknown
  /** Some servers write the input as the text of its JSON. */
  hasTextInput: boolean
  readonly signature: string[]
  /** A block that no other dialect has. */
  isOther: boolean
  /** Whether anything but a signature has come of it. */
  hasSpoken: boolean
}
