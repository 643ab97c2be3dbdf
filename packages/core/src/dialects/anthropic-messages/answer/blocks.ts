import type { AnswerOutput } from '../../../answer/output.ts'
import { nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import type { Wire } from './decode.ts'

export type BlockKind = 'text' | 'thinking'

/** The same event with other fields in its JSON. */
export function changedWire(wire: Wire, changes: JsonObject): Wire {
  const data = { ...wire.data, ...changes }
  const source = encodeSse({ ...wire.event, data: JSON.stringify(data) })
  return { event: { ...wire.event, source, terminated: true }, data }
}

/** The start of a block for a delta that came without one. */
export function startBefore(delta: Wire, kind: BlockKind): Wire {
  const data = { type: 'content_block_start', index: delta.data['index'], content_block: emptyBlocks[kind] }
  const source = encodeSse({ event: data.type, data: JSON.stringify(data) })
  return { event: { ...delta.event, event: data.type, source, terminated: true }, data }
}

type Open =
  | { readonly is: 'none' }
  /** `stop` is the upstream's own end of the block, which waits: text that belongs into it may still be held. */
  | { readonly is: BlockKind; readonly index: number; stop: Wire | null; signature: SignatureState }
  | { readonly is: 'tool' | 'other'; readonly index: number }

/** `due`: a block of the upstream's, which has not signed it so far. `none`: a block of ours, or one without signatures. */
type SignatureState = 'none' | 'due' | 'came'

/** Writes blocks, those of the upstream and those we make, under one numbering. */
export class BlockWriter {
  private readonly output: AnswerOutput
  private readonly signature: (() => string) | undefined
  private nextIndex = 0
  private open: Open = none

  /** `signature`: what reasoning is signed with that the upstream has not signed. Without it, it stays unsigned. */
  constructor(output: AnswerOutput, signature?: () => string) {
    this.output = output
    this.signature = signature
  }

  get openIndex(): number | null {
    return this.open.is === 'none' ? null : this.open.index
  }

  isOpen(kind: BlockKind | 'tool'): boolean {
    return this.open.is === kind
  }

  /** The event, byte for byte unless its block has another number now, or had none. */
  pass(wire: Wire, index: number): void {
    if (wire.data['index'] === index) this.output.event(wire.event)
    else this.passChanged(wire, { index })
  }

  /** An event of the block of reasoning or text that is open. */
  passInText(wire: Wire, index: number): void {
    const { open } = this
    if (open.is === 'thinking' && open.signature !== 'came') {
      if (isSigned(wire)) open.signature = 'came'
      // It says nothing, and ours follows.
      else if (this.signature !== undefined && isSignature(wire)) return
    }
    this.pass(wire, index)
  }

  /** An event that is about no block. */
  passBeside(wire: Wire): void {
    this.output.event(wire.event)
  }

  passChanged(wire: Wire, changes: JsonObject): void {
    this.output.event(changedWire(wire, changes).event)
  }

  /** A block of the upstream's begins, and what was open ends: one block is open at a time, whatever the upstream does. */
  begin(kind: BlockKind | 'tool' | 'other'): number {
    return this.beginBlock(kind, kind === 'thinking' ? 'due' : 'none')
  }

  private beginBlock(kind: BlockKind | 'tool' | 'other', signature: SignatureState): number {
    this.close()
    const index = this.nextIndex++
    const isText = kind === 'text' || kind === 'thinking'
    this.open = isText ? { is: kind, index, stop: null, signature } : { is: kind, index }
    return index
  }

  /** The upstream has ended the block of text; ours ends when the next begins. */
  deferStop(wire: Wire): void {
    if (this.open.is === 'text' || this.open.is === 'thinking') this.open.stop ??= wire
  }

  /** A delta of the call, or of the block of another kind, that is open; or its end. */
  passInOpen(wire: Wire): void {
    if (this.open.is !== 'tool' && this.open.is !== 'other') return
    const { index } = this.open
    if (wire.data['type'] === 'content_block_stop') this.open = none
    this.pass(wire, index)
  }

  text(kind: BlockKind, text: string): void {
    if (this.open.is !== kind) {
      const index = this.beginBlock(kind, 'none')
      this.emit('content_block_start', { index, content_block: emptyBlocks[kind] })
    }
    this.emitDelta({ type: `${kind}_delta`, [kind]: text })
  }

  /** `source`: what the upstream wrote in the block of the call. */
  toolStart(id: string, name: string, source: JsonObject): void {
    const index = this.begin('tool')
    const block = { ...source, type: 'tool_use', id, name, input: {} }
    this.emit('content_block_start', { index, content_block: block })
  }

  toolInput(json: string): void {
    this.emitDelta({ type: 'input_json_delta', partial_json: json })
  }

  close(): void {
    const { open } = this
    if (open.is === 'none') return
    if (open.is === 'thinking' && open.signature === 'due' && this.signature !== undefined) {
      this.emitDelta({ type: 'signature_delta', signature: this.signature() })
    }
    this.open = none
    if ('stop' in open && open.stop !== null) this.pass(open.stop, open.index)
    else this.emit('content_block_stop', { index: open.index })
  }

  emit(type: string, fields: object): void {
    this.output.push(encodeSse({ event: type, data: JSON.stringify({ type, ...fields }) }))
  }

  private emitDelta(delta: object): void {
    if (this.open.is !== 'none') this.emit('content_block_delta', { index: this.open.index, delta })
  }
}

const none: Open = { is: 'none' }

function isSignature({ data }: Wire): boolean {
  return objectIn(data, 'delta')['type'] === 'signature_delta'
}

/** Whether the event holds a signature that says something. */
function isSigned({ data }: Wire): boolean {
  const place = objectIn(data, data['type'] === 'content_block_start' ? 'content_block' : 'delta')
  return nonEmptyText(place['signature']) !== null
}

const emptyBlocks = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
} as const
