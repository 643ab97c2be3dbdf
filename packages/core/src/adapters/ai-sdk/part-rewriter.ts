import type { AnswerSink, FinishReason, Usage } from '../../answer/answer.ts'
import type { CallPolicy } from '../../answer/calls/policy.ts'
import { Comparison, type Piece, PieceCollector, type Verdict } from '../../answer/patch.ts'
import { countOf, isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../json/objects.ts'
import { CallParts } from './call-parts.ts'
import { PartWriter, type TextKind } from './part-writer.ts'
import { type ProviderCall, ProviderCalls } from './provider-calls.ts'
import type { Part } from './specification.ts'
import { TextBlocks } from './text-blocks.ts'

/**
 * The stream parts of one answer in, the same out, with the calls that the model wrote as text made calls. A part in
 * which nothing has to change passes as it came; what the policy made otherwise goes into parts of ours.
 */
export class PartRewriter {
  readonly #made = new PieceCollector('as the upstream')
  readonly #policy: CallPolicy
  readonly #provided: ProviderCalls
  readonly #comparison = new Comparison<CallPart>()
  readonly #writer = new PartWriter()
  readonly #blocks = new TextBlocks(this.#writer)
  readonly #calls = new CallParts(this.#writer)
  /** The one that a part was read of last. */
  #progress: 'reading' | 'failed' = 'reading'

  constructor(openPolicy: (sink: AnswerSink) => CallPolicy) {
    this.#policy = openPolicy(this.#made)
    this.#policy.start(null, null)
    this.#provided = new ProviderCalls(this.#policy)
  }

  take(part: Part): Part[] {
    const fields: unknown = part
    if (!isJsonObject(fields)) return []
    if (besideTheContent.has(part.type)) this.#writer.write(part)
    else if (part.type === 'finish') this.#finish(part, fields)
    else if (!this.#policy.isEnded) this.#read(part, fields)
    return this.#writer.take()
  }

  /** The stream is over, whether it said so or not. */
  end(): Part[] {
    if (!this.#policy.isEnded) {
      this.#policy.leave()
      this.#conclude()
    }
    return this.#writer.take()
  }

  #read(part: Part, fields: JsonObject): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#blocks.begin(kindOf(part), part, idIn(fields))
        break
      case 'text-delta':
      case 'reasoning-delta':
        this.#readText(kindOf(part), part, fields)
        break
      case 'text-end':
      case 'reasoning-end':
        this.#blocks.end(kindOf(part), part, idIn(fields))
        break
      default:
        this.#readCall(part, fields)
    }
    this.#tellFailure()
  }

  #readText(kind: TextKind, part: Part, fields: JsonObject): void {
    const own = { ...part, id: idIn(fields) }
    const text = nonEmptyText(fields['delta'])
    if (text === null) {
      this.#blocks.pass(kind, own)
      return
    }
    this.#blocks.read(kind, own.id)
    if (kind === 'text') this.#policy.content(text)
    else this.#policy.reasoning(text, kind)
    const made = this.#made.take()
    if (!this.#comparison.isWaiting && saysTheSame(made, kind, text)) {
      this.#blocks.text(kind, text, own)
      return
    }
    this.#carryOut(this.#comparison.settle(made))
    // The text is held, or part of a call; what the provider says beside it is not.
    const hasMetadata = fields['providerMetadata'] !== undefined
    if (hasMetadata && this.#writer.open?.kind === kind) this.#writer.inOpen({ ...own, ...noText })
  }

  #readCall(part: Part, fields: JsonObject): void {
    const read = this.#provided.read(part, fields)
    if (read.is === 'call') {
      this.#carryOut(this.#comparison.take({ part, fields, of: read.of }, read.said, this.#made.take()))
    } else if (read.is === 'other') {
      this.#policy.other(part)
      this.#carryOut(this.#comparison.settle(this.#made.take()))
    }
  }

  #carryOut(verdict: Verdict<CallPart>): void {
    if (verdict.is === 'pass') for (const event of verdict.events) this.#pass(event)
    else if (verdict.is === 'edit') for (const piece of verdict.pieces) this.#play(piece)
  }

  /** A part of a call that says what the client is to get. */
  #pass({ part, fields, of }: CallPart): void {
    switch (part.type) {
      case 'tool-input-start':
        this.#blocks.close()
        this.#calls.start(of.id, of.call.name, of)
        break
      case 'tool-input-delta':
        this.#calls.passInput(part, String(fields['delta']), of)
        break
      default:
        if (of.start === null) {
          this.#blocks.close()
          this.#calls.start(of.id, of.call.name, of)
        }
        this.#calls.end(String(fields['input']))
    }
  }

  #play(piece: Piece): void {
    switch (piece.is) {
      case 'text':
      case 'reasoning':
        this.#blocks.text(piece.is, piece.text)
        break
      case 'call':
        if (piece.call === null) this.#blocks.callBegins()
        else this.#blocks.close()
        this.#calls.start(piece.id, piece.name, piece.call === null ? null : this.#provided.of(piece.call))
        break
      case 'arguments':
        this.#calls.input(piece.json)
        break
      case 'call-end':
        this.#calls.end()
        break
      case 'other':
        this.#blocks.settle()
        if (isPart(piece.item)) this.#writer.write(this.#calls.withKnownId(piece.item))
    }
  }

  #finish(part: Part, fields: JsonObject): void {
    const reason = objectIn(fields, 'finishReason')
    if (!this.#policy.isEnded) {
      this.#endPolicy(reason['unified'], objectIn(fields, 'usage'))
      this.#conclude()
    }
    const unified = this.#finishWord(reason['unified'])
    this.#writer.write(
      unified === reason['unified'] ? part : withFields(part, { finishReason: { ...reason, unified } }),
    )
  }

  #endPolicy(unified: unknown, usage: JsonObject): void {
    const counted = usageIn(usage)
    if (counted !== null) this.#policy.usage(counted)
    // The provider has told its error already, in a part of its own.
    if (unified === 'error') this.#policy.leave()
    else this.#policy.finish(this.#reasonIn(unified), null)
  }

  /** Null for a word that says nothing about calls. */
  #reasonIn(unified: unknown): FinishReason | null {
    // These calls are the provider's own. Only it knows whether its turn is over.
    if (unified === 'tool-calls' && this.#provided.hasExecuted) return 'pause'
    return reasons.get(unified) ?? null
  }

  #finishWord(came: unknown): unknown {
    const { ending } = this.#made
    if (ending.is === 'failed') return 'error'
    if (ending.is === 'open' || ending.reason === 'pause') return came
    return ending.reason === 'stop' && !reasons.has(came) ? came : ending.reason
  }

  /** What is held goes out, and everything that is open is closed. */
  #conclude(): void {
    this.#carryOut(this.#comparison.settle(this.#made.take()))
    this.#blocks.close()
    this.#calls.leave()
    this.#tellFailure()
  }

  #tellFailure(): void {
    const { ending } = this.#made
    if (ending.is !== 'failed' || this.#progress === 'failed') return
    this.#progress = 'failed'
    this.#conclude()
    this.#writer.write({ type: 'error', error: new Error(ending.failure.message) })
  }
}

