import type { FinishReason, UpstreamCall, Usage } from '../../../answer/answer.ts'
import { type Failure, invalidArguments, noContent } from '../../../answer/failure.ts'
import { isBlank } from '../../../text/space.ts'
import type { AnswerEncoder, EncodeOptions } from '../../dialect.ts'
import { type ToolKinds, toolKindsOf } from '../tools.ts'
import { encodeStatus } from '../words.ts'
import { ResponseFrame } from './frame.ts'
import { ItemWriter } from './items.ts'
import type { ResponseState } from '../response-object.ts'

/** Writes an answer as the event stream of a response. */
export function createResponsesStreamEncoder(options: EncodeOptions): AnswerEncoder {
  return new ResponseEncoder(options)
}

class ResponseEncoder implements AnswerEncoder {
  private readonly options: EncodeOptions
  private readonly kinds: ToolKinds
  private readonly frame: ResponseFrame
  private readonly items: ItemWriter
  /** White space for which no item was begun: one of white space alone would be shown as an empty message. */
  private space: { readonly is: 'text' | 'reasoning'; readonly text: string } | null = null
  /** Of the reasoning that is open, or was open last. */
  private field = ''
  private proof: string | null = null
  /** The reasoning that a client which wants to see none gets inside the proof alone. */
  private unseen = ''
  private counted: Usage | null = null
  private writtenLength = 0
  private finished: FinishReason | null = null

  constructor(options: EncodeOptions) {
    this.options = options
    this.kinds = toolKindsOf(options.request?.tools ?? [])
    this.frame = new ResponseFrame(options)
    const idEnd = withoutPrefix(options.id)
    this.items = new ItemWriter(this.frame.events, () => idEnd)
  }

  start(): void {
    this.frame.start()
  }

  keepAlive(): string | null {
    return this.frame.keepAlive()
  }

  text(text: string): void {
    this.say('text', text)
  }

  reasoning(text: string, field: string): void {
    if (this.items.open?.is !== 'reasoning') this.field = field
    this.say('reasoning', text)
  }

  reasoningProof(proof: string, field?: string): void {
    if (!this.frame.isOpen) return
    const { open } = this.items
    // Each item has one proof.
    if (open?.is !== 'reasoning' || this.proof !== null) {
      const waiting = this.space?.is === 'reasoning' ? this.space.text : ''
      this.begin('reasoning')
      if (field !== undefined) this.field = field
      if (waiting !== '') this.add('reasoning', waiting)
    }
    this.proof = proof
  }

  callStart(_index: number, id: string, name: string, call?: UpstreamCall): void {
    if (!this.frame.isOpen) return
    this.leave()
    if (call !== undefined && call.proof !== null) this.callProof(call.proof.field, call.proof.text)
    this.items.beginCall(this.kinds.kindOf(name), id)
  }

  callDelta(_index: number, json: string): void {
    if (!this.frame.isOpen) return
    this.writtenLength += json.length
    this.items.addArguments(json)
  }

  callEnd(): void {
    if (!this.frame.isOpen) return
    const { open } = this.items
    if (open?.is === 'call' && open.json === '') this.items.addArguments('{}')
    const ended = this.items.endCall()
    if (ended.is === 'invalid') this.giveUp(invalidArguments(ended.message))
    else if (ended.repair !== null) this.options.told?.repair('unwrapped-arguments', ended.repair)
  }

  usage(usage: Usage): void {
    this.counted = usage
  }

  finish(reason: FinishReason): void {
    this.finished = reason
  }

  /** What is open stays so: a client that asks again must not take it for something whole. */
  fail(failure: Failure): void {
    if (this.frame.isOpen) this.frame.fail(failure, this.said())
  }

  /** Usage may trail the finish, and nothing may follow the end of a response: so it waits until here. */
  end(): void {
    const { finished: reason } = this
    if (!this.frame.isOpen || reason === null) return
    const { status, incomplete } = encodeStatus(reason)
    this.leave(status)
    // A client that gets a response of nothing takes the turn for over, and says nothing.
    if (this.items.done.length === 0 && status === 'completed') {
      this.giveUp(noContent)
      return
    }
    this.frame.end(`response.${status}`, this.frame.json({ ...this.said(), status, incomplete }))
  }

  problem(): void {}

  repair(): void {}

  /** The answer fails here, and nobody but the encoder can know why. */
  private giveUp(failure: Failure): void {
    this.fail(failure)
    this.options.told?.failed(failure)
  }

  private said(): Pick<ResponseState, 'output' | 'usage'> {
    return { output: this.items.done, usage: this.counted ?? this.frame.estimate(this.writtenLength) }
  }

  /** White space waits for the text behind it. */
  private say(is: 'text' | 'reasoning', text: string): void {
    if (!this.frame.isOpen) return
    this.writtenLength += text.length
    if (this.items.open?.is !== is) {
      const waiting = this.space?.is === is ? this.space.text + text : text
      // What waits is white space already: looking at it again with every piece would take quadratic time.
      const isSpace = isBlank(text)
      this.space = isSpace ? { is, text: waiting } : null
      if (isSpace) return
      this.begin(is)
      this.add(is, waiting)
    } else if (text !== '') {
      this.add(is, text)
    }
  }

  private add(is: 'text' | 'reasoning', text: string): void {
    if (is === 'reasoning' && this.options.request?.hidesReasoning === true) this.unseen += text
    else this.items.say(text)
  }

  private begin(is: 'text' | 'reasoning'): void {
    this.leave()
    this.items.begin(is)
  }

  /** Ends what is open. */
  private leave(status?: 'completed' | 'incomplete'): void {
    this.space = null
    const { open } = this.items
    if (open?.is !== 'reasoning') {
      this.items.close(status)
      return
    }
    const unseen = this.unseen === '' ? undefined : this.unseen
    this.items.close(status, sealed(this.options.signature(this.field, this.proof, unseen)))
    this.proof = null
    this.unseen = ''
  }

  /** In an item that clients send back as it is, right before the call that it belongs to. */
  private callProof(field: string, proof: string): void {
    const signature = this.options.signature(field, proof)
    if (signature === '') return
    this.items.begin('reasoning')
    this.items.close('completed', sealed(signature))
  }
}

function sealed(signature: string): { readonly encrypted_content?: string } {
  return signature === '' ? {} : { encrypted_content: signature }
}

/** Ids of items have a prefix of their own, and letters and digits behind it. */
function withoutPrefix(id: string): string {
  return id.replace(/^[a-z]+_/, '').replaceAll(/[^a-zA-Z0-9]/g, '')
}
