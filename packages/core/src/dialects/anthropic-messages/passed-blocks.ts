import type { AnswerIds } from '../answer-ids.ts'
import type { WrittenCalls } from '../written-calls.ts'
import type { BlockWriter, Wire } from './block-writer.ts'
import { ToolBlock } from './tool-block.ts'

/** The blocks of the upstream that are not text: passed on, or held if they may repeat a call in the text. */
export class PassedBlocks {
  private readonly writer: BlockWriter
  private readonly ids: AnswerIds
  private readonly onCall: (name: string) => void
  private readonly indexes = new Map<unknown, number>()
  private readonly tools = new Map<unknown, ToolBlock>()
  private readonly held: { readonly start: Wire; readonly tool: ToolBlock }[] = []

  constructor(writer: BlockWriter, ids: AnswerIds, onCall: (name: string) => void) {
    this.writer = writer
    this.ids = ids
    this.onCall = onCall
  }

  start(wire: Wire, isCall: boolean): void {
    if (isCall) {
      this.begin(this.open(wire), wire)
      return
    }
    const index = this.writer.takeIndex()
    this.indexes.set(wire.data['index'], index)
    this.writer.pass(wire, index)
  }

  hold(wire: Wire): void {
    this.held.push({ start: wire, tool: this.open(wire) })
  }

  /** What follows the start of one of these blocks. */
  take(wire: Wire): void {
    const upstreamIndex = wire.data['index']
    const tool = this.tools.get(upstreamIndex)
    const index = this.indexes.get(upstreamIndex)
    if (tool !== undefined) tool.take(wire)
    else if (index !== undefined) this.writer.pass(wire, index)
  }

  /** Writes the calls that were held; those that the text held too are dropped, each with a call of `onDrop`. */
  release(written: WrittenCalls, onDrop: () => void): void {
    for (const { start, tool } of this.held.splice(0)) {
      if (written.takeTwinOf(tool.call)) onDrop()
      else this.begin(tool, start)
    }
  }

  private begin(tool: ToolBlock, start: Wire): void {
    this.onCall(tool.call.name)
    tool.begin(start, this.ids.keep(tool.call.id))
  }

  private open(start: Wire): ToolBlock {
    const tool = new ToolBlock(this.writer, start)
    this.tools.set(start.data['index'], tool)
    return tool
  }
}
