import type { Sink } from '../../events.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { repairCodes, type RepairCode } from '../../problems.ts'
import type { AnswerIds } from '../ids.ts'
import { AnswerOrder, type CallDelivery, incomplete } from './order.ts'
import type { AnswerSink, Failure, FinishReason, Usage } from '../answer.ts'
import { declaredName, type DeclaredTools } from './declared-tools.ts'
import { StructuredCall } from './structured-call.ts'
import { WrittenCalls } from './written-calls.ts'

/** What reads the text of an answer: a `ParserStage` does. */
export interface TextStage {
  /** The format whose syntax the stream has shown, or null before it has. */
  readonly format: FormatId | null
  push(text: string, channel: 'content' | 'reasoning'): void
  end(reason?: 'stop' | 'length' | 'tool_calls' | 'error'): void
}

export interface AnswerReaderOptions {
  readonly openParser: (sink: Sink) => TextStage
  readonly ids: AnswerIds
  readonly sink: AnswerSink
  /** Asked for where a structured call has come. Undefined: nobody knows the tools. */
  readonly declaredTools?: (() => DeclaredTools) | undefined
  /** With `complete` a call waits until it is whole, and one whose arguments are not JSON fails the answer. */
  readonly delivery?: CallDelivery | undefined
  /** How many characters may wait for a call to become whole. Default 4 194 304. */
  readonly heldLimit?: number
  /** What was dropped, or taken although something is wrong with it. */
  readonly onWarning?: ((message: string) => void) | undefined
}

/**
 * What the decoder of every dialect does with what it has read: text goes through the parser, structured calls
 * are put in order, and of calls that come both ways each is made once.
 */
export class AnswerReader {
  private state: 'new' | 'reading' | 'ended' = 'new'
  /** The first kind of call wins; calls of the other kind repeat it, or are left over from it. */
  private callsCome: 'not yet' | 'in the text' | 'structured' = 'not yet'
  private readonly options: AnswerReaderOptions
  private readonly sink: AnswerSink
  private readonly parser: TextStage
  private readonly order: AnswerOrder
  private readonly written = new WrittenCalls()
  /** Structured calls behind calls in the text. */
  private readonly held: StructuredCall[] = []
  private readonly warned = new Set<string>()
  private field = 'content'
  /** What is wrong with the broken call: the first problem that is told behind it. */
  private flaw = ''
  private brokenCall: string | null = null
  private failure: Failure | null = null

  constructor(options: AnswerReaderOptions) {
    this.options = options
    this.sink = options.sink
    const delivery = options.delivery ?? 'incremental'
    this.order = new AnswerOrder(options.sink, options.ids, (call) => this.settleName(call), delivery)
    this.parser = options.openParser(this.parserSink())
  }

  get isEnded(): boolean {
    return this.state === 'ended'
  }

  get isStarted(): boolean {
    return this.state !== 'new'
  }

  start(id: string | null, model: string | null): void {
    if (this.state !== 'new') return
    this.state = 'reading'
    this.sink.start({ id, model })
  }

  content(text: string): void {
    if (text === '' || this.isEnded) return
    this.field = 'content'
    this.parser.push(text, 'content')
    this.failIfBroken()
  }

  reasoning(text: string, field: string): void {
    if (text === '' || this.isEnded) return
    this.field = field
    this.parser.push(text, 'reasoning')
    this.failIfBroken()
  }

  proof(proof: string): void {
    if (proof !== '' && !this.isEnded) this.order.proof(proof)
  }

  usage(usage: Usage): void {
    if (!this.isEnded) this.sink.usage(usage)
  }

  openCall(): StructuredCall {
    const call = new StructuredCall()
    if (this.callsCome === 'in the text') {
      this.held.push(call)
    } else {
      this.callsCome = 'structured'
      this.order.call(call)
    }
    return call
  }

  /** To be called when something was added to a structured call. */
  callsGrew(): void {
    if (this.isEnded) return
    this.order.advance()
    const held = this.order.heldLength() + this.held.reduce((sum, call) => sum + call.heldLength, 0)
    const limit = this.options.heldLimit ?? 4_194_304
    if (held > limit) this.fail(tooLarge(`More than ${limit} characters of tool calls had to wait.`))
  }

  /** The upstream's answer is whole. `reason` is null where it did not say why it ended. */
  finish(reason: FinishReason | null, stopSequence: string | null): void {
    if (this.isEnded) return
    this.parser.end(parserReason(reason))
    const failure = this.failure ?? this.conclude(reason)
    if (failure !== null) this.sink.fail(failure)
    else this.tellFinish(this.outcome(reason), stopSequence)
    this.end()
  }

