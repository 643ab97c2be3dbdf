import { problemCodes } from '../../problems.ts'
import type { AnswerIds } from '../ids.ts'
import type { AnswerSink, Failure } from '../answer.ts'
import { CallArguments } from './arguments.ts'
import type { StructuredCall } from './structured-call.ts'

type Waiting =
  | { readonly is: 'call'; readonly call: QueuedCall }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'reasoning'; readonly text: string; readonly field: string }
  | { readonly is: 'proof'; readonly proof: string }

/** `cut`: the model was stopped, so the last call may be half a call. `failed`: any of them may be. */
export type Ending = 'whole' | 'cut' | 'failed'

interface QueuedCall {
  readonly source: StructuredCall
  readonly arguments: CallArguments
  /** Null before the start was sent. */
  index: number | null
  /** Arguments that are not sent before the call is whole. */
  held: string
}

/** Whether arguments go out as they come, or a call when it is whole and valid. */
export type CallDelivery = 'incremental' | 'complete'

/**
 * Puts structured calls, which may come mixed with one another and with text, into an order in which one call is
 * open at a time. The first call goes out as it comes; what belongs behind it waits until it is whole.
 */
export class AnswerOrder {
  nextIndex = 0
  private readonly sink: AnswerSink
  private readonly ids: AnswerIds
  private readonly settleName: (call: StructuredCall) => void
  private readonly delivery: CallDelivery
  private readonly waiting: Waiting[] = []

  /** `settleName` is called when nothing more of the name of a call can come. */
  constructor(
    sink: AnswerSink,
    ids: AnswerIds,
    settleName: (call: StructuredCall) => void,
    delivery: CallDelivery,
  ) {
    this.sink = sink
    this.ids = ids
    this.settleName = settleName
    this.delivery = delivery
  }

  text(text: string): void {
    if (this.waiting.length === 0) this.sink.text(text)
    else this.wait({ is: 'text', text })
  }

  reasoning(text: string, field: string): void {
    if (this.waiting.length === 0) this.sink.reasoning(text, field)
    else this.wait({ is: 'reasoning', text, field })
  }

  proof(proof: string): void {
    if (this.waiting.length === 0) this.sink.reasoningProof(proof)
    else this.wait({ is: 'proof', proof })
  }

  call(source: StructuredCall): void {
    this.wait({
      is: 'call',
      call: { source, arguments: new CallArguments(this.sink), index: null, held: '' },
    })
  }

  /** How much waits behind the call that is open, or is kept of it. */
  heldLength(): number {
    let length = 0
    for (const entry of this.waiting) {
      if (entry.is === 'call') length += heldOf(entry.call)
      else if (entry.is !== 'proof') length += entry.text.length
    }
    return length
  }

  /** Sends on what has come. */
  advance(): void {
    for (;;) {
      const first = this.waiting[0]
      if (first === undefined) return
      if (first.is === 'call') {
        if (first.call.source.heldLength > 0) this.sendOn(first.call)
        // A whole object may still be followed by nothing: it is closed when something else has begun.
        if (this.waiting.length === 1 || !first.call.arguments.isWhole) return
        this.finish(first.call, false)
      } else {
        this.release(first)
      }
      this.waiting.shift()
    }
  }

  /** Nothing follows. Stops at a call that is not whole, and answers why it is none. */
  flush(ending: Ending): Failure | null {
    for (let first = this.waiting.shift(); first !== undefined; first = this.waiting.shift()) {
      if (first.is !== 'call') {
        this.release(first)
        continue
      }
      const isLast = !this.waiting.some((entry) => entry.is === 'call')
      const isCut = ending === 'failed' || (ending === 'cut' && isLast)
      const failure = this.finish(first.call, isCut)
      if (failure !== null) return isCut ? null : failure
    }
    return null
  }

  private wait(entry: Waiting): void {
    this.waiting.push(entry)
    if (entry.is !== 'call') this.advance()
  }

  private release(entry: Exclude<Waiting, { is: 'call' }>): void {
    if (entry.is === 'text') this.sink.text(entry.text)
    else if (entry.is === 'reasoning') this.sink.reasoning(entry.text, entry.field)
    else this.sink.reasoningProof(entry.proof)
  }

  /** A name may come in pieces, and an id behind it: neither is certain before the arguments begin. */
  private sendOn(call: QueuedCall): void {
    const { source } = call
    if (source.name === '') return
    if (this.delivery === 'incremental') this.start(call)
    for (const piece of source.takePieces()) {
      const json = call.arguments.push(piece)
      if (call.index === null) call.held += json
      else if (json !== '') this.sink.callDelta(call.index, json)
    }
  }

  private start(call: QueuedCall): number {
    if (call.index !== null) return call.index
    call.index = this.nextIndex++
    this.settleName(call.source)
    this.sink.callStart(call.index, this.ids.keep(call.source.id), call.source.name)
    return call.index
  }

  private finish(call: QueuedCall, isCut: boolean): Failure | null {
    const { source } = call
    if (source.name === '') {
      this.giveOutNameless(source)
      return null
    }
    this.sendOn(call)
    const end = call.arguments.end(isCut)
    if (typeof end === 'string') return end === 'cut' ? incomplete(source.name) : invalid(source.name)
    const index = this.start(call)
    const json = call.held + end.rest
    if (json !== '') this.sink.callDelta(index, json)
    this.sink.callEnd(index)
    const behind = call.arguments.takeTextBehind()
    if (behind !== '') this.sink.text(behind)
    return null
  }

  private giveOutNameless(source: StructuredCall): void {
    const text = source.takePieces().join('')
    if (text !== '') this.sink.text(text)
    this.sink.problem('unresolved-name', problemCodes['unresolved-name'], text)
  }
}

function heldOf({ source, arguments: read, held }: QueuedCall): number {
  return source.heldLength + read.heldLength + held.length
}

export function incomplete(name: string, detail = ''): Failure {
  const message = `The call of ${name} is incomplete. ${detail}`.trimEnd()
  return { kind: 'upstream', code: 'incomplete_tool_call', message }
}

export function invalid(name: string): Failure {
  const message = `The arguments of the call of ${name} are not JSON.`
  return { kind: 'upstream', code: 'invalid_tool_arguments', message }
}
