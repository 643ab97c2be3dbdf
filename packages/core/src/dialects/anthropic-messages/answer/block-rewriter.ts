import { type ModelEvent, repairEvent } from '../../../events.ts'
import { isBlank } from '../../../text/space.ts'
import type { AnswerIds } from '../../../answer/ids.ts'
import type { CallDelivery } from '../../../answer/calls/order.ts'
import type { Failure } from '../../../answer/answer.ts'
import { nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import type { RecordedEvent, TextParser } from '../../openai-chat/answer/choice-reader.ts'
import { WrittenCalls } from '../../../answer/calls/written-calls.ts'
import { type BlockWriter, changedWire, startBefore, type TextKind, type Wire } from './block-writer.ts'
import { PassedBlocks } from './passed-blocks.ts'
import { SourceBlock } from './source-block.ts'

export interface BlockRewriterOptions {
  /** Called for each stretch of text between blocks of other kinds. */
  readonly openParser: () => TextParser
  readonly ids: AnswerIds
  /** With `complete`, one whose arguments are not JSON fails the answer although the parser gave it out as text. */
  readonly delivery?: CallDelivery | undefined
  /** How much of structured calls may wait, in characters. */
  readonly heldLimit?: number | undefined
  /** The name by which the client knows a tool. */
  readonly clientToolName?: ((name: string) => string) | undefined
  /** Each call that goes to the client, by the name the client knows. */
  readonly onCall?: ((name: string) => void) | undefined
  readonly onRecord?: ((event: RecordedEvent) => void) | undefined
}

/** Passes the blocks of a message on, and makes calls out of the text that holds them. */
export class BlockRewriter {
  failure: Failure | null = null
  private readonly options: BlockRewriterOptions
  private readonly writer: BlockWriter
  private callsCome: 'not yet' | 'in the text' | 'structured' = 'not yet'
  private readonly writtenCalls = new WrittenCalls()
  private parser: TextParser | null = null
  private source: SourceBlock | null = null
  /** White space between calls, which gets no block of its own. */
  private space = ''
  /** What is wrong with the broken call: the first problem that is told behind it. */
  private flaw = ''
  private isBroken = false
  private readonly others: PassedBlocks
  private readonly onFilled: () => void

  /** `onFilled`: something that every message has was left out by the upstream, and was filled in. */
  constructor(writer: BlockWriter, options: BlockRewriterOptions, onFilled: () => void) {
    this.writer = writer
    this.options = options
    this.onFilled = onFilled
    this.others = new PassedBlocks(writer, options.ids, {
      call: (name) => options.onCall?.(name),
      repeated: () => {
        options.onRecord?.(repairEvent('repeated-call'))
        writer.hasChanged = true
      },
      filled: onFilled,
      problem: (code, message, source) => options.onRecord?.({ type: 'problem', code, message, source }),
      repair: (code, message) => options.onRecord?.({ type: 'repair', code, message }),
    })
  }

  get hasCalls(): boolean {
    return this.callsCome !== 'not yet'
  }

  start(wire: Wire): void {
    const block = objectIn(wire.data, 'content_block')
    const { type } = block
    // Something follows the half call, so it is none that the model was stopped in.
    this.failure ??= this.others.failure
    if (this.failure !== null) return
    if (type === 'text' || type === 'thinking') {
      this.startText(wire, type, nonEmptyText(block[type]))
      return
    }
    this.endText('tool_calls')
    if (this.failure !== null) return
    // Some servers number every block alike: what follows is no longer about the text.
    if (this.source?.owns(wire) === true) this.source = null
    const isCall = type === 'tool_use'
    const named = isCall ? this.named(wire, block) : wire
    if (isCall && this.callsCome === 'in the text') {
      this.others.hold(named)
    } else {
      if (isCall) this.callsCome = 'structured'
      this.others.start(named, isCall)
    }
  }

  delta(wire: Wire): void {
    const { source } = this
    if (source?.owns(wire) !== true) {
      this.deltaBesideText(wire)
      return
    }
    const delta = objectIn(wire.data, 'delta')
    const text = delta['type'] === `${source.kind}_delta` ? nonEmptyText(delta[source.kind]) : null
    if (text !== null) this.feed(source, text, wire)
    // A signature, a citation: of no use in a block that was split.
    else if (source.state !== 'split') this.passInto(source, wire)
  }

  stop(wire: Wire): void {
    const { source } = this
    if (source?.owns(wire) !== true) {
      this.others.take(wire)
    } else if (source.state === 'waiting') {
      source.hold(wire)
      if (!source.hasDiffered) this.openSource(source)
    } else if (source.state === 'open') {
      this.writer.deferStop(wire)
    }
  }

  /** An event beside the blocks keeps its place among those that wait. */
  pass(wire: Wire): void {
    const { source } = this
    if (source?.state === 'waiting' && !source.hasDiffered) source.hold(wire)
    else this.writer.passBeside(wire)
  }

  /** The text is at its end: what is held comes out, and calls that were held are written. */
  end(reason: 'stop' | 'length' | 'error'): void {
    this.endText(reason)
    if (this.isHalted) return
    if (reason === 'error') {
      this.failure = this.others.failure
      return
    }
    this.failure = this.others.end(this.writtenCalls, reason === 'length')
    this.writer.close()
  }

  private deltaBesideText(wire: Wire): void {
    if (this.others.knows(wire)) {
      this.others.take(wire)
      const limit = this.options.heldLimit ?? 4_194_304
      if (this.others.heldLength > limit) {
        this.fail('tool_call_too_large', `More than ${limit} characters of tool calls had to wait.`)
      }
      return
    }
    const kind = kinds.get(objectIn(wire.data, 'delta')['type'])
    // Of a call without a start nobody knows the name.
    if (kind === undefined) return
    this.onFilled()
    this.writer.hasChanged = true
    this.start(startBefore(wire, kind))
    if (this.failure === null) this.delta(wire)
  }

  private named(wire: Wire, block: JsonObject): Wire {
    const came = nonEmptyText(block['name'])
    const name = came === null ? null : this.clientName(came)
    if (name === came) return wire
    this.writer.hasChanged = true
    return changedWire(wire, { content_block: { ...block, name } })
  }

  private clientName(name: string): string {
    return this.options.clientToolName?.(name) ?? name
  }

  private startText(wire: Wire, kind: TextKind, text: string | null): void {
    this.source = new SourceBlock(this.writer, text === null ? wire : withoutText(wire, kind), kind)
    if (text === null) return
    this.writer.hasChanged = true
    this.play(this.textParser().push(text, channels[kind]))
  }

  private feed(source: SourceBlock, text: string, wire: Wire): void {
    const events = this.textParser().push(text, channels[source.kind])
    const { state } = source
    if (state === 'split' || !saysTheSame(events, source.kind, text)) {
      source.hasDiffered = true
      this.writer.hasChanged = true
      this.play(events)
    } else if (state === 'waiting' && isBlank(text)) {
      source.hold(wire)
    } else {
      this.passInto(source, wire)
    }
  }

  private passInto(source: SourceBlock, wire: Wire): void {
    this.openSource(source)
    source.pass(wire)
  }

  private openSource(source: SourceBlock): void {
    if (source.open()) this.space = ''
  }

  private endText(reason: 'stop' | 'length' | 'tool_calls' | 'error'): void {
    if (this.parser !== null) this.play(this.parser.end(reason), reason === 'length')
    this.parser = null
    this.source?.split()
    this.space = ''
    if (!this.isHalted) this.writer.close()
  }

  /** `isCut`: the model was stopped here, so half a call is no fault. */
  private play(events: readonly ModelEvent[], isCut = false): void {
    for (const event of events) {
      if (event.type === 'problem' || event.type === 'repair') this.record(event)
      else if (!this.isHalted) this.playOne(event)
    }
    if (this.isBroken && !isCut) {
      this.fail('incomplete_tool_call', `A call in the text is incomplete. ${this.flaw}`.trimEnd())
    }
  }

  private get isHalted(): boolean {
    return this.failure !== null || this.isBroken
  }

  private playOne(event: Exclude<ModelEvent, RecordedEvent>): void {
    switch (event.type) {
      case 'text':
        this.ownText('text', event.text)
        break
      case 'reasoning':
        this.ownText('thinking', event.text)
        break
      default:
        if (this.callsCome === 'structured') this.writer.hasChanged = true
        else this.ownCall(event)
    }
  }

  private ownText(kind: TextKind, text: string): void {
    const { source } = this
    if (!this.writer.isOpen(kind)) {
      if (isBlank(text)) {
        this.space += text
        return
      }
      if (source?.state === 'waiting' && source.kind === kind) this.openSource(source)
    }
    this.writer.text(kind, this.space + text)
    this.space = ''
  }

  private ownCall(event: Extract<ModelEvent, { type: 'call-start' | 'call-delta' | 'call-end' }>): void {
    if (event.type === 'call-start') {
      this.callsCome = 'in the text'
      this.space = ''
      this.source?.split()
      const name = this.clientName(event.name)
      this.writtenCalls.begin(name)
      this.options.onCall?.(name)
      this.writer.toolStart(this.options.ids.mint(this.parser?.format ?? 'std'), name)
    } else if (event.type === 'call-delta') {
      this.writtenCalls.add(event.json)
      this.writer.toolInput(event.json)
    } else if (event.complete) {
      this.writer.close()
    } else {
      this.isBroken = true
    }
  }

  private record(event: RecordedEvent): void {
    this.options.onRecord?.(event)
    if (event.type === 'repair' || this.callsCome === 'structured') return
    if (this.isBroken) this.flaw ||= event.message
    if (event.code === 'overflow') this.fail('tool_call_too_large', event.message)
    if (event.code === 'invalid-arguments' && this.options.delivery === 'complete') {
      this.fail('invalid_tool_arguments', event.message)
    }
  }

  private textParser(): TextParser {
    this.parser ??= this.options.openParser()
    return this.parser
  }

  private fail(code: string, message: string): void {
    this.failure ??= { kind: 'upstream', code, message }
  }
}

const channels = { text: 'content', thinking: 'reasoning' } as const

/** The blocks into which a delta goes. */
const kinds: ReadonlyMap<unknown, TextKind> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'thinking'],
])

function withoutText(start: Wire, kind: TextKind): Wire {
  return changedWire(start, { content_block: { ...objectIn(start.data, 'content_block'), [kind]: '' } })
}

function saysTheSame(events: readonly ModelEvent[], kind: TextKind, text: string): boolean {
  const [first] = events
  const type = kind === 'text' ? 'text' : 'reasoning'
  return events.length === 1 && first?.type === type && first.text === text
}
