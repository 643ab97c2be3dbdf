import type { AnswerIds } from '../../../answer/ids.ts'
import type { Failure } from '../../../answer/answer.ts'
import type { ArgumentNotes } from '../../../answer/calls/behind-arguments.ts'
import type { WrittenCalls } from '../../../answer/calls/written-calls.ts'
import type { BlockWriter, Wire } from './block-writer.ts'
import { ToolBlock } from './tool-block.ts'

export interface PassedBlockReports extends ArgumentNotes {
  call(name: string): void
  /** A structured call that repeats one in the text was left out. */
  repeated(): void
  /** The upstream had left out the end of a block. */
  filled(): void
}

/** The blocks of the upstream that are not text: passed on, or held if they may repeat a call in the text. */
export class PassedBlocks {
  private readonly writer: BlockWriter
  private readonly ids: AnswerIds
  private readonly reports: PassedBlockReports
  private readonly indexes = new Map<unknown, number>()
  private readonly tools = new Map<unknown, ToolBlock>()
  private readonly held: { readonly start: Wire; readonly tool: ToolBlock }[] = []
  private readonly begun: ToolBlock[] = []

  constructor(writer: BlockWriter, ids: AnswerIds, reports: PassedBlockReports) {
    this.writer = writer
    this.ids = ids
    this.reports = reports
  }

  /** Why one of the calls that were written is none, or null. */
  get failure(): Failure | null {
    return this.begun.find(({ failure }) => failure !== null)?.failure ?? null
  }

  /** How much of calls was taken in and not given out. */
  get heldLength(): number {
    let length = 0
    for (const tool of this.tools.values()) length += tool.heldLength
    return length
  }

  start(wire: Wire, isCall: boolean): void {
    if (isCall) {
      this.begin(this.open(wire), wire)
      return
    }
    const index = this.writer.takeIndex()
    this.tools.delete(wire.data['index'])
    this.indexes.set(wire.data['index'], index)
    this.writer.pass(wire, index)
  }

  hold(wire: Wire): void {
    this.held.push({ start: wire, tool: this.open(wire) })
  }

  knows(wire: Wire): boolean {
    const upstreamIndex = wire.data['index']
    return this.tools.has(upstreamIndex) || this.indexes.has(upstreamIndex)
  }

  /** What follows the start of one of these blocks. */
  take(wire: Wire): void {
    const upstreamIndex = wire.data['index']
    const tool = this.tools.get(upstreamIndex)
    const index = this.indexes.get(upstreamIndex)
    if (tool !== undefined) tool.take(wire)
    else if (index !== undefined) this.writer.pass(wire, index)
  }

  /**
   * Writes the calls that were held, but for those that the text held too. Answers why one of all the calls is none.
   * `isCut`: the model was stopped here, so that the last one may be half a call.
   */
  end(written: WrittenCalls, isCut: boolean): Failure | null {
    for (const { start, tool } of this.held.splice(0)) {
      const failure = this.endBegun(false)
      if (failure !== null) return failure
      if (written.takeTwinOf(tool.call)) this.reports.repeated()
      else this.begin(tool, start)
    }
    return this.endBegun(isCut)
  }

  private endBegun(isCut: boolean): Failure | null {
    const last = this.begun.at(-1)
    for (const tool of this.begun) {
      const mayBeHalf = isCut && tool === last
      if (tool.endOpen(mayBeHalf)) this.reports.filled()
      if (tool.failure !== null && !mayBeHalf) return tool.failure
    }
    return null
  }

  private begin(tool: ToolBlock, start: Wire): void {
    this.begun.push(tool)
    this.reports.call(tool.call.name)
    tool.begin(start, this.ids.keep(tool.call.id))
  }

  private open(start: Wire): ToolBlock {
    const tool = new ToolBlock(this.writer, this.reports, start)
    this.indexes.delete(start.data['index'])
    this.tools.set(start.data['index'], tool)
    return tool
  }
}
