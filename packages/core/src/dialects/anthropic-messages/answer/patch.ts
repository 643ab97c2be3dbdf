import type { UpstreamCall } from '../../../answer/answer.ts'
import type { CallPolicy } from '../../../answer/calls/policy.ts'
import type { StructuredCall } from '../../../answer/calls/structured-call.ts'
import { type Failure, heldTooMuch } from '../../../answer/failure.ts'
import {
  Comparison,
  neverAsItCame,
  type PatchOptions,
  type Piece,
  PieceCollector,
  SaidArguments,
} from '../../../answer/patch.ts'
import type { WireAnswer } from '../../../answer/stream.ts'
import { isJsonObject, nonEmptyText, objectIn, parseJson, type JsonObject } from '../../../json/objects.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import type { SseComment, SseEvent, SseFields } from '../../../sse/items.ts'
import { anthropicErrorBody } from '../errors.ts'
import { type BlockKind, BlockWriter, changedWire, startBefore } from './blocks.ts'
import { startPieces, stopPieces, withInput } from './call-block.ts'
import { MessageReader, type Wire } from './decode.ts'
import { MessageFrame } from './frame.ts'
import { PlainDeltas } from './plain-deltas.ts'
import { TextBlocks } from './text-blocks.ts'

/**
 * A message stream on its way to a client of the same dialect. An event in which nothing has to change is written as it
 * came; what the policy made otherwise goes into blocks of ours.
 */
export function patchAnthropicAnswer(options: PatchOptions): WireAnswer {
  return new MessagePatch(options)
}

class MessagePatch implements WireAnswer {
  failure: Failure | null = null
  private progress: 'new' | 'reading' | 'ended' = 'new'
  private readonly options: PatchOptions
  private readonly made = new PieceCollector('as the upstream')
  private readonly policy: CallPolicy
  private readonly reader: MessageReader
  private readonly writer: BlockWriter
  private readonly blocks: TextBlocks
  private readonly frame: MessageFrame
  private readonly comparison = new Comparison<CallWire>()
  private readonly deltas = new PlainDeltas()
  /** Under which numbers the blocks go on that only this dialect has. */
  private readonly otherIndexes = new Map<unknown, number>()
  /** Calls whose start has no input. Where none follows, what is told of the missing arguments tells this too. */
  private readonly withoutInput = new WeakSet<StructuredCall>()
  private readonly saidArguments = new SaidArguments()
  /** The structured call whose block is open. */
  private openCall: UpstreamCall | null = null
  private filled: 'nothing' | 'told' = 'nothing'

  constructor(options: PatchOptions) {
    this.options = options
    this.policy = options.openPolicy(this.made, 0)
    this.reader = new MessageReader(this.policy)
    this.writer = new BlockWriter(options.output, options.signature)
    this.blocks = new TextBlocks(this.writer)
    this.frame = new MessageFrame(this.writer, () => this.tellFilled())
  }

  get isStarted(): boolean {
    return this.progress !== 'new'
  }

  get isEnded(): boolean {
    return this.progress === 'ended'
  }

  get hasFinishReason(): boolean {
    return this.reader.hasStopReason
  }

  get taken(): number {
    return this.deltas.taken
  }

  /** Where known deltas bring more of the text that is open, and go on as they came, nothing is parsed and nothing written. */
  takeEvents(text: string, at: number, limit: number): number {
    const { deltas, policy } = this
    const passing = (content: string, ends: readonly number[]): number => policy.countPassing(content, ends)
    const next = deltas.matchPassing(text, at, limit, passing)
    if (next === at) return at
    deltas.taken += deltas.ends.length
    policy.content(deltas.content)
    this.made.take()
    this.options.output.pass(text, at, next)
    return next
  }

  read(data: JsonObject, event: SseEvent): void {
    this.deltas.pause()
    if (this.progress === 'ended') return
    this.progress = 'reading'
    const wire: Wire = { data, event }
    switch (data['type']) {
      case 'message_start':
        // A message begins once, however often the upstream says so.
        if (this.policy.isStarted) break
        this.reader.read(wire)
        this.blocks.passBeside(this.frame.start(wire))
        break
      case 'content_block_start':
        this.readStart(wire)
        break
      case 'content_block_delta':
        this.readDelta(wire)
        break
      case 'content_block_stop':
        this.readStop(wire)
        break
      case 'message_delta':
        this.reader.read(wire)
        this.frame.takeEnd(wire)
        break
      case 'message_stop':
        this.finish(event)
        break
      default:
        this.blocks.passBeside(wire)
    }
    if (this.blocks.heldLength > mostHeld) this.policy.fail(heldTooMuch('A block without text', mostHeld))
    this.failIfBroken()
  }

  beside(item: SseComment | SseFields): void {
    this.options.output.beside(item)
  }

