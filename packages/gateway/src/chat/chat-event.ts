import type { FinishReason, FormatId, ProblemCode, RepairCode, Usage } from '@dragoman/core'

/** What happens while the model answers and its tools run. It is shown on a screen or written as JSON lines. */
export type ChatEvent =
  | {
      readonly type: 'start'
      readonly model: string
      readonly upstream: string
      /** The format in whose style the conversation was sent. */
      readonly format: FormatId
    }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call-start'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'call-delta'; readonly index: number; readonly json: string }
  | { readonly type: 'call-end'; readonly index: number; readonly complete: boolean }
  | {
      readonly type: 'problem'
      readonly code: ProblemCode
      readonly message: string
      readonly source: string
    }
  | { readonly type: 'repair'; readonly code: RepairCode; readonly message: string }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly reason: FinishReason }
  /** The user has stopped the answer. */
  | { readonly type: 'stopped' }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  /** A tool was allowed and starts to run. */
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string }
  | {
      readonly type: 'tool-end'
      readonly id: string
      readonly name: string
      readonly result: string
      readonly isError: boolean
    }
  /** Something that the user should know and that does not belong to the answer. */
  | { readonly type: 'note'; readonly message: string }

/** Shows a chat. */
export interface ChatView {
  show(event: ChatEvent): void
  /** Prints the output of a command: lines of our own text. */
  print(text: string): void
  /** Rejects when the reader of the output has left. */
  flush(): Promise<void>
}