/** A part of a call that the provider read itself. */
interface CallPart {
  readonly part: Part
  readonly fields: JsonObject
  readonly of: ProviderCall
}

/** Parts that are no content: they go on at once, and may come between the halves of a marker. */
const besideTheContent: ReadonlySet<string> = new Set(['stream-start', 'response-metadata', 'raw', 'error'])

const reasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'content-filter'],
  ['tool-calls', 'tool-calls'],
])

const noText = { delta: '' }

function kindOf({ type }: Part): TextKind {
  return type.startsWith('text') ? 'text' : 'reasoning'
}

function idIn(fields: JsonObject): string {
  return nonEmptyText(fields['id']) ?? ''
}

function saysTheSame(made: readonly Piece[], kind: TextKind, text: string): boolean {
  const [only] = made
  return made.length === 1 && only?.is === kind && only.text === text
}

function isPart(item: unknown): item is Part {
  return isJsonObject(item) && typeof item['type'] === 'string'
}

function withFields(part: Part, fields: JsonObject): Part {
  return { ...part, ...fields }
}

/** Null where the provider has not counted. */
function usageIn(usage: JsonObject): Usage | null {
  const [input, output] = [objectIn(usage, 'inputTokens'), objectIn(usage, 'outputTokens')]
  const outputTokens = countOf(output, 'total')
  if (outputTokens === null) return null
  return {
    inputTokens: countOf(input, 'noCache') ?? 0,
    cacheReadTokens: countOf(input, 'cacheRead') ?? 0,
    cacheWriteTokens: countOf(input, 'cacheWrite') ?? 0,
    outputTokens,
    reasoningTokens: countOf(output, 'reasoning') ?? 0,
  }
}
