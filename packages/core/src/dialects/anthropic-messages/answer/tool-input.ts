import type { ArgumentNotes } from '../../../answer/calls/behind-arguments.ts'
import { CallArguments } from '../../../answer/calls/arguments.ts'
import type { BlockWriter, Wire } from './block-writer.ts'

/** `cut`: the JSON is not at its end. `invalid`: it is none. */
export type InputEnd = 'whole' | 'cut' | 'invalid'

/**
 * The input of a `tool_use` block on its way to the client. Where it reads as the client has to read it, the events of
 * the upstream pass as they came; where it had to be put right, deltas of ours say it.
 */
export class ToolInput {
  private state: 'unsaid' | 'as it came' | 'rewritten' = 'unsaid'
  private readonly writer: BlockWriter
  private readonly index: number
  private readonly read: CallArguments
  /** Events of which something may still be taken back: a comma at the end of one could be a trailing one. */
  private waiting: { readonly wire: Wire; readonly text: string }[] = []
  private waitingLength = 0
  /** What may be sent of the events that wait. */
  private certain = ''

  constructor(writer: BlockWriter, index: number, notes: ArgumentNotes) {
    this.writer = writer
    this.index = index
    this.read = new CallArguments(notes)
  }

  get isUnsaid(): boolean {
    return this.state === 'unsaid'
  }

  get heldLength(): number {
    return this.state === 'rewritten' ? this.read.heldLength : this.waitingLength
  }

  /** A piece of the JSON, and the event that brought it. */
  take(wire: Wire, json: string): void {
    const text = this.isUnsaid ? json.trimStart() : json
    if (this.isUnsaid && text !== '') this.state = 'as it came'
    if (this.state !== 'rewritten') {
      this.waiting.push({ wire, text })
      this.waitingLength += json.length
    }
    this.send(this.read.push(json))
  }

  /** A value that came in one piece, and in no delta. */
  takeValue(json: string): void {
    this.state = 'rewritten'
    this.send(this.read.push(json))
  }

  /** The block is at its end. */
  end(): InputEnd {
    if (!this.isUnsaid) {
      const end = this.read.end(false)
      if (typeof end === 'string') return end
      this.send(end.rest)
      this.passCertain()
    }
    // White space alone is not JSON for a client that reads it, and nothing can follow a whole object.
    if (this.waiting.length > 0) this.rewrite()
    return 'whole'
  }

  /** Text that came behind the whole input, and is none of it. */
  takeTextBehind(): string {
    return this.read.takeTextBehind()
  }

  private send(certain: string): void {
    if (certain === '') return
    this.certain += certain
    if (this.state === 'rewritten') {
      this.writeCertain()
      return
    }
    this.passCertain()
    if (this.certain === '') return
    const next = this.waiting[0]?.text
    if (this.read.isWhole || next?.startsWith(this.certain) !== true) this.rewrite()
  }

  /** The events whose whole text is certain. */
  private passCertain(): void {
    let passed = 0
    for (const { wire, text } of this.waiting) {
      const said = this.saidOf(text)
      if (said === null) break
      this.certain = this.certain.slice(said.length)
      this.waitingLength -= text.length
      this.writer.pass(wire, this.index)
      passed++
    }
    this.waiting.splice(0, passed)
    if (this.waiting.length === 0) this.waitingLength = 0
  }

  private saidOf(text: string): string | null {
    if (this.certain.startsWith(text)) return text
    const trimmed = text.trimEnd()
    return this.read.isWhole && trimmed === this.certain ? trimmed : null
  }

  private rewrite(): void {
    this.state = 'rewritten'
    this.writer.hasChanged = true
    this.waiting = []
    this.waitingLength = 0
    this.writeCertain()
  }

  private writeCertain(): void {
    const { index, certain } = this
    this.certain = ''
    if (certain === '') return
    const delta = { type: 'input_json_delta', partial_json: certain }
    this.writer.emit('content_block_delta', { index, delta })
  }
}
