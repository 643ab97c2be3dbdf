import { problemCodes, repairCodes } from '../../problems.ts'
import { HeldText } from '../../text/held-text.ts'
import { isBlank } from '../../text/space.ts'
import { byteLength, prefixWithin } from '../../text/utf8.ts'
import type { AnswerSink } from '../answer.ts'
import {
  argumentsNoObject,
  type Failure,
  incompleteCall,
  invalidArguments,
  namelessCall,
} from '../failure.ts'
import type { AnswerIds } from '../ids.ts'
import type { OtherCall, StructuredCall } from './structured-call.ts'
import { type Proof, type Waiting, WaitingEntries } from './waiting.ts'

/** Whether arguments go out as they come, or a call when it is whole and valid. */
export type CallDelivery = 'incremental' | 'complete'

/** `cut`: the model was stopped, so the last call may be half a call. `failed`: any of them may be. */
export type Ending = 'whole' | 'cut' | 'failed'

export interface OrderOptions {
  readonly ids: AnswerIds
  readonly delivery?: CallDelivery | undefined
  /** How many bytes may wait for a call to become whole. */
  readonly heldLimit: number
  /** What is a failure for the client of this answer, although clients of other dialects can be told it. */
  readonly refuses?: readonly AnswerFlaw[] | undefined
}

/**
 * `no content`: clients of the dialect take an answer of nothing for a good one. `arguments that are no object`: the
 * dialect has no place for them.
 */
export type AnswerFlaw = 'no content' | 'arguments that are no object'

export interface CallNaming {
  /** Whether no more of the name of a call can come. */
  isCertain(call: StructuredCall): boolean
  /** The name by which the client knows the tool. */
  forClient(call: StructuredCall): string
  /** Reads a name in which more than a name stands, of a call without arguments. */
  readName(call: StructuredCall): void
  /** Whether the client does not let the model call the tool. To be asked where the name is certain. */
  isForbidden(call: StructuredCall): boolean
}

/**
 * Puts structured calls, which may come mixed with one another and with text, into an order in which one call is
 * open at a time. The first call goes out as it comes; what belongs behind it waits until it is whole.
 */
export class AnswerOrder {
  nextIndex = 0
  /** Whether anything but white space was sent. */
  hasSaid = false
  /** How many bytes wait: behind the call that is open, and of calls. Counted as they come and go, not anew each time. */
  heldBytes = 0
  /** Whether more came than may wait. */
  isOver = false
  private readonly sink: AnswerSink
  private readonly ids: AnswerIds
  private readonly naming: CallNaming
  private readonly delivery: CallDelivery
  private readonly heldLimit: number
  private readonly takesObjectsAlone: boolean
  private readonly waiting = new WaitingEntries()
  private lastSent: 'text' | 'something else' = 'something else'
  /** Proofs behind the text that was sent last. */
  private readonly lateProofs: Proof[] = []
  /** Calls that the client has got whole. Some servers send more of one when another has begun. */
  private readonly ended: StructuredCall[] = []

  constructor(sink: AnswerSink, naming: CallNaming, options: OrderOptions) {
    this.sink = sink
    this.ids = options.ids
    this.naming = naming
    this.delivery = options.delivery ?? 'incremental'
    this.heldLimit = options.heldLimit
    // A call that is given out whole is one that a client can run.
    this.takesObjectsAlone =
      options.refuses?.includes('arguments that are no object') === true || options.delivery === 'complete'
  }

  get isEmpty(): boolean {
    return this.waiting.isEmpty
  }

  /** Whether the last that was said is a call, and the JSON of its arguments is not at its end. */
  get endsInHalfACall(): boolean {
    const last = this.waiting.findLastSaying()
    return last?.is === 'call' && last.call.isHalf
  }

  /** To be called when something was added to a call, or taken from it. */
  recount(call: StructuredCall): void {
    this.heldBytes += call.heldBytes - call.countedBytes
    call.countedBytes = call.heldBytes
  }

  text(text: string): void {
    this.hasSaid ||= !isBlank(text)
    if (this.waiting.isEmpty) this.sendText(text)
    else this.waitWith('text', text, '')
  }

  reasoning(text: string, field: string): void {
    this.hasSaid ||= !isBlank(text)
    if (this.waiting.isEmpty) this.sendReasoning(text, field)
    else this.waitWith('reasoning', text, field)
  }

