import type { AnswerSink } from './answer/answer.ts'
import { CallPolicy } from './answer/calls/policy.ts'
import { emptyAnswer, type Failure } from './answer/failure.ts'
import { AnswerIds, type MintId } from './answer/ids.ts'
import { AnswerOutput } from './answer/output.ts'
import type { PatchOptions } from './answer/patch.ts'
import { AnswerStream, type WireAnswer } from './answer/stream.ts'
import { textInError } from './answer/text-in-error.ts'
import { type AnswerWatcher, watchedAnswer, WatchedAnswer } from './answer/watch.ts'
import type { WholeCollector } from './answer/whole.ts'
import type { AnswerDialect, AnswerEncoder, EncodeOptions } from './dialects/dialect.ts'
import { dialects, type DialectId } from './dialects/index.ts'
import { isJsonObject, type JsonObject } from './json/objects.ts'
import type { FormatId } from './formats/format-id.ts'
import { formatOfCallId } from './ids/mint.ts'
import {
  createPassingStage,
  declaredTools,
  defaultToolCallBytes,
  mayBeOfFamily,
  type ParserOptions,
} from './parser-stage.ts'
import { holdsWholeCalls } from './parser.ts'
import { repairCodes } from './problems.ts'
import type { ConversationRequest } from './request/conversation-request.ts'
import { unsignedField } from './request/reasoning-policy.ts'
import { HeldText } from './text/held-text.ts'

/** How the calls of an answer are read, whatever becomes of it. */
export interface ReadingOptions {
  readonly parser: ParserOptions
  readonly mint: MintId
  /** The ids that the conversation already holds: a call of the answer gets none of them. */
  readonly conversationIds?: ReadonlySet<string> | undefined
  /** The name by which the client knows a tool. */
  readonly clientToolName?: ((name: string) => string) | undefined
  /** How many tokens the upstream was allowed to write: a call that ends there half-way was cut, whatever is said. */
  readonly maxTokens?: number | undefined
  /** The longest event. */
  readonly maxEventBytes?: number | undefined
  /** `pass`: a stream that is not as it should be goes on as far as it can. Default `fail`. */
  readonly faults?: 'fail' | 'pass' | undefined
  readonly watcher?: AnswerWatcher | undefined
  /** What the client asked for, for dialects whose answers depend on it. */
  readonly request?: ConversationRequest | undefined
  /** What was dropped, or taken although something is wrong with it. */
  readonly onWarning?: ((message: string) => void) | undefined
}

export interface TranslationOptions extends ReadingOptions {
  /** What the upstream speaks. */
  readonly from: DialectId
  /** What the client speaks. */
  readonly to: DialectId
  /** How the upstream answered. */
  readonly delivered: 'stream' | 'whole'
  /** What the client asked for. */
  readonly wants: 'stream' | 'whole'
  /**
   * What the answer needs to be written in another dialect. Where both speak the same it is asked for nothing but the
   * signature of reasoning that came unsigned, and the beginning of an answer that came without one.
   */
  readonly encoding: () => Omit<EncodeOptions, 'write' | 'includeUsage'>
  /** Whether the client asked for a chunk with the usage. */
  readonly includeUsage: boolean
  /**
   * The name of the model that a client of the upstream's own dialect is told. Left out, it is told what the upstream calls
   * the model. A client of another dialect is told the name of `encoding` in any case.
   */
  readonly clientModel?: string | undefined
  /** Takes secrets out of what the upstream says about its failure. */
  readonly redact?: ((text: string) => string) | undefined
}

/** An answer on its way from an upstream to a client. */
export interface AnswerTranslation {
  /** `finishing`: the upstream has said why it ended; little more will come. */
  readonly state: 'reading' | 'finishing' | 'ended'
  /** Why the answer is no whole one, or null. */
  readonly failure: Failure | null
  /** Whether the client has been given anything: until then a failure can be a response of its own. */
  readonly isStarted: boolean
  /** Takes bytes of the upstream, and returns text for the client. */
  push(chunk: string | Uint8Array): string
  /** The upstream has ended. `cause`: why it was given up, where it was; that is more than its answer can tell. */
  end(cause?: Failure): string
  /**
   * What is sent into the stream now while its client waits, in a dialect that numbers its events. Null, or left out, where
   * what the dialect has for every stream will do.
   */
  keepAlive?(): string | null
}

/** One upstream answer for one client, streamed or whole, in the same dialect or another. */
export function translateAnswer(options: TranslationOptions): AnswerTranslation {
  return new Translation(options)
}

