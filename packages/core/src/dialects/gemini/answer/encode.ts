import type { AnswerSink, FinishReason, UpstreamCall, Usage } from '../../../answer/answer.ts'
import type { Failure } from '../../../answer/failure.ts'
import { byteLength } from '../../../text/utf8.ts'
import { type CarriedThought, writeEnvelope } from '../envelope.ts'
import { geminiErrorEvent } from '../errors.ts'
import { encodeFinishReason, encodeGeminiUsage } from '../words.ts'
import { dataLine } from '../line.ts'
import { partsText } from './chunks.ts'

export interface GeminiStreamOptions {
  readonly write: (text: string) => void
  readonly responseId: string
  /** The name by which the client asked. */
  readonly model: string
  /** An estimate of the prompt, if the upstream never counts. */
  readonly inputTokens: () => number
  /** Whether the client wants to see what the model thinks. */
  readonly thoughts: 'shown' | 'hidden'
  /** The signature of reasoning: `field` is where the upstream had it, `proof` what came with it. */
  readonly signature: (field: string, proof: string | null) => string
}

/** Writes an answer as a stream of chunks with parts of content. */
export function createGeminiStreamEncoder(options: GeminiStreamOptions): AnswerSink {
  return new ContentEncoder(options)
}

/** A call that is not whole yet: clients get it in one part, or not at all. */
interface OpenCall {
  readonly id: string
  readonly name: string
  readonly proof: UpstreamCall['proof']
  readonly json: string[]
}

/** Reasoning that the next call carries. */
interface Thought {
  readonly field: string
  readonly pieces: string[]
  proof: string | null
}

/** Chunks are written by template: to build an object for each would cost several times as much. */
class ContentEncoder implements AnswerSink {
  private readonly options: GeminiStreamOptions
  private readonly tail: string
  private thoughts: Thought[] = []
  private field = ''
  private call: OpenCall | null = null
  heldBytes = 0
  private writtenLength = 0
  private counted: Usage | null = null
  private finished: FinishReason | null = null

  constructor(options: GeminiStreamOptions) {
    this.options = options
    const fields = JSON.stringify({ modelVersion: options.model, responseId: options.responseId })
    this.tail = `,${fields.slice(1)}`
  }

  /** The dialect has no event for the beginning. */
  start(): void {}

  text(text: string): void {
    this.writtenLength += text.length
    if (text !== '') this.part(`{"text":${JSON.stringify(text)}}`)
  }

  reasoning(text: string, field: string): void {
    this.writtenLength += text.length
    if (text === '') return
    this.field = field
    this.thoughtIn(field).pieces.push(text)
    if (this.options.thoughts === 'shown') this.part(`{"text":${JSON.stringify(text)},"thought":true}`)
  }

  reasoningProof(proof: string, field?: string): void {
    const last = this.thoughts.at(-1)
    if (field === undefined && last?.proof === null) last.proof = proof
    else this.thoughts.push({ field: field ?? this.field, pieces: [], proof })
  }

  callStart(_index: number, id: string, name: string, call?: UpstreamCall): void {
    this.heldBytes = 0
    this.call = { id, name, proof: call?.proof ?? null, json: [] }
  }

  callDelta(_index: number, json: string): void {
    this.writtenLength += json.length
    this.heldBytes += byteLength(json)
    this.call?.json.push(json)
  }

  callEnd(): void {
    const { call } = this
    if (call === null) return
    this.call = null
    this.heldBytes = 0
    const args = call.json.join('')
    const [id, name] = [JSON.stringify(call.id), JSON.stringify(call.name)]
    const signature = this.takeEnvelope(call)
    this.part(
      `{"functionCall":{"id":${id},"name":${name},"args":${args === '' ? '{}' : args}}${
        signature === null ? '' : `,"thoughtSignature":"${signature}"`
      }}`,
    )
  }

  usage(usage: Usage): void {
    this.counted = usage
  }

  finish(reason: FinishReason): void {
    this.finished = reason
  }

  fail(failure: Failure): void {
    this.finished = null
    this.options.write(geminiErrorEvent(failure))
  }

  /** Usage may trail the finish, and clients take it from the last chunk: so that waits until here. */
  end(): void {
    if (this.finished === null) return
    const usage = JSON.stringify(encodeGeminiUsage(this.counted ?? this.estimate()))
    this.chunk([], `,"finishReason":"${encodeFinishReason(this.finished)}"`, `,"usageMetadata":${usage}`)
  }

  problem(): void {}

  repair(): void {}

  private part(part: string): void {
    this.chunk([part], '', '')
  }

  private chunk(parts: readonly string[], finish: string, usage: string): void {
    this.options.write(
      dataLine(
        `{"candidates":[{"content":{"parts":${partsText(parts)},"role":"model"}${finish},"index":0}]${usage}${this.tail}`,
      ),
    )
  }

  private thoughtIn(field: string): Thought {
    const last = this.thoughts.at(-1)
    if (last?.field === field && last.proof === null) return last
    const thought: Thought = { field, pieces: [], proof: null }
    this.thoughts.push(thought)
    return thought
  }

  /** The first call behind reasoning carries it, and each call what the upstream wants back with that call. */
  private takeEnvelope({ proof }: OpenCall): string | null {
    const { signature } = this.options
    const carried: CarriedThought[] = this.thoughts.map((thought) => ({
      signature: signature(thought.field, thought.proof),
      thought: thought.pieces.join(''),
    }))
    this.thoughts = []
    if (proof !== null) carried.push({ signature: signature(proof.field, proof.text), thought: '' })
    return carried.length === 0 ? null : writeEnvelope(carried)
  }

  /** Four characters a token is near enough where the upstream counts nothing. */
  private estimate(): Usage {
    return {
      inputTokens: this.options.inputTokens(),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: Math.ceil(this.writtenLength / 4),
      reasoningTokens: 0,
    }
  }
}
