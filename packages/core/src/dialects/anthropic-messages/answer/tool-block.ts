import { incomplete, invalid } from '../../../answer/calls/order.ts'
import type { Failure } from '../../../answer/answer.ts'
import type { ArgumentNotes } from '../../../answer/calls/behind-arguments.ts'
import { isJsonObject, nonEmptyText, objectIn } from '../../../json/objects.ts'
import { StructuredCall } from '../../../answer/calls/structured-call.ts'
import type { BlockWriter, Wire } from './block-writer.ts'
import { ToolInput } from './tool-input.ts'

/** `broken`: the upstream has ended it, but its input is no whole JSON. Without an end no client takes it for a call. */
type State =
  | { readonly is: 'waiting'; readonly wires: Wire[] }
  | { readonly is: 'open'; readonly index: number; readonly input: ToolInput }
  | { readonly is: 'closed' }
  | { readonly is: 'broken'; readonly failure: Failure }

/** A `tool_use` block of the upstream, on its way to the client. */
export class ToolBlock {
  readonly call = new StructuredCall()
  private readonly writer: BlockWriter
  private readonly notes: ArgumentNotes
  private state: State = { is: 'waiting', wires: [] }
  /** What came with the start and no delta has replaced: many clients go by the deltas alone and would lose it. */
  private given: string | null

  constructor(writer: BlockWriter, notes: ArgumentNotes, start: Wire) {
    this.writer = writer
    this.notes = notes
    const block = objectIn(start.data, 'content_block')
    this.call.addId(block['id'])
    this.call.addName(block['name'])
    this.given = jsonIn(block['input'])
  }

  /** Why it is no call, or null where it is one or may become one. */
  get failure(): Failure | null {
    return this.state.is === 'broken' ? this.state.failure : null
  }

  get heldLength(): number {
    return this.state.is === 'open' ? this.state.input.heldLength : this.call.heldLength
  }

  /** From here on the block is written. */
  begin(start: Wire, id: string): void {
    const { state } = this
    if (state.is !== 'waiting') return
    this.call.takePieces()
    const index = this.writer.takeIndex()
    this.state = { is: 'open', index, input: new ToolInput(this.writer, index, this.notes) }
    const block = objectIn(start.data, 'content_block')
    if (jsonIn(block['input']) === null && block['id'] === id) this.writer.pass(start, index)
    else this.writer.passChanged(start, { index, content_block: { ...block, id, input: {} } })
    for (const wire of state.wires) this.take(wire)
  }

  take(wire: Wire): void {
    const { state } = this
    const json = nonEmptyText(objectIn(wire.data, 'delta')['partial_json'])
    const isStop = wire.data['type'] === 'content_block_stop'
    if (state.is === 'waiting') {
      state.wires.push(wire)
      this.call.addArguments(json ?? (isStop ? this.given : null))
      if (json !== null) this.given = null
    } else if (state.is === 'open') {
      if (isStop) this.stop(state, wire)
      else if (json === null) this.writer.pass(wire, state.index)
      else this.takeJson(state, wire, json)
    }
  }

  /**
   * The message is at its end, and the upstream may not have ended the block. The answer is whether it got an end here.
   * `isCut`: the model was stopped, so a call of which nothing but the name has come may be half a call.
   */
  endOpen(isCut: boolean): boolean {
    const { state } = this
    if (state.is !== 'open' || (isCut && state.input.isUnsaid && this.given === null)) return false
    this.stop(state, null)
    return this.failure === null
  }

  private takeJson({ input }: OpenState, wire: Wire, json: string): void {
    this.given = null
    input.take(wire, json)
  }

  private stop({ index, input }: OpenState, wire: Wire | null): void {
    if (this.given !== null) input.takeValue(this.given)
    const end = input.end()
    if (end === 'whole') {
      this.state = { is: 'closed' }
      if (wire === null) this.writer.emit('content_block_stop', { index })
      else this.writer.pass(wire, index)
      const behind = input.takeTextBehind()
      if (behind !== '') this.writer.text('text', behind)
    } else {
      const { name } = this.call
      this.state = { is: 'broken', failure: end === 'cut' ? incomplete(name) : invalid(name) }
      this.writer.hasChanged = true
    }
  }
}

type OpenState = Extract<State, { is: 'open' }>

/** An input that says something: an object, or the JSON text of one. */
function jsonIn(input: unknown): string | null {
  if (typeof input === 'string') return nonEmptyText(input)
  return isJsonObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : null
}