  foreign(event: SseEvent, fault: string): void {
    this.options.onWarning?.(`${fault}; passed on as it came`)
    this.options.output.event(event)
  }

  /** `event` is the upstream's last one; many clients wait for it where it has left it out. */
  finish(event: SseEvent | null): void {
    const isUnended = this.reader.hasOpenCall
    this.reader.finish()
    const made = this.made.take()
    if (isUnended && made.some(({ is }) => is === 'call-end')) this.tellFilled()
    this.settle(made)
    const { ending } = this.made
    if (ending.is === 'failed') {
      this.endWith(ending.failure, null)
    } else if (ending.is === 'finished') {
      this.writer.close()
      this.frame.writeEnd(ending.reason)
      if (event === null || event.event === undefined) this.writer.emit('message_stop', {})
      else this.options.output.event(event)
      this.progress = 'ended'
      this.options.output.close()
    }
  }

  fail(failure: Failure, event: SseEvent | null): void {
    if (this.progress === 'ended') return
    this.policy.fail(failure)
    this.endWith(failure, event)
  }

  cutOff(): void {
    this.policy.leave()
    this.settle(this.made.take())
    this.failIfBroken()
    this.progress = 'ended'
  }

  private readStart(wire: Wire): void {
    const block = objectIn(wire.data, 'content_block')
    const { type } = block
    if (type === 'text' || type === 'thinking') {
      const text = nonEmptyText(block[type])
      this.reader.read(wire)
      const made = this.made.take()
      this.settle([])
      this.blocks.begin(text === null ? wire : withoutText(wire, type), type)
      this.play(made)
      return
    }
    this.blocks.forget(wire)
    this.reader.read(wire)
    const call = this.reader.callAt(wire.data['index'])
    if (call === null) {
      this.compare(wire, null, [{ is: 'other', item: wire, index: null }])
      return
    }
    const isWhole = block['input'] !== undefined
    if (!isWhole) this.withoutInput.add(call)
    this.compare(isWhole ? wire : withInput(wire), call, startPieces(block, call))
  }

  private readDelta(wire: Wire): void {
    const textKind = this.blocks.kindOf(wire)
    if (textKind !== null) {
      this.readTextDelta(textKind, wire)
      return
    }
    const delta = objectIn(wire.data, 'delta')
    const call = this.reader.callAt(wire.data['index'])
    if (call !== null) {
      const json = nonEmptyText(delta['partial_json'])
      if (json !== null && this.withoutInput.has(call)) this.tellFilled()
      this.reader.read(wire)
      const said = json === null ? '' : this.saidArguments.textOf(json, call)
      const own: Piece[] = said === '' ? [] : [{ is: 'arguments', index: call.ordinal, json: said }]
      // The client does not know the call yet: even a delta that says nothing would stand outside its block.
      if (own.length === 0 && call.index === null && !this.comparison.isWaiting) own.push(neverAsItCame)
      this.compare(wire, call, own)
      return
    }
    if (delta['type'] === 'signature_delta' && this.takeLateSignature(wire, delta)) return
    const kind = kinds.get(delta['type'])
    if (kind === undefined || this.otherIndexes.has(wire.data['index'])) {
      this.reader.read(wire)
      this.compare(wire, null, [{ is: 'other', item: wire, index: null }])
      return
    }
    this.tellFilled()
    this.readStart(startBefore(wire, kind))
    this.readDelta(wire)
  }

  /** Whether the signature is of a block behind which another has begun. No block of its own is made for it. */
  private takeLateSignature(wire: Wire, delta: JsonObject): boolean {
    const verdict = this.blocks.passLateSignature(wire)
    if (verdict === 'late' && nonEmptyText(delta['signature']) !== null) {
      this.policy.repair('late-signature')
    }
    return verdict !== null
  }

  private readTextDelta(kind: BlockKind, wire: Wire): void {
    const delta = objectIn(wire.data, 'delta')
    const text = delta['type'] === `${kind}_delta` ? nonEmptyText(delta[kind]) : null
    this.reader.read(wire)
    const made = this.made.take()
    if (text === null) {
      this.blocks.passOther(wire)
      return
    }
    const [only] = made
    const is = kind === 'text' ? 'text' : 'reasoning'
    const isSame = made.length === 1 && only?.is === is && only.text === text && !this.comparison.isWaiting
    if (!this.blocks.pass(wire, text, isSame)) this.settle(made)
    else if (this.blocks.passesNextAsItCame(wire)) this.deltas.learnFrom(wire)
  }

