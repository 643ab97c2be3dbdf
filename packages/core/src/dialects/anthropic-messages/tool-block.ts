import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../json-object.ts'
import { StructuredCall } from '../structured-call.ts'
import type { BlockWriter, Wire } from './block-writer.ts'

/** A `tool_use` block of the upstream, on its way to the client. */
export class ToolBlock {
  readonly call = new StructuredCall()
  private readonly writer: BlockWriter
  private index: number | null = null
  private waiting: Wire[] = []
  /** What came with the start and no delta has replaced: many clients go by the deltas alone and would lose it. */
  private input: JsonObject | null

  constructor(writer: BlockWriter, start: Wire) {
    this.writer = writer
    const block = objectIn(start.data, 'content_block')
    this.call.addId(block['id'])
    this.call.addName(block['name'])
    const { input } = block
    this.input = isJsonObject(input) && Object.keys(input).length > 0 ? input : null
  }

  /** From here on the block is written. */
  begin(start: Wire, id: string): void {
    const index = this.writer.takeIndex()
    this.index = index
    const block = objectIn(start.data, 'content_block')
    if (this.input === null && block['id'] === id) this.writer.pass(start, index)
    else this.writer.passChanged(start, { index, content_block: { ...block, id, input: {} } })
    for (const wire of this.waiting) this.pass(wire)
    this.waiting = []
  }

  take(wire: Wire): void {
    const json = nonEmptyText(objectIn(wire.data, 'delta')['partial_json'])
    if (json !== null) {
      this.input = null
      if (this.index === null) this.call.addArguments(json)
    }
    if (this.index === null) {
      if (wire.data['type'] === 'content_block_stop' && this.input !== null)
        this.call.addArguments(this.input)
      this.waiting.push(wire)
    } else {
      this.pass(wire)
    }
  }

  private pass(wire: Wire): void {
    const { index } = this
    if (index === null) return
    if (wire.data['type'] === 'content_block_stop' && this.input !== null) {
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(this.input) }
      this.writer.emit('content_block_delta', { index, delta })
    }
    this.writer.pass(wire, index)
  }
}