class Translation implements AnswerTranslation {
  private readonly output = new AnswerOutput()
  private readonly source: AnswerDialect
  private readonly answer: WireAnswer
  private readonly stream: AnswerStream
  /** The body of a whole answer, until all of it has come. */
  private readonly body: HeldBody | null
  private readonly collector: WholeCollector | null
  private readonly isSameDialect: boolean
  isStarted = false
  /** What the encoder gave the answer up for, or the collector found missing. */
  private givenUp: Failure | null = null
  private translator: AnswerEncoder | null = null

  constructor(options: TranslationOptions) {
    const { from, to, delivered, wants } = options
    const isWhole = wants === 'whole'
    this.source = dialects[from].answer
    // A summary in place of an answer is written by us alone.
    this.isSameDialect = from === to && options.request?.compacts === undefined
    const includeUsage = options.includeUsage || isWhole
    this.answer = this.isSameDialect
      ? patchAnswer(from, options, this.output, includeUsage, {
          signature: (text) => options.encoding().signature(unsignedField, null, text),
          head: () => options.encoding(),
        })
      : this.source.decode(openPolicy(dialects[to].answer, options, this.encoder(options, includeUsage)))
    this.stream = new AnswerStream(
      this.answer,
      options,
      this.isSameDialect && options.clientModel !== undefined
        ? namedAs(options.clientModel, this.source)
        : (data) => this.source.unwrap(data),
      (error, first) => this.rescue(error, first, options),
    )
    this.body = delivered === 'whole' ? new HeldBody() : null
    this.collector = isWhole ? dialects[to].answer.whole.collect() : null
  }

  get state(): AnswerTranslation['state'] {
    return this.givenUp === null ? this.stream.state : 'ended'
  }

  get failure(): Failure | null {
    return this.answer.failure ?? this.givenUp
  }

  keepAlive(): string | null {
    if (!this.isStarted || this.collector !== null || this.state === 'ended') return null
    return (this.translator ?? this.answer).keepAlive?.() ?? null
  }

  push(chunk: string | Uint8Array): string {
    if (this.body !== null) {
      this.body.push(chunk)
      return ''
    }
    if (this.state === 'ended') return ''
    this.stream.push(chunk)
    return this.deliver(null)
  }

  end(cause?: Failure): string {
    const { stream, body } = this
    if (this.state === 'ended') return ''
    if (body === null || cause !== undefined) {
      stream.end(cause)
      return this.deliver(null)
    }
    const whole = this.source.whole.toEvents(body.take())
    if ('failure' in whole) {
      stream.end(whole.failure)
      return this.deliver(null)
    }
    stream.push(whole.events)
    stream.end()
    return this.deliver(whole)
  }

  /** Some servers put the call that they cannot read into their error, behind what they have sent already. */
  private rescue(error: string, first: JsonObject, { parser, watcher }: TranslationOptions): string | null {
    const told = textInError({ status: 200, body: error })
    if (told === null || !holdsWholeCalls(told.text, parser)) return null
    const rest = this.source.whole.rest(told.text, first)
    if (rest !== null) watcher?.repair?.('rescued-call', repairCodes['rescued-call'])
    return rest
  }

  private encoder({ to, encoding, watcher, request }: TranslationOptions, includeUsage: boolean): AnswerSink {
    const { output } = this
    const sink: AnswerEncoder = dialects[to].answer.encode({
      request,
      ...encoding(),
      includeUsage,
      write: (text) => output.push(text),
      told: {
        repair: (code, message) => watcher?.repair?.(code, message),
        failed: (failure) => {
          this.givenUp = failure
        },
      },
    })
    this.translator = sink
    return new StartedAnswer(sink, output)
  }

  /** `came` is the whole answer of the upstream, and the events that were made of it. */
  private deliver(came: { readonly json: string; readonly events: string } | null): string {
    // A failure before the first event is a response of its own: comments would be in its way.
    if (!this.output.isStarted) return ''
    const text = this.output.take().join('')
    if (this.collector === null) {
      this.isStarted = true
      return text
    }
    // Numbers and white space of a whole answer stay as they came where nothing in it had to change.
    if (this.isSameDialect && text === came?.events) return this.whole(came.json)
    this.collector.push(text)
    if (this.state !== 'ended' || this.failure !== null) return ''
    const whole = this.collector.end()
    if (whole !== null) return this.whole(whole.json)
    // The stream ended well, but held nothing of which an answer could be made.
    this.givenUp = emptyAnswer
    return ''
  }

