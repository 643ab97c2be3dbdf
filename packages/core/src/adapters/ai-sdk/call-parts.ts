import { HeldText } from '../../text/held-text.ts'
import type { PartWriter } from './part-writer.ts'
import type { ProviderCall } from './provider-calls.ts'
import type { NewPart, Part } from './specification.ts'

/** Writes the parts of calls, one call at a time, with what the provider said around them. */
export class CallParts {
  readonly #writer: PartWriter
  #open: OpenCall | null = null
  /** The ids that calls of the provider got here, where they could not keep their own. */
  readonly #renamed = new Map<string, string>()

  constructor(writer: PartWriter) {
    this.#writer = writer
  }

  /** `of` is null for a call in the text. */
  start(id: string, name: string, of: ProviderCall | null): void {
    this.leave()
    if (of !== null && of.id !== id) this.#renamed.set(of.id, id)
    const isInPieces = of === null || of.start !== null
    this.#open = { id, name, of, isInPieces, input: new HeldText() }
    if (isInPieces) this.#writer.write({ type: 'tool-input-start', ...of?.start, id, toolName: name })
  }

  input(json: string): void {
    const open = this.#open
    if (open === null) return
    open.input.add(json)
    if (open.isInPieces) this.#writer.write({ type: 'tool-input-delta', id: open.id, delta: json })
  }

  /** The provider's own piece of the input of this call. */
  passInput(part: Part, json: string, of: ProviderCall): void {
    const open = this.#open
    if (open === null || open.of !== of) return
    open.input.add(json)
    this.#writer.write({ ...part, id: open.id })
  }

  /** The call is whole. `input` is what its last part says, where nothing of it came in pieces. */
  end(input = ''): void {
    const open = this.#open
    if (open === null) return
    open.input.add(open.input.bytes === 0 ? input : '')
    this.#endInput(open)
    const call: NewPart = { type: 'tool-call', ...open.of?.whole }
    const { id, name } = open
    this.#writer.write({ ...call, toolCallId: id, toolName: name, input: open.input.take() })
    this.#open = null
  }

  /** A call that is open stays half a call: without the part that ends it nobody runs it. */
  leave(): void {
    if (this.#open !== null) this.#endInput(this.#open)
    this.#open = null
  }

  /** The part by the id that the client knows, where it is about a call that got another here. */
  withKnownId(part: Part & { readonly toolCallId?: unknown }): Part {
    const known = typeof part.toolCallId === 'string' ? this.#renamed.get(part.toolCallId) : undefined
    return known === undefined ? part : withCallId(part, known)
  }

  #endInput({ id, of, isInPieces }: OpenCall): void {
    if (isInPieces) this.#writer.write(withId({ type: 'tool-input-end', ...of?.inputEnd }, id))
  }
}

interface OpenCall {
  readonly id: string
  readonly name: string
  /** Null for a call in the text. */
  readonly of: ProviderCall | null
  /** Whether the client gets the input in pieces too, before the part that has all of it. */
  readonly isInPieces: boolean
  /** The part that ends the call has the whole input. */
  readonly input: HeldText
}

function withId(part: Part, id: string): NewPart {
  return { ...part, id }
}

function withCallId(part: Part, toolCallId: string): NewPart {
  return { ...part, toolCallId }
}
