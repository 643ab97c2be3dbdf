import type {
  AnswerSink,
  Block,
  Failure,
  FinishReason,
  ProblemCode,
  RepairCode,
  ToolNames,
  Usage,
} from '@dragoman/core'
import type { ChatEvent } from '../chat-event.ts'
import { historyId } from './history-id.ts'

export interface CollectorOptions {
  readonly show: (event: ChatEvent) => void
  readonly toolNames: ToolNames
  /**
   * Makes the signature of reasoning. `field` is the field in which the upstream sent it, `proof` what the upstream
   * sent with it.
   */
  readonly signature: (field: string, proof: string | null) => string
  readonly onEnd: (end: AnswerEnd) => void
}

export type AnswerEnd =
  | { readonly is: 'finished'; readonly reason: FinishReason }
  | { readonly is: 'failed'; readonly failure: Failure }

type Open =
  | { readonly is: 'nothing' }
  | { readonly is: 'text'; readonly pieces: string[] }
  | { readonly is: 'call'; readonly id: string; readonly name: string; readonly pieces: string[] }
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
  private readonly options: CollectorOptions
  private readonly done: Block[] = []
  private open: Open = nothing
  private ending: AnswerEnd | undefined
  private isOver = false

  constructor(options: CollectorOptions) {
    this.options = options
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

  callStart(index: number, id: string, name: string): void {
    this.close()
    const known = this.options.toolNames.toClient(name)
    this.open = { is: 'call', id: historyId(id), name: known, pieces: [] }
    this.options.show({ type: 'call-start', index, id: this.open.id, name: known })
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
    this.ending = { is: 'finished', reason }
  }

  fail(failure: Failure): void {
    this.ending ??= { is: 'failed', failure }
  }

  end(): void {
    if (this.ending === undefined || this.isOver) return
    this.isOver = true
    this.options.onEnd(this.ending)
  }

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

  private close(): void {
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
