import type { Sink } from '../../events.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { repairCodes, type ProblemCode, type RepairCode } from '../../problems.ts'
import { JsonDigest } from '../../text/json-digest.ts'
import type { AnswerSink } from '../answer.ts'
import {
  argumentsNoObject,
  callTooLarge,
  type Failure,
  incompleteCall,
  invalidArguments,
  mostCalls,
  tooManyCalls,
} from '../failure.ts'
import type { AnswerIds } from '../ids.ts'
import type { AnswerFlaw, AnswerOrder, CallDelivery } from './order.ts'
import type { StructuredCall } from './structured-call.ts'

export interface InBandOptions {
  readonly ids: AnswerIds
  readonly clientToolName?: ((name: string) => string) | undefined
  readonly mayCall?: ((name: string) => boolean) | undefined
  readonly delivery?: CallDelivery | undefined
  readonly refuses?: readonly AnswerFlaw[] | undefined
}

/**
 * What the parser finds in the text of an answer, and which of the calls in it count. Behind a structured call those in
 * the text are left over from it. A broken call ends the answer.
 */
export class InBandCalls implements Sink {
  /** Tells the format that the stream has shown. */
  parser: { readonly format: FormatId | null } = { format: null }
  /** Where the upstream has the reasoning that is read now. */
  reasoningField = 'reasoning_content'
  private calls: 'none' | 'counted' | 'residue' = 'none'
  private readonly sink: AnswerSink
  private readonly order: AnswerOrder
  private readonly options: InBandOptions
  /** How many whole calls went to the client that say the same. Nothing else is kept of them, however long they are. */
  private readonly made = new Map<string, number>()
  /** The call that was read last. */
  private last: { readonly name: string; readonly digest: JsonDigest } = nothingRead
  private count = 0
  /** The call that did not become whole. */
  private broken: { readonly name: string; flaw: string } | null = null
  private failure: Failure | null = null
  /** The call that is read now: its place among those of the answer, or that the client forbids it. */
  private open: number | 'forbidden' = 0
  /** Proofs of the reasoning in which a call stands that is not whole. Sent now, they would leave it without its end. */
  private proofs: { readonly proof: string; readonly field: string | undefined }[] | null = null

  constructor(sink: AnswerSink, order: AnswerOrder, options: InBandOptions) {
    this.sink = sink
    this.order = order
    this.options = options
  }

  private get takesObjectsAlone(): boolean {
    const { refuses, delivery } = this.options
    return refuses?.includes('arguments that are no object') === true || delivery === 'complete'
  }

  get hasCalls(): boolean {
    return this.calls === 'counted'
  }

  /** After a failure the same text in one piece or in many must have sent the same: nothing more goes out. */
  get isHalted(): boolean {
    return this.failure !== null || this.broken !== null
  }

  /** Why the answer is no whole one, or null. Half a call is no fault where the model was stopped in it. */
  faultWhere(isCut: boolean): Failure | null {
    if (this.failure !== null || this.broken === null || isCut) return this.failure
    return incompleteCall(this.broken.name, this.broken.flaw)
  }

  becomeResidue(): void {
    this.calls = 'residue'
  }

  /** No structured call counts. */
  becomeFirst(): void {
    if (this.calls === 'residue') this.calls = 'none'
  }

  /** Whether one of the calls equals this one; each is found once. */
  takeTwinOf(call: StructuredCall, name: string): boolean {
    const digest = new JsonDigest()
    for (const piece of call.peekReady()) digest.push(piece)
    const twin = twinKey(name, digest)
    const left = this.made.get(twin) ?? 0
    if (left === 0) return false
    this.made.set(twin, left - 1)
    return true
  }

  proof(proof: string, field: string | undefined): void {
    if (this.proofs === null) this.order.proof(proof, field)
    else {
      this.order.heldBytes += proof.length
      this.proofs.push({ proof, field })
    }
  }

  text(text: string): void {
    if (!this.isHalted) this.order.text(text)
  }

  reasoning(text: string): void {
    if (!this.isHalted) this.order.reasoning(text, this.reasoningField)
  }

  callStart(_index: number, _id: string | null, name: string): void {
    if (this.isHalted) return
    if (this.calls === 'residue') {
      this.repair('residue', repairCodes.residue)
      return
    }
    const clientName = this.options.clientToolName?.(name) ?? name
    if (this.options.mayCall?.(clientName) === false) {
      this.open = 'forbidden'
      this.repair('forbidden-call', repairCodes['forbidden-call'])
      return
    }
    if (this.count === mostCalls) {
      this.failure = tooManyCalls
      return
    }
    this.count++
    this.calls = 'counted'
    this.open = this.order.nextIndex++
    this.order.hasSaid = true
    this.order.leaveText()
    this.last = { name, digest: new JsonDigest() }
    const id = this.options.ids.mint(this.parser.format ?? 'std')
    this.proofs = []
    this.sink.callStart(this.open, id, clientName)
  }

  callDelta(_index: number, json: string): void {
    if (this.isHalted || this.open === 'forbidden' || this.calls === 'residue') return
    this.last.digest.push(json)
    this.sink.callDelta(this.open, json)
  }

  callEnd(_index: number, complete: boolean): void {
    if (this.isHalted || this.open === 'forbidden' || this.calls === 'residue') return
    const { name, digest } = this.last
    if (complete) {
      this.sink.callEnd(this.open)
      const twin = twinKey(name, digest)
      this.made.set(twin, (this.made.get(twin) ?? 0) + 1)
    } else {
      this.broken = { name, flaw: '' }
    }
    const proofs = this.proofs ?? []
    this.proofs = null
    for (const { proof } of proofs) this.order.heldBytes -= proof.length
    if (complete) for (const { proof, field } of proofs) this.order.proof(proof, field)
  }

  problem(code: ProblemCode, message: string, source: string): void {
    this.sink.problem(code, message, source)
    if (this.calls === 'residue') return
    if (code === 'arguments-not-object' && this.open === 'forbidden') return
    // The first problem that is told behind the broken call says what is wrong with it.
    if (this.broken !== null) this.broken.flaw ||= message
    if (code === 'overflow') this.failure ??= callTooLarge(message)
    if (code === 'arguments-not-object' && this.takesObjectsAlone) {
      this.failure ??= argumentsNoObject(this.last.name)
    }
    if (code === 'invalid-arguments' && this.options.delivery === 'complete') {
      this.failure ??= invalidArguments(message)
    }
  }

  repair(code: RepairCode, message: string): void {
    this.sink.repair(code, message)
  }
}

const nothingRead = { name: '', digest: new JsonDigest() }

/** Equal for calls that say the same. */
function twinKey(name: string, digest: JsonDigest): string {
  return `${digest.value} ${name}`
}
