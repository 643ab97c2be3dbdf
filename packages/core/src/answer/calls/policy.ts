import { EventCollector, type Sink } from '../../events.ts'
import type { FormatId } from '../../formats/format-id.ts'
import type { JsonObject } from '../../json/objects.ts'
import { repairCodes, type RepairCode } from '../../problems.ts'
import type { AnswerSink, FinishReason, Usage } from '../answer.ts'
import { callTooLarge, type Failure, heldTooMuch, mostCalls, noContent, tooManyCalls } from '../failure.ts'
import { InBandCalls } from './in-band.ts'
import { type DeclaredTools, declaredName, isWholeName, onlyCall, withoutTokens } from './names.ts'
import { AnswerOrder, type OrderOptions } from './order.ts'
import { type OtherCall, StructuredCall } from './structured-call.ts'

/** What reads the text of an answer: a `ParserStage` does. */
export interface TextStage {
  /** The format whose syntax the stream has shown, or null before it has. */
  readonly format: FormatId | null
  /** Content in pieces that end there: how many of them, from the first on, would now go on as they are. */
  countPassing(text: string, ends: readonly number[]): number
  push(text: string, channel: 'content' | 'reasoning'): void
  /** Something else than text comes next: half a marker that is held is the text that it is. */
  settle(): void
  end(reason?: 'stop' | 'length' | 'tool_calls' | 'error'): void
}

export interface CallPolicyOptions extends OrderOptions {
  readonly openParser: (sink: Sink) => TextStage
  /** Asked for where a structured call has come. Undefined: nobody knows the tools. */
  readonly declaredTools?: (() => DeclaredTools) | undefined
  /** The name by which the client knows a tool. */
  readonly clientToolName?: ((name: string) => string) | undefined
  /** `remove`: the client has forbidden calls, and those that come structured all the same are left out. */
  readonly calls?: 'read' | 'remove' | undefined
  /** Whether the client lets the model call the tool that it knows by this name. Left out: it may call every tool. */
  readonly mayCall?: ((name: string) => boolean) | undefined
  /** How many tokens the upstream was allowed to write. */
  readonly maxTokens?: number | undefined
  /** What was dropped, or taken although something is wrong with it. */
  readonly onWarning?: ((message: string) => void) | undefined
}

/**
 * The one place that decides about the calls of an answer. Text goes through the parser; structured calls are put in
 * order; of calls that come both ways each is made once; broken calls, names and limits mean the same for the client
 * of every dialect. Decoders write into it, and encoders and patchers are its outputs.
 */
export class CallPolicy {
  /** Why the answer is no whole one, or null. */
  failure: Failure | null = null
  private state: 'new' | 'reading' | 'ended' = 'new'
  private readonly options: CallPolicyOptions
  private readonly sink: AnswerSink
  private readonly parser: TextStage
  private readonly order: AnswerOrder
  private readonly inBand: InBandCalls
  /** Structured calls behind calls in the text: the first kind of call wins. */
  private readonly held: StructuredCall[] = []
  /** How many structured calls have come. */
  private opened = 0
  /** How many calls have come in fields of their own, of functions or not. */
  private counted = 0
  /** How much stands around the arguments of structured calls. */
  private keptLength = 0
  /** How many structured calls the client forbids. */
  private forbidden = 0
  private readonly warned = new Set<string>()
  /** As far as the upstream has counted. */
  private outputTokens: number | null = null

