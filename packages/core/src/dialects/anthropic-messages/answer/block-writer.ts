import type { JsonObject } from '../../../json/objects.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import type { SseEvent } from '../../../sse/items.ts'

/** An event of the upstream and the JSON in it. */
export interface Wire {
  readonly event: SseEvent
  readonly data: JsonObject
}

export type TextKind = 'text' | 'thinking'

/** The same event with other fields in its JSON. */
export function changedWire(wire: Wire, changes: JsonObject): Wire {
  const data = { ...wire.data, ...changes }
  return { event: { ...wire.event, source: encodeSse({ ...wire.event, data: JSON.stringify(data) }) }, data }
}

/** The start of a block for a delta that came without one. */
export function startBefore(delta: Wire, kind: TextKind): Wire {
  const data = { type: 'content_block_start', index: delta.data['index'], content_block: emptyBlocks[kind] }
  const source = encodeSse({ event: data.type, data: JSON.stringify(data) })
  return { event: { ...delta.event, event: data.type, source }, data }
}

type Open =
  | { readonly is: 'none' }
  /** `stop` is the upstream's own end of the block, which waits: text that belongs into it may still be held. */
  | { readonly is: TextKind; readonly index: number; stop: Wire | null }
  | { readonly is: 'tool'; readonly index: number }

/** Writes blocks, those of the upstream and those we make, under one numbering. */
export class BlockWriter {
  /** Whether anything was written otherwise than it came. */
  hasChanged = false
  private readonly write: (text: string) => void
  private nextIndex = 0
  private open: Open = none

  constructor(write: (text: string) => void) {
    this.write = write
  }

  /** Takes a number for a block of the upstream that is passed on. */
  takeIndex(): number {
    this.close()
    return this.nextIndex++
  }

  get openIndex(): number | null {
    return this.open.is === 'none' ? null : this.open.index
  }

  isOpen(kind: TextKind | 'tool'): boolean {
    return this.open.is === kind
  }

  /** The event, byte for byte unless its block has another number now, or had none. */
  pass(wire: Wire, index: number): void {
    if (wire.data['index'] === index) this.write(wire.event.source)
    else this.passChanged(wire, { index })
  }

  /** An event that is about no block. */
  passBeside(wire: Wire): void {
    this.write(wire.event.source)
  }

  passChanged(wire: Wire, changes: JsonObject): void {
    this.hasChanged = true
    this.write(changedWire(wire, changes).event.source)
  }

  /** A block of text of the upstream's is open now. */
  opened(kind: TextKind, index: number): void {
    this.open = { is: kind, index, stop: null }
  }

  /** The upstream has ended the block; ours ends when the next begins. */
  deferStop(wire: Wire): void {
    if (this.open.is === 'text' || this.open.is === 'thinking') this.open.stop ??= wire
  }

  text(kind: TextKind, text: string): void {
    if (this.open.is !== kind) {
      const index = this.takeIndex()
      this.emit('content_block_start', { index, content_block: emptyBlocks[kind] })
      this.opened(kind, index)
    }
    this.emitDelta({ type: `${kind}_delta`, [kind]: text })
  }

  toolStart(id: string, name: string): void {
    const index = this.takeIndex()
    this.emit('content_block_start', { index, content_block: { type: 'tool_use', id, name, input: {} } })
    this.open = { is: 'tool', index }
  }

  toolInput(json: string): void {
    this.emitDelta({ type: 'input_json_delta', partial_json: json })
  }

  close(): void {
    const { open } = this
    this.open = none
    if (open.is === 'none') return
    if (open.is !== 'tool' && open.stop !== null) this.pass(open.stop, open.index)
    else this.emit('content_block_stop', { index: open.index })
  }

  emit(type: string, fields: object): void {
    this.hasChanged = true
    this.write(encodeSse({ event: type, data: JSON.stringify({ type, ...fields }) }))
  }

  private emitDelta(delta: object): void {
    if (this.open.is !== 'none') this.emit('content_block_delta', { index: this.open.index, delta })
  }
}

const none: Open = { is: 'none' }

const emptyBlocks = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
} as const