  proof(proof: string, field?: string): void {
    this.heldBytes += proof.length
    if (this.waiting.isEmpty) this.sendProof({ proof, field })
    else this.waiting.push({ is: 'proof', proof, field })
  }

  /** Something else follows the text that was sent last. */
  leaveText(): void {
    this.lastSent = 'something else'
    for (const proof of this.lateProofs.splice(0)) this.sendProof(proof)
  }

  /** `call`: the one that it is a part of, if it is. */
  other(item: unknown, call: OtherCall | null, itemBytes: number): void {
    this.hasSaid = true
    if (this.waiting.isEmpty) {
      this.sendOther(item, call)
    } else {
      const bytes = OTHER_BYTES + itemBytes
      this.heldBytes += bytes
      this.waiting.push({ is: 'other', item, call, bytes })
    }
  }

  call(call: StructuredCall): void {
    this.waiting.push({ is: 'call', call })
  }

  /** Sends on what may be sent. Answers why a call is none where the upstream has ended it half-way. */
  advance(): Failure | null {
    for (;;) {
      const { first } = this.waiting
      if (first === undefined) return null
      if (first.is === 'call') {
        const { call } = first
        if (call.name !== '' && this.naming.isCertain(call) && this.leavesOut(call)) {
          this.waiting.shift()
          continue
        }
        this.sendOn(call)
        if (call.isBroken && call.name !== '') return faultOf(call, 'invalid')
        if (!this.mayEnd(call)) return null
        const failure = this.finish(call, false)
        if (failure !== null) return failure
      } else {
        this.release(first)
      }
      this.waiting.shift()
    }
  }

  /**
   * Nothing follows. Answers why one of the calls is none. What came beside the calls goes out in any case: a failure
   * loses nothing of what came before it.
   */
  flush(ending: Ending): Failure | null {
    let failure: Failure | null = null
    let isBroken = false
    // The model can have been stopped only in what it said last.
    const last = this.waiting.findLastSaying()
    for (const entry of this.waiting.takeAll()) {
      if (entry.is !== 'call') {
        this.release(entry)
        continue
      }
      // Behind half a call nothing more is called: a client would take the half for the beginning of the next.
      if (isBroken || (entry.call.name !== '' && this.leavesOut(entry.call))) continue
      const isCut = ending === 'failed' || (ending === 'cut' && entry === last)
      const fault = this.finish(entry.call, isCut)
      isBroken = fault !== null
      // What is no JSON is not made any by what the model would have written next.
      if (!isCut || (ending === 'cut' && entry.call.isBroken)) failure = fault
    }
    for (const call of this.ended) this.sendBehind(call)
    this.leaveText()
    return failure
  }

  /** No more than the limit waits, to the byte: how much came at once must not decide how much the client gets. */
  private waitWith(is: 'text' | 'reasoning', came: string, field: string): void {
    const room = Math.max(0, this.heldLimit - this.heldBytes)
    const text = came.length * 3 > room ? came.slice(0, prefixWithin(came, room)) : came
    this.isOver ||= text !== came
    if (text === '') return
    this.heldBytes += byteLength(text)
    const isTextBlank = isBlank(text)
    const last = isTextBlank ? this.waiting.lastSaid : this.waiting.last
    if (last?.is === is && last.field === field) {
      this.waiting.grow(last, text, isTextBlank)
      return
    }
    const held = new HeldText()
    held.add(text)
    this.waiting.push({ is, field, text: held, isBlank: isTextBlank })
  }

  private release(entry: Exclude<Waiting, { is: 'call' }>): void {
    switch (entry.is) {
      case 'text':
        this.heldBytes -= entry.text.bytes
        this.sendText(entry.text.take())
        break
      case 'reasoning':
        this.heldBytes -= entry.text.bytes
        this.sendReasoning(entry.text.take(), entry.field)
        break
      case 'proof':
        this.sendProof(entry)
        break
      case 'other':
        this.heldBytes -= entry.bytes
        this.sendOther(entry.item, entry.call)
    }
  }

  private sendText(text: string): void {
    if (!isBlank(text)) this.leaveText()
    this.sink.text(text)
    this.lastSent = 'text'
  }

  private sendReasoning(text: string, field: string): void {
    this.leaveText()
    this.sink.reasoning(text, field)
  }