  private readStop(wire: Wire): void {
    const { index } = wire.data
    if (this.blocks.kindOf(wire) === null) {
      const call = this.reader.callAt(index)
      const isGiven = this.reader.hasNoInput(index)
      this.reader.read(wire)
      if (call !== null) this.compare(wire, call, stopPieces(call, isGiven))
      else if (this.otherIndexes.has(index))
        this.compare(wire, null, [{ is: 'other', item: wire, index: null }])
      else this.blocks.end(wire)
      return
    }
    this.reader.read(wire)
    this.play(this.made.take())
    this.blocks.end(wire)
  }

  /** `call` is the one that the event is about; null for a block that only this dialect has. */
  private compare(wire: Wire, call: StructuredCall | null, said: readonly Piece[]): void {
    const verdict = this.comparison.take({ wire, call }, said, this.made.take())
    if (verdict.is === 'edit') this.play(verdict.pieces)
    else if (verdict.is === 'pass') for (const event of verdict.events) this.passOn(event)
  }

  /** An event of a call or of another block that goes on as it came. */
  private passOn({ wire, call }: CallWire): void {
    const { type } = wire.data
    if (call === null) {
      this.passOther(wire)
    } else if (type === 'content_block_start') {
      this.blocks.leave()
      this.openCall = call
      this.writer.pass(wire, this.writer.begin('tool'))
    } else if (call === this.openCall) {
      this.writer.passInOpen(wire)
    }
    // Some servers send more of a call whose block has ended, which says nothing then.
  }

  private passOther(wire: Wire): void {
    const { index, type } = wire.data
    if (type === 'content_block_start') {
      this.blocks.leave()
      const ours = this.writer.begin('other')
      this.otherIndexes.set(index, ours)
      this.writer.pass(wire, ours)
    } else if (this.otherIndexes.get(index) === this.writer.openIndex) {
      this.writer.passInOpen(wire)
      // A message may have any number of blocks, and an upstream may number them as it likes.
      if (type === 'content_block_stop') this.otherIndexes.delete(index)
    } else if (type === 'content_block_delta') {
      this.policy.warnOnce('a part of a block came when another had begun; left out')
    }
  }

  /** Nothing more is said in the events that wait. */
  private settle(made: readonly Piece[]): void {
    const verdict = this.comparison.settle(made)
    if (verdict.is === 'edit') this.play(verdict.pieces)
    else for (const event of verdict.events) this.passOn(event)
  }

  private play(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      switch (piece.is) {
        case 'text':
          this.blocks.say('text', piece.text)
          break
        case 'reasoning':
          this.blocks.say('thinking', piece.text)
          break
        case 'call':
          this.blocks.leave()
          this.openCall = piece.call
          this.writer.toolStart(piece.id, piece.name, piece.call?.source ?? {})
          break
        case 'arguments':
          this.writer.toolInput(piece.json)
          break
        case 'call-end':
          this.writer.close()
          break
        case 'other':
          if (isWire(piece.item)) this.passOther(piece.item)
      }
    }
  }

  /** Once for each message. */
  private tellFilled(): void {
    if (this.filled === 'nothing') this.policy.repair('filled-field')
    this.filled = 'told'
  }

  private failIfBroken(): void {
    const { ending } = this.made
    if (ending.is === 'failed' && this.progress !== 'ended') this.endWith(ending.failure, null)
  }

  /** Nothing follows: a client that misses the error must not take a cut answer for a whole one. */
  private endWith(failure: Failure, event: SseEvent | null): void {
    this.settle(this.made.take())
    // Half a call stays open: no client takes it for a whole one then.
    if (!this.writer.isOpen('tool')) this.writer.close()
    this.progress = 'ended'
    this.failure = failure
    const isTold = event !== null && isWholeError(event)
    const data = JSON.stringify(anthropicErrorBody(failure))
    this.options.output.error(isTold ? event.source : encodeSse({ event: 'error', data }))
  }
}

/** How much of blocks may wait that say nothing but white space. */
const mostHeld = 4_194_304

/** An event, and the structured call that it is about. */
interface CallWire {
  readonly wire: Wire
  readonly call: StructuredCall | null
}

/** The blocks into which a delta goes. */
const kinds: ReadonlyMap<unknown, BlockKind> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'thinking'],
])

function withoutText(start: Wire, kind: BlockKind): Wire {
  return changedWire(start, { content_block: { ...objectIn(start.data, 'content_block'), [kind]: '' } })
}

function isWire(item: unknown): item is Wire {
  return isJsonObject(item) && isJsonObject(item['data']) && isJsonObject(item['event'])
}

/** Whether the upstream's own error says all that clients of the dialect look for. */
function isWholeError({ event, data }: SseEvent): boolean {
  const value = parseJson(data)
  if (event !== 'error' || !isJsonObject(value) || value['type'] !== 'error') return false
  const error = objectIn(value, 'error')
  return nonEmptyText(error['message']) !== null && nonEmptyText(error['type']) !== null
}
