import type {
  AnswerSink,
  Block,
  Failure,
  FinishReason,
  ProblemCode,
  RepairCode,
  UpstreamCall,
  Usage,
} from '@dragoman/core'
import type { ChatEvent } from '../chat-event.ts'
import { historyId } from './history-id.ts'

export interface CollectorOptions {
  readonly show: (event: ChatEvent) => void
  /**
   * Makes the signature of reasoning. `field` is the field in which the upstream sent it, `proof` what the upstream
   * sent with it.
   */
  readonly signature: (field: string, proof: string | null) => string
}

type Open =
  | { readonly is: 'nothing' }
  | { readonly is: 'text'; readonly pieces: string[] }
  | {
      readonly is: 'call'
      readonly index: number
      readonly id: string
      readonly name: string
      readonly pieces: string[]
    }
  | Thinking

interface Thinking {
  readonly is: 'thinking'
  readonly pieces: string[]
  readonly field: string
  proof: string | null
}

/** Shows an answer as it comes, and makes blocks of the canonical history from it. */
export class AnswerCollector implements AnswerSink {
  readonly remarks: string[] = []
  /** Why the answer ended, or null while it has not, or where it failed. */
  reason: FinishReason | null = null
  /** The tool in whose call the answer was cut off, or null. */
  cutCall: string | null = null
  /** Why there is no whole answer, or null. */
  failure: Failure | null = null
  private readonly options: CollectorOptions
  private readonly done: Block[] = []
  private open: Open = nothing

  constructor(options: CollectorOptions) {
    this.options = options
  }

  /** Whether anything of the answer was shown. */
  get hasShown(): boolean {
    return this.done.length > 0 || this.open.is !== 'nothing'
  }

  /** The blocks that are complete. A call that is still open is not among them. */
  get blocks(): readonly Block[] {
    this.close()
    return this.done
  }

  start(): void {}

  text(text: string): void {
    if (this.open.is !== 'text') {
      this.close()
      this.open = { is: 'text', pieces: [] }
    }
    this.open.pieces.push(text)
    this.options.show({ type: 'text', text })
  }

  reasoning(text: string, field: string): void {
    this.thinking(field).pieces.push(text)
    this.options.show({ type: 'reasoning', text })
  }

  reasoningProof(proof: string): void {
    if (this.open.is === 'thinking' && this.open.proof !== null) this.close()
    this.thinking(this.open.is === 'thinking' ? this.open.field : 'reasoning_details').proof = proof
  }

  callStart(index: number, id: string, name: string, call?: UpstreamCall): void {
    this.close()
    const proof = call?.proof ?? null
    if (proof !== null) {
      const signature = this.options.signature(proof.field, proof.text)
      this.done.push({ type: 'thinking', thought: '', signature })
    }
    this.open = { is: 'call', index, id: historyId(id), name, pieces: [] }
    this.options.show({ type: 'call-start', index, id: this.open.id, name })
  }

  callDelta(index: number, json: string): void {
    if (this.open.is === 'call') this.open.pieces.push(json)
    this.options.show({ type: 'call-delta', index, json })
  }

  callEnd(index: number): void {
    const { open } = this
    if (open.is !== 'call') return
    this.open = nothing
    this.done.push({
      type: 'tool_call',
      id: open.id,
      name: open.name,
      parameters: parsed(open.pieces.join('')),
    })
    this.options.show({ type: 'call-end', index, complete: true })
  }

  usage(usage: Usage): void {
    this.options.show({ type: 'usage', usage })
  }

  /** A finish reason counts more than a failure of the connection that may have been reported before. */
  finish(reason: FinishReason): void {
    this.giveUpCall()
    this.reason = reason
    this.failure = null
  }

  /** Of several failures the first one counts. */
  fail(failure: Failure): void {
    this.giveUpCall()
    this.failure ??= failure
  }

  end(): void {}

  problem(code: ProblemCode, message: string, source: string): void {
    this.remarks.push(`problem ${code}: ${message}`)
    this.options.show({ type: 'problem', code, message, source })
  }

  repair(code: RepairCode, message: string): void {
    this.remarks.push(`repair ${code}: ${message}`)
    this.options.show({ type: 'repair', code, message })
  }

  private thinking(field: string): Thinking {
    if (this.open.is === 'thinking' && this.open.field === field) return this.open
    this.close()
    const open: Thinking = { is: 'thinking', pieces: [], field, proof: null }
    this.open = open
    return open
  }

  /** A call that did not become whole ends as well, so that whoever reads the events knows what became of it. */
  private giveUpCall(): void {
    if (this.open.is !== 'call') return
    const { index, name } = this.open
    this.open = nothing
    this.cutCall = name
    this.options.show({ type: 'call-end', index, complete: false })
  }

  private close(): void {
    this.giveUpCall()
    const { open } = this
    this.open = nothing
    if (open.is === 'text') {
      this.done.push({ type: 'text', text: open.pieces.join('') })
    } else if (open.is === 'thinking') {
      const signature = this.options.signature(open.field, open.proof)
      this.done.push({ type: 'thinking', thought: open.pieces.join(''), signature })
    }
  }
}

const nothing: Open = { is: 'nothing' }

/** The arguments of a complete call are JSON. Empty arguments mean that there are none. */
function parsed(json: string): unknown {
  return json === '' ? {} : JSON.parse(json)
}