  /** What was held back goes out before the failure. */
  fail(failure: Failure): void {
    if (this.isEnded) return
    this.parser.end('error')
    this.order.flush('failed')
    this.sink.fail(failure)
    this.end()
  }

  repair(code: RepairCode): void {
    if (!this.isEnded) this.sink.repair(code, repairCodes[code])
  }

  warn(message: string): void {
    this.options.onWarning?.(message)
  }

  /** For what every event of a stream may say again. */
  warnOnce(message: string): void {
    if (this.warned.has(message)) return
    this.warned.add(message)
    this.warn(message)
  }

  private tellFinish(outcome: FinishReason, stopSequence: string | null): void {
    this.sink.finish(outcome, outcome === 'stop-sequence' ? stopSequence : null)
  }

  private end(): void {
    this.state = 'ended'
    this.sink.end()
  }

  private conclude(reason: FinishReason | null): Failure | null {
    const isCut = reason === 'length'
    if (this.brokenCall !== null) return isCut ? null : incomplete(this.brokenCall, this.flaw)
    for (const call of this.held) {
      this.settleName(call)
      if (this.written.takeTwinOf(call)) {
        this.sink.repair('repeated-call', repairCodes['repeated-call'])
      } else {
        this.order.call(call)
      }
    }
    return this.order.flush(isCut ? 'cut' : 'whole')
  }

  private settleName(call: StructuredCall): void {
    const tools = this.options.declaredTools?.()
    const name = tools === undefined ? call.name : declaredName(call.name, tools)
    if (name === call.name) return
    call.name = name
    this.repair('namespace')
  }

  private outcome(reason: FinishReason | null): FinishReason {
    if (reason === 'length' || reason === 'content-filter' || reason === 'pause') return reason
    if (this.order.nextIndex > 0) return 'tool-calls'
    return reason === null || reason === 'tool-calls' ? 'stop' : reason
  }

  private failIfBroken(): void {
    if (this.failure !== null) this.fail(this.failure)
    else if (this.brokenCall !== null) this.fail(incomplete(this.brokenCall, this.flaw))
  }

  /** After a failure the same text in one piece or in many must have sent the same: nothing more goes out. */
  private get isHalted(): boolean {
    return this.failure !== null || this.brokenCall !== null
  }

  private parserSink(): Sink {
    return {
      text: (text) => {
        if (!this.isHalted) this.order.text(text)
      },
      reasoning: (text) => {
        if (!this.isHalted) this.order.reasoning(text, this.field)
      },
      callStart: (index, _id, name) => {
        if (!this.isHalted) this.startWritten(index, name)
      },
      callDelta: (index, json) => {
        if (this.isHalted || this.callsCome === 'structured') return
        this.written.add(json)
        this.sink.callDelta(index, json)
      },
      callEnd: (index, complete) => {
        if (this.isHalted || this.callsCome === 'structured') return
        if (complete) this.sink.callEnd(index)
        else this.brokenCall = this.written.drop()
      },
      problem: (code, message, source) => {
        this.sink.problem(code, message, source)
        if (this.callsCome === 'structured') return
        if (this.brokenCall !== null) this.flaw ||= message
        if (code === 'overflow') this.failure ??= tooLarge(message)
        if (code === 'invalid-arguments' && this.options.delivery === 'complete') {
          this.failure ??= { kind: 'upstream', code: 'invalid_tool_arguments', message }
        }
      },
      repair: (code, message) => this.sink.repair(code, message),
    }
  }

  private startWritten(index: number, name: string): void {
    if (this.callsCome === 'structured') {
      this.sink.repair('residue', repairCodes.residue)
      return
    }
    this.callsCome = 'in the text'
    this.order.nextIndex = index + 1
    this.written.begin(name)
    this.sink.callStart(index, this.options.ids.mint(this.parser.format ?? 'std'), name)
  }
}

function tooLarge(message: string): Failure {
  return { kind: 'upstream', code: 'tool_call_too_large', message }
}

function parserReason(reason: FinishReason | null): 'stop' | 'length' | 'tool_calls' | 'error' {
  if (reason === 'length') return 'length'
  if (reason === 'content-filter') return 'error'
  return reason === 'tool-calls' ? 'tool_calls' : 'stop'
}