  constructor(options: CallPolicyOptions, sink: AnswerSink) {
    this.options = options
    this.sink = sink
    this.order = new AnswerOrder(sink, this, options)
    this.inBand = new InBandCalls(sink, this.order, options)
    this.parser = options.openParser(this.inBand)
    this.inBand.parser = this.parser
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

  /** Whether pieces of content may come in one. While a call waits, each of them can be the one that ends the answer. */
  get joinsContent(): boolean {
    return this.order.isEmpty && !this.isEnded
  }

  /** Content in pieces that end there: how many of them, from the first on, go to the client as they are. */
  countPassing(text: string, ends: readonly number[]): number {
    return this.joinsContent ? this.parser.countPassing(text, ends) : 0
  }

  content(text: string): void {
    if (text === '' || this.isEnded) return
    this.inBand.reasoningField = 'content'
    this.parser.push(text, 'content')
    this.textGrew()
  }

  reasoning(text: string, field: string): void {
    if (text === '' || this.isEnded) return
    this.inBand.reasoningField = field
    this.parser.push(text, 'reasoning')
    this.textGrew()
  }

  /** `field`: where it stood, for a proof that comes without reasoning. */
  proof(proof: string, field?: string): void {
    if (proof === '' || this.isEnded) return
    this.inBand.proof(proof, field)
    const limit = Math.max(this.options.heldLimit, mostKept)
    if (this.order.heldBytes > limit) this.fail(heldTooMuch('The proof of reasoning', limit))
  }

  /** Something that only the upstream's dialect can say. It stays at its place. `bytes`: about how much it takes. */
  other(item: unknown, bytes = 0): void {
    if (this.isEnded || !this.settleText()) return
    this.order.other(item, null, bytes)
    this.advance()
  }

  /** A part of a call that only the upstream's dialect has. Where the client gets it, the answer has a call. */
  otherCall(item: unknown, call: OtherCall, bytes = 0): void {
    if (this.isEnded || !this.settleText()) return
    if (this.isForbiddenOther(call)) return
    if (!call.isCounted) {
      call.isCounted = true
      if (!this.mayOpen()) return
    }
    this.order.other(item, call, bytes)
    this.advance()
  }

  usage(usage: Usage): void {
    if (this.isEnded) return
    this.outputTokens = usage.outputTokens
    this.sink.usage(usage)
  }

  /** `source` is what the upstream wrote around the call. */
  openCall(source: JsonObject): StructuredCall {
    const call = new StructuredCall(source, this.opened++)
    if (this.isEnded || !this.settleText()) return call
    if (!this.mayOpen() || !this.mayKeep(source)) return call
    if (this.options.calls === 'remove') {
      this.repair('forbidden-call')
      return call
    }
    if (this.inBand.hasCalls) {
      this.held.push(call)
    } else {
      this.inBand.becomeResidue()
      this.order.call(call)
    }
    return call
  }

  /** To be called when something was added to a structured call, or the upstream has closed it. */
  callGrew(call: StructuredCall): void {
    if (this.isEnded || this.options.calls === 'remove' || call.isForbidden) return
    if (call.name.length > longestName) {
      this.fail(callTooLarge(`The name of a tool call is longer than ${longestName} characters.`))
      return
    }
    this.order.recount(call)
    this.advance()
  }

  /**
   * The upstream's answer is whole. `told` is null where it did not say why it ended. `ifEmpty`: what this end means
   * where nothing came before it.
   */
  finish(told: FinishReason | null, stopSequence: string | null, ifEmpty: Failure | null = null): void {
    if (this.isEnded) return
    this.parser.end(parserReason(told))
    const reason = this.isCutAtLimit ? 'length' : told
    const failure = this.conclude(reason) ?? (this.order.hasSaid ? null : ifEmpty) ?? this.emptiness(reason)
    if (failure !== null) this.tellFailure(failure)
    else this.tellFinish(this.outcome(reason), stopSequence)
    this.end()
  }

  /** What was held back goes out before the failure. */
  fail(failure: Failure): void {
    if (this.isEnded) return
    this.parser.end('error')
    this.order.flush('failed')
    this.tellFailure(failure)
    this.end()
  }

  /** The upstream was cut off, and nobody calls that a failure: what was held back goes out. */
  leave(): void {
    if (this.isEnded) return
    this.parser.end('error')
    const fault = this.inBand.faultWhere(false)
    this.order.flush('failed')
    if (fault !== null) this.tellFailure(fault)
    this.end()
  }

  repair(code: RepairCode): void {
    this.sink.repair(code, repairCodes[code])
  }

  warn(message: string): void {
    this.options.onWarning?.(message)
  }

  /** For what every event of a stream may say again. */
  warnOnce(message: string): void {
    const told = message.slice(0, longestWarning)
    if (this.warned.has(told) || this.warned.size === mostWarnings) return
    this.warned.add(told)
    this.warn(told)
  }

  /** A name may come in pieces, and an id behind it: neither is certain before the arguments begin. */
  isCertain(call: StructuredCall): boolean {
    if (call.hasArguments || call.isClosed) return true
    const tools = this.options.declaredTools?.()
    return tools !== undefined && isWholeName(withoutTokens(call.name), tools)
  }

  forClient(call: StructuredCall): string {
    const clean = withoutTokens(call.name)
    if (clean !== call.name) this.warnOnce(cutName)
    const name = this.declaredName(call)
    if (name !== clean) this.repair('namespace')
    return this.options.clientToolName?.(name) ?? name
  }

  readName(call: StructuredCall): void {
    if (!call.name.includes('<')) return
    const events = new EventCollector()
    const parser = this.options.openParser(events)
    parser.push(call.name, 'content')
    parser.end('stop')
    const read = onlyCall(events.take())
    if (read === null) return
    call.name = read.name
    call.addArguments(read.json)
    this.repair('rescued-call')
  }

  isForbidden(call: StructuredCall): boolean {
    const { mayCall, clientToolName } = this.options
    if (mayCall === undefined) return false
    const name = this.declaredName(call)
    if (mayCall(clientToolName?.(name) ?? name)) return false
    this.repair('forbidden-call')
    this.forbidden++
    // Of calls that do not count, those in the text cannot be left over.
    if (this.forbidden === this.opened) this.inBand.becomeFirst()
    return true
  }

  private isForbiddenOther(call: OtherCall): boolean {
    const { mayCall } = this.options
    if (call.isForbidden) return true
    if (mayCall === undefined || call.name === null || mayCall(call.name)) return false
    call.isForbidden = true
    this.repair('forbidden-call')
    return true
  }

  /** The answer fails with the first call that is too many. */
  private mayOpen(): boolean {
    this.counted++
    if (this.counted > mostCalls) this.fail(tooManyCalls)
    return !this.isEnded
  }

  /** What stands around the arguments of calls is kept until the end of the answer, and nothing says how much it is. */
  private mayKeep(source: JsonObject): boolean {
    this.keptLength += JSON.stringify(source).length
    if (this.keptLength > mostKept) {
      this.fail(callTooLarge(`More than ${mostKept} bytes stand around the arguments of tool calls.`))
    }
    return !this.isEnded
  }

  private declaredName({ name }: StructuredCall): string {
    const clean = withoutTokens(name)
    const tools = this.options.declaredTools?.()
    return tools === undefined ? clean : declaredName(clean, tools)
  }

  private tellFinish(outcome: FinishReason, stopSequence: string | null): void {
    // The beginning may have been lost on its way: no client can read an end without one.
    this.start(null, null)
    this.sink.finish(outcome, outcome === 'stop-sequence' ? stopSequence : null)
  }

  private tellFailure(failure: Failure): void {
    this.failure = failure
    this.sink.fail(failure)
  }

  private end(): void {
    this.state = 'ended'
    this.sink.end()
  }

  /** Some servers report a call that their own limit has cut as if it were whole. */
  private get isCutAtLimit(): boolean {
    const { maxTokens } = this.options
    if (maxTokens === undefined || this.outputTokens === null || this.outputTokens < maxTokens) return false
    return this.inBand.isHalted || this.order.endsInHalfACall
  }

  private conclude(reason: FinishReason | null): Failure | null {
    const isCut = reason === 'length'
    if (this.inBand.isHalted) return this.inBand.faultWhere(isCut)
    for (const [at, call] of this.held.entries()) {
      const isWhole = call.end(isCut && at === this.held.length - 1) === null
      if (isWhole && this.inBand.takeTwinOf(call, this.declaredName(call))) this.repair('repeated-call')
      else this.order.call(call)
    }
    return this.order.flush(isCut ? 'cut' : 'whole')
  }

  /** Clients take an answer of nothing, with nothing counted, for a turn that is over. */
  private emptiness(reason: FinishReason | null): Failure | null {
    const isPlain = reason === null || reason === 'stop' || reason === 'tool-calls'
    const isNothing = this.outputTokens === 0 || this.options.refuses?.includes('no content') === true
    return isPlain && isNothing && !this.order.hasSaid ? noContent : null
  }

  private outcome(reason: FinishReason | null): FinishReason {
    if (reason === 'length' || reason === 'content-filter' || reason === 'pause') return reason
    if (this.order.nextIndex > 0) return 'tool-calls'
    return reason === null || reason === 'tool-calls' ? 'stop' : reason
  }

  private advance(): void {
    const failure = this.order.advance()
    const { heldLimit } = this.options
    const heldBytes = this.order.heldBytes + (this.sink.heldBytes ?? 0)
    const isOver = this.order.isOver || heldBytes > heldLimit
    if (failure !== null) this.fail(failure)
    else if (isOver) this.fail(callTooLarge(`More than ${heldLimit} bytes of tool calls had to wait.`))
  }

  /** Something that is no text follows. False where the text before it is beyond a limit: nothing may follow it then. */
  private settleText(): boolean {
    this.parser.settle()
    const fault = this.inBand.faultWhere(true)
    if (fault !== null) this.fail(fault)
    return fault === null
  }

  private textGrew(): void {
    const fault = this.inBand.faultWhere(false)
    if (fault !== null) this.fail(fault)
    else if (!this.order.isEmpty || (this.sink.heldBytes ?? 0) > 0) this.advance()
  }
}

/** How much may be kept of what is no part of the arguments of a call: those have a limit that users set. */
const mostKept = 4_194_304

/** A name may come in pieces without an end. No client has a tool with a longer one. */
const longestName = 1024

/** An upstream may think of a new word for each event, as long as it likes. */
const mostWarnings = 64
const longestWarning = 256

const cutName = 'the name of a structured call held tokens of the model; they were cut off'

function parserReason(reason: FinishReason | null): 'stop' | 'length' | 'tool_calls' | 'error' {
  if (reason === 'length') return 'length'
  if (reason === 'content-filter') return 'error'
  return reason === 'tool-calls' ? 'tool_calls' : 'stop'
}