  /**
   * White space that ends a text may still be held where the proof of the reasoning before it comes. Behind the proof it
   * would be a text of its own, which dialects with blocks cannot say: so a proof lets white space pass.
   */
  private sendProof(entry: Proof): void {
    if (this.lastSent === 'text') {
      this.lateProofs.push(entry)
      return
    }
    this.heldBytes -= entry.proof.length
    this.sink.reasoningProof(entry.proof, entry.field)
  }

  /** A call of the upstream's dialect alone is numbered among the others where the client gets it. */
  private sendOther(item: unknown, call: OtherCall | null): void {
    this.leaveText()
    if (call !== null && this.sink.takesOther === true) call.index ??= this.nextIndex++
    this.sink.other?.(item, call?.index ?? null)
  }

  /** A call that the client forbids is none, however much of it comes, and whatever is wrong with it. */
  private leavesOut(call: StructuredCall): boolean {
    if (call.index !== null || !this.naming.isForbidden(call)) return false
    call.isForbidden = true
    call.takeReady()
    this.heldBytes -= call.countedBytes
    call.countedBytes = 0
    return true
  }

  /** A whole object may still be followed by nothing: such a call ends when something else has begun. */
  private mayEnd(call: StructuredCall): boolean {
    const isFollowed = this.waiting.isFirstFollowed
    if (call.isClosed) {
      // Half a call that the upstream has ended may be where the model was stopped, unless something follows it. Some
      // servers make an object without members of it.
      return isFollowed || (call.name !== '' && call.isWhole && !call.isEmpty)
    }
    // A name may still come, as long as the upstream has not ended the call.
    return call.isWhole && isFollowed && call.name !== ''
  }

  private sendOn(call: StructuredCall): void {
    if (call.name === '' || this.delivery === 'complete' || !this.naming.isCertain(call)) return
    // It may be what a server made of half a call: then the client is better off without it. Or its arguments stand in the name.
    if (call.index === null && (call.isEmpty || (!call.hasArguments && call.name.includes('<')))) return
    this.sendReady(call)
  }

  private sendReady(call: StructuredCall): void {
    const index = this.start(call)
    for (const piece of call.takeReady()) this.sink.callDelta(index, piece)
    this.recount(call)
  }

  private start(call: StructuredCall): number {
    if (call.index !== null) return call.index
    this.hasSaid = true
    call.index = this.nextIndex++
    this.leaveText()
    const name = this.naming.forClient(call)
    this.sink.callStart(call.index, this.ids.keep(call.id), name, call)
    return call.index
  }

  private finish(call: StructuredCall, isCut: boolean): Failure | null {
    if (call.name === '') return isCut ? null : this.nameless(call)
    if (call.index === null && (call.isEmpty || !call.hasArguments)) this.naming.readName(call)
    const fault = call.end(isCut)
    if (fault !== null) {
      // What is certain of half a call goes out all the same, so that the client sees where the model was stopped.
      if (this.delivery === 'incremental' && call.hasArguments && !call.isEmpty) this.sendReady(call)
      return faultOf(call, fault)
    }
    if (this.takesObjectsAlone && call.notes.some(({ code }) => code === 'arguments-not-object')) {
      this.tell(call)
      return argumentsNoObject(call.name)
    }
    this.sendReady(call)
    this.sink.callEnd(this.start(call))
    this.ended.push(call)
    this.sendBehind(call)
    return null
  }

  private sendBehind(call: StructuredCall): void {
    const behind = call.takeTextBehind()
    this.tell(call)
    if (behind !== '') this.sendText(behind)
  }

  private nameless(call: StructuredCall): Failure {
    call.end(false)
    const json = call.takeReady().join('')
    this.sink.problem('unresolved-name', problemCodes['unresolved-name'], json.slice(0, 256))
    return namelessCall
  }

  private tell({ notes }: StructuredCall): void {
    for (const note of notes.splice(0)) {
      if (note.is === 'repair') this.sink.repair(note.code, repairCodes[note.code])
      else this.sink.problem(note.code, problemCodes[note.code], note.source)
    }
  }
}

/** What a waiting thing of the upstream's dialect counts for beside what it says: that many of them wait is the danger. */
const OTHER_BYTES = 1024

function faultOf({ name }: StructuredCall, fault: 'cut' | 'invalid'): Failure {
  return fault === 'cut'
    ? incompleteCall(name)
    : invalidArguments(`The arguments of the call of ${name} are not JSON.`)
}
