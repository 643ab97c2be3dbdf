import type { AnswerIds } from '../../answer/ids.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../json/objects.ts'
import type { RecordedEvent } from '../../dialects/openai-chat/answer/choice-reader.ts'
import type { ModelEvent } from '../../events.ts'
import type { PushParser } from '../../parser.ts'
import { PartWriter, type TextKind } from './part-writer.ts'
import type { Part } from './specification.ts'
import { StructuredParts, type WrittenCall } from './structured-parts.ts'
import { TextBlocks } from './text-blocks.ts'

export interface PartRewriterOptions {
  /** Called for each stretch of text between calls that the provider read itself. */
  readonly openParser: () => PushParser
  readonly ids: AnswerIds
  /** Whether arguments that are not JSON fail the answer although the parser gave the call out as text. */
  readonly failOnInvalidArguments: boolean
  readonly onRecord: (event: RecordedEvent) => void
  readonly onWarning: (message: string) => void
}

/** The stream parts of one answer in, the same out, with the calls that the model wrote as text made calls. */
export class PartRewriter {
  readonly #options: PartRewriterOptions
  readonly #writer = new PartWriter()
  readonly #blocks = new TextBlocks(this.#writer)
  #parser: PushParser | null = null

  /** The first kind of call wins; calls of the other kind repeat it, or are left over from it. */
  #callsCome: 'not yet' | 'in the text' | 'structured' = 'not yet'
  #call: { readonly id: string; readonly name: string; readonly pieces: string[] } | null = null
  readonly #written: WrittenCall[] = []
  #hasWritten = false
  readonly #structured: StructuredParts
  #lastProblem = ''
  #failure: string | null = null

  constructor(options: PartRewriterOptions) {
    this.#options = options
    this.#structured = new StructuredParts(options.ids, options.onWarning)
  }

  take(part: Part): Part[] {
    this.#take(part)
    return this.#writer.take()
  }

  /** The stream is over, whether it said so or not. */
  end(): Part[] {
    this.#endText('error')
    return this.#writer.take()
  }

