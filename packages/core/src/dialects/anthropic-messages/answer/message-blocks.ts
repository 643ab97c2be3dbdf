import type { AnswerSink, Failure, FinishReason, Usage } from '../../../answer/answer.ts'
import { nothingCounted } from './usage.ts'

/** Where the blocks of a message go: an event stream, or a whole message. One block is open at a time. */
export interface BlockOutput {
  start(): void
  textStart(index: number): void
  text(index: number, text: string): void
  thinkingStart(index: number): void
  thinking(index: number, text: string): void
  signature(index: number, signature: string): void
  toolStart(index: number, id: string, name: string): void
  input(index: number, json: string): void
  stop(index: number): void
  end(reason: FinishReason, stopSequence: string | null, usage: Usage): void
  fail(failure: Failure): void
}

export interface MessageOptions {
  /** An estimate of the prompt, for as long as the upstream has not counted, or if it never does. */
  readonly inputTokens: number
  /** The signature of a thinking block: `field` is where the upstream had it, `proof` what came with it. */
  readonly signature: (field: string, proof: string | null) => string
  /** Whether an answer of nothing, with nothing counted, is an error; clients take it for a turn that is over. */
  readonly emptyAnswer?: 'fail' | 'pass'
}

type OpenBlock =
  | { readonly is: 'none' }
  | { readonly is: 'text' }
  | { readonly is: 'thinking'; readonly field: string; proof: string | null }
  | { readonly is: 'tool'; hasInput: boolean }

/** Turns an answer into the blocks of a message. */
export class MessageBlocks implements AnswerSink {
  private readonly output: BlockOutput
  private readonly options: MessageOptions
  private open: OpenBlock = none
  /** The index of the open block, or of the next one. */
  private index = 0
  /** White space for which no block was opened: a block of white space alone is refused when it comes back. */
  private space = ''
  private field = ''
  private writtenLength = 0
  private counted: Usage | null = null
  private finished: { readonly reason: FinishReason; readonly stopSequence: string | null } | null = null

  constructor(output: BlockOutput, options: MessageOptions) {
    this.output = output
    this.options = options
  }

  start(): void {
    this.output.start()
  }

  text(text: string): void {
    this.writtenLength += text.length
    if (this.open.is === 'text') {
      if (text !== '') this.output.text(this.index, text)
      return
    }
    if (text.trim() === '') {
      this.space += text
      return
    }
    const { space } = this
    this.close()
    this.open = { is: 'text' }
    this.output.textStart(this.index)
    this.output.text(this.index, this.index === 0 ? text.trimStart() : space + text)
  }

  reasoning(text: string, field: string): void {
    if (text === '') return
    this.writtenLength += text.length
    this.openThinking(field)
    this.output.thinking(this.index, text)
  }

  reasoningProof(proof: string): void {
    if (this.open.is === 'thinking' && this.open.proof !== null) this.close()
    const block = this.openThinking(this.field)
    block.proof = proof
  }

  callStart(_index: number, id: string, name: string): void {
    this.close()
    this.open = { is: 'tool', hasInput: false }
    this.output.toolStart(this.index, id, name)
  }

  callDelta(_index: number, json: string): void {
    if (json === '' || this.open.is !== 'tool') return
    this.writtenLength += json.length
    this.open.hasInput = true
    this.output.input(this.index, json)
  }

  callEnd(): void {
    if (this.open.is === 'tool' && !this.open.hasInput) this.output.input(this.index, '{}')
    this.close()
  }

  usage(usage: Usage): void {
    this.counted = usage
  }

  finish(reason: FinishReason, stopSequence: string | null): void {
    this.finished = { reason, stopSequence }
  }

  fail(failure: Failure): void {
    this.finished = null
    this.output.fail(failure)
  }

  /** Usage may trail the finish, and nothing may follow the end of a message: so it waits until here. */
  end(): void {
    if (this.finished === null) return
    const { reason, stopSequence } = this.finished
    if (this.isNothing(reason)) {
      this.output.fail(noContent)
      return
    }
    // A call that is still open is half a call: without its end no client takes it for a whole one.
    if (this.open.is !== 'tool') this.close()
    this.output.end(reason, stopSequence, this.counted ?? this.estimate())
  }

  problem(): void {}

  repair(): void {}

  private openThinking(field: string): Extract<OpenBlock, { is: 'thinking' }> {
    this.field = field
    if (this.open.is === 'thinking') return this.open
    this.close()
    const block = { is: 'thinking' as const, field, proof: null }
    this.open = block
    this.output.thinkingStart(this.index)
    return block
  }

  private close(): void {
    this.space = ''
    const { open } = this
    if (open.is === 'none') return
    if (open.is === 'thinking') {
      this.output.signature(this.index, this.options.signature(open.field, open.proof))
    }
    this.output.stop(this.index)
    this.index++
    this.open = none
  }

  private isNothing(reason: FinishReason): boolean {
    if (this.options.emptyAnswer === 'pass' || this.index > 0 || this.open.is !== 'none') return false
    return (reason === 'stop' || reason === 'tool-calls') && this.counted?.outputTokens === 0
  }

  /** Four characters a token is near enough where the upstream counts nothing. */
  private estimate(): Usage {
    const outputTokens = Math.ceil(this.writtenLength / 4)
    return { ...nothingCounted, inputTokens: this.options.inputTokens, outputTokens }
  }
}

const none: OpenBlock = { is: 'none' }

const noContent: Failure = {
  kind: 'upstream',
  code: 'upstream_empty',
  message: 'The upstream returned no content.',
}