  private whole(json: string): string {
    this.isStarted = true
    return json
  }
}

/** The data of events in which the model has the name that the client knows. */
function namedAs(model: string, source: AnswerDialect): (data: unknown) => unknown {
  return (data) => withText(source.unwrap(data), source.modelPath, model)
}

/** The value with another text at a path. Where there is no text, nothing changes. */
function withText(value: unknown, [key, ...rest]: readonly string[], text: string): unknown {
  if (key === undefined) return typeof value === 'string' ? text : value
  if (!isJsonObject(value)) return value
  const changed = withText(value[key], rest, text)
  return changed === value[key] ? value : { ...value, [key]: changed }
}

/** Nothing is written for an answer that fails before it has begun: the failure is a response of its own. */
class StartedAnswer extends WatchedAnswer {
  private readonly output: AnswerOutput

  constructor(sink: AnswerSink, output: AnswerOutput) {
    super(sink, {})
    this.output = output
  }

  override fail(failure: Failure): void {
    if (this.output.isStarted) super.fail(failure)
  }
}

/** The bytes of a body, until all of it has come. */
class HeldBody {
  private readonly decoder = new TextDecoder()
  private readonly text = new HeldText()

  push(chunk: string | Uint8Array): void {
    this.text.add(typeof chunk === 'string' ? chunk : this.decoder.decode(chunk, { stream: true }))
  }

  take(): string {
    this.text.add(this.decoder.decode())
    return this.text.take()
  }
}

/** The stream of an upstream for a client of the same dialect. */
export function patchAnswer(
  dialect: DialectId,
  options: ReadingOptions,
  output: AnswerOutput,
  includeUsage: boolean,
  filled: Pick<PatchOptions, 'signature' | 'head'> = {},
): WireAnswer {
  const { answer } = dialects[dialect]
  return answer.patch({
    openPolicy: (sink, choice) => openPolicy(answer, options, sink, choice),
    output,
    includeUsage,
    faults: options.faults ?? 'fail',
    ...filled,
    onWarning: options.onWarning,
    request: options.request,
  })
}

/** The policy of one choice. Whoever watches is told the end and the usage of the first alone. */
export function openPolicy(
  { isLegalCallId, refuses }: Pick<AnswerDialect, 'isLegalCallId' | 'refuses'>,
  options: ReadingOptions,
  sink: AnswerSink,
  choice = 0,
): CallPolicy {
  const { parser, mint, conversationIds, clientToolName, maxTokens, watcher, onWarning } = options
  const watched =
    watcher === undefined ? sink : watchedAnswer(sink, choice === 0 ? watcher : besides(watcher))
  // Field by field: an object that is spread and then given functions is made anew by the runtime each time, which
  // takes longer than reading a short answer.
  return new CallPolicy(
    {
      openParser: (parserSink) => createPassingStage(parser, parserSink),
      ids: new AnswerIds(mint, conversationIds, isLegalCallId, (id) => familyToldBy(id, parser)),
      declaredTools: declaredTools(parser),
      clientToolName,
      mayCall: mayCallIn(options.request),
      calls: parser.calls,
      maxTokens,
      delivery: parser.delivery,
      refuses,
      heldLimit: parser.limits?.toolCallBytes ?? defaultToolCallBytes,
      onWarning,
    },
    watched,
  )
}

/** Undefined where the client lets the model call every tool. */
function mayCallIn(request: ConversationRequest | undefined): ((name: string) => boolean) | undefined {
  const choice = request?.toolChoice
  if (choice === undefined || choice.type === 'tool' || choice.allowed === undefined) return undefined
  const allowed = new Set(choice.allowed)
  return (name) => allowed.has(name)
}

/** The family of models that the id of a structured call tells, where nothing speaks against it. */
function familyToldBy(id: string, parser: ParserOptions): FormatId | null {
  const told = formatOfCallId(id)
  return told !== null && told !== 'std' && mayBeOfFamily(told, parser) ? told : null
}

function besides(watcher: AnswerWatcher): AnswerWatcher {
  return {
    ...(watcher.said === undefined ? {} : { said: (characters: number) => watcher.said?.(characters) }),
    call: (name) => watcher.call?.(name),
    callEnded: () => watcher.callEnded?.(),
    problem: (code, message, source) => watcher.problem?.(code, message, source),
    repair: (code, message) => watcher.repair?.(code, message),
  }
}