  #take(part: Part): void {
    const { type } = part
    const fields: unknown = part
    if (!isJsonObject(fields)) return
    switch (type) {
      case 'text-start':
      case 'reasoning-start':
        this.#blocks.begin(kindOf(type), part, idIn(fields))
        break
      case 'text-delta':
      case 'reasoning-delta':
        this.#delta(kindOf(type), part, fields)
        break
      case 'text-end':
      case 'reasoning-end':
        this.#blocks.end(kindOf(type), part, idIn(fields))
        break
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'tool-call':
      case 'tool-result':
      case 'tool-approval-request':
        this.#takeStructured(part, fields)
        break
      case 'finish':
        this.#finish(part, fields)
        break
      default:
        this.#writer.write(part)
    }
  }

  #delta(kind: TextKind, part: Part, fields: JsonObject): void {
    const own = { ...part, id: idIn(fields) }
    const text = nonEmptyText(fields['delta'])
    if (text === null) return this.#blocks.pass(kind, own)
    this.#blocks.read(kind, own.id)
    const events = this.#textParser().push(text, kind === 'text' ? 'content' : 'reasoning')
    if (saysTheSame(events, kind, text) && this.#failure === null) return this.#blocks.text(kind, text, own)
    this.#play(events)
    // The text is held, or part of a call; what the provider says beside it is not.
    const hasMetadata = fields['providerMetadata'] !== undefined
    if (hasMetadata && this.#writer.open?.kind === kind) this.#writer.inOpen({ ...own, ...noText })
  }

  #play(events: readonly ModelEvent[], isCut = false): void {
    for (const event of events) {
      switch (event.type) {
        case 'text':
        case 'reasoning':
          if (this.#failure === null) this.#blocks.text(event.type, event.text)
          break
        case 'problem':
        case 'repair':
          this.#record(event)
          break
        default:
          if (this.#failure === null) this.#playCall(event, isCut)
      }
    }
  }

  #playCall(event: CallEvent, isCut: boolean): void {
    if (event.type === 'call-start') this.#startWritten(event.name)
    else if (this.#call === null) return
    else if (event.type === 'call-delta') {
      this.#call.pieces.push(event.json)
      this.#writer.write({ type: 'tool-input-delta', id: this.#call.id, delta: event.json })
    } else {
      this.#endWritten(this.#call, event.complete, isCut)
      this.#call = null
    }
  }

  #startWritten(name: string): void {
    this.#blocks.callBegins()
    if (this.#callsCome === 'structured') {
      this.#options.onWarning(`a call of ${name} in the text, after structured calls, was removed`)
      return
    }
    this.#callsCome = 'in the text'
    const id = this.#options.ids.mint(this.#parser?.format ?? 'std')
    this.#call = { id, name, pieces: [] }
    this.#writer.close()
    this.#writer.write({ type: 'tool-input-start', id, toolName: name })
  }

  #endWritten(
    { id, name, pieces }: { readonly id: string; readonly name: string; readonly pieces: readonly string[] },
    isComplete: boolean,
    isCut: boolean,
  ): void {
    this.#writer.write({ type: 'tool-input-end', id })
    if (isComplete) {
      const json = pieces.join('')
      this.#hasWritten = true
      this.#written.push({ name, json })
      this.#writer.write({ type: 'tool-call', toolCallId: id, toolName: name, input: json })
    } else if (!isCut) {
      this.#failure = `The call of ${name} is incomplete. ${this.#lastProblem}`.trimEnd()
    }
  }

  #record(event: RecordedEvent): void {
    this.#options.onRecord(event)
    if (event.type === 'repair' || this.#callsCome === 'structured') return
    this.#lastProblem = event.message
    const isInvalid = event.code === 'invalid-arguments' && this.#options.failOnInvalidArguments
    if (isInvalid || event.code === 'overflow') this.#failure ??= event.message
  }

  #takeStructured(part: Part, fields: JsonObject): void {
    const isStart = StructuredParts.isStart(part)
    if (isStart) this.#endText('tool_calls')
    const isOwn = isStart && fields['providerExecuted'] !== true
    if (this.#structured.isHeld(part, fields) || (isOwn && this.#callsCome === 'in the text')) {
      for (const each of this.#structured.hold(part, fields, this.#written)) this.#writer.write(each)
      return
    }
    if (isOwn) this.#callsCome = 'structured'
    this.#writer.write(this.#structured.pass(part, fields))
  }

  #finish(part: Part, fields: JsonObject): void {
    const reason = isJsonObject(fields['finishReason']) ? fields['finishReason'] : {}
    const { unified } = reason
    this.#endText(endReasons.get(unified) ?? 'stop')
    for (const each of this.#structured.releaseHeld()) this.#writer.write(each)
    if (this.#failure !== null) {
      this.#writer.write({ type: 'error', error: new Error(this.#failure) })
      this.#writer.write({ ...part, finishReason: { ...reason, unified: 'error' } })
    } else if (this.#hasWritten && (unified === 'stop' || unified === 'other')) {
      this.#writer.write({ ...part, finishReason: { ...reason, unified: 'tool-calls' } })
    } else {
      this.#writer.write(part)
    }
  }

  #endText(reason: EndReason): void {
    if (this.#parser !== null) this.#play(this.#parser.end(reason), reason === 'length')
    this.#parser = null
    this.#blocks.close()
  }

  #textParser(): PushParser {
    this.#parser ??= this.#options.openParser()
    return this.#parser
  }
}

type CallEvent = Extract<ModelEvent, { type: 'call-start' | 'call-delta' | 'call-end' }>
type EndReason = NonNullable<Parameters<PushParser['end']>[0]>

const endReasons: ReadonlyMap<unknown, EndReason> = new Map<unknown, EndReason>([
  ['length', 'length'],
  ['content-filter', 'error'],
  ['error', 'error'],
  ['tool-calls', 'tool_calls'],
])

const noText = { delta: '' }

function kindOf(type: string): TextKind {
  return type.startsWith('text') ? 'text' : 'reasoning'
}

function idIn(fields: JsonObject): string {
  return nonEmptyText(fields['id']) ?? ''
}

function saysTheSame(events: readonly ModelEvent[], kind: TextKind, text: string): boolean {
  const [first] = events
  return events.length === 1 && first?.type === kind && first.text === text
}
