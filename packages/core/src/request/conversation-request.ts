import type { Content, HasOriginal } from '../conversation.ts'

/** A request for an answer, in nobody's dialect: what every client's request decodes into. */
export interface ConversationRequest {
  readonly model: string
  /** The instructions, in order. A dialect that has one place for them joins them. */
  readonly system: readonly SystemText[]
  readonly contents: readonly Content[]
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice | undefined
  readonly parallelToolCalls: boolean | undefined
  readonly stream: boolean
  /** Whether a chat client asked for the usage of its stream; clients of other dialects always get it. */
  readonly wantsUsage?: boolean
  /** Whether the client asked to see the reasoning, in a dialect that shows it on demand alone. */
  readonly wantsThoughts?: boolean
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly topP: number | undefined
  readonly topK: number | undefined
  readonly stopSequences: readonly string[]
  readonly reasoning: ReasoningRequest | undefined
  /** How the client wants to be shown reasoning, in its own word, where its dialect has words for that. */
  readonly reasoningSummary?: string
  /** The client wants to be shown no reasoning, and keeps what brings it back. */
  readonly hidesReasoning?: true
  readonly outputFormat: OutputFormat | undefined
  /** The client wants a summary that it can keep in place of the conversation, and no answer. */
  readonly compacts?: CompactionWish
  /** Who asks, as far as the client says. */
  readonly user: string | undefined
  /**
   * The client's other fields, by name: an upstream of the same dialect is sent them, for any other they are noted.
   */
  readonly extra: Readonly<Record<string, unknown>>
}

/** `item`: an answer whose only item is the summary. `history`: what the client goes on from, the summary included. */
export type CompactionWish =
  | { readonly gets: 'item' }
  /** `kept`: what of the conversation stays as it is, in the words of the client's dialect. */
  | { readonly gets: 'history'; readonly kept: readonly Readonly<Record<string, unknown>>[] }

/** What a request says beside its conversation and its tools. */
export type RequestSettings = Omit<ConversationRequest, 'model' | 'system' | 'contents' | 'tools'>

export interface SystemText extends HasOriginal {
  readonly text: string
  /** The client's mark for a prefix worth caching. It is sent to upstreams that understand it. */
  readonly cacheControl?: unknown
}

export interface Tool extends HasOriginal {
  readonly name: string
  readonly description: string | undefined
  /** JSON Schema of the arguments, as the client wrote it. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly strict?: boolean
}

export type ToolChoice = HasOriginal &
  (
    | {
        readonly type: 'auto' | 'none' | 'required'
        /** The only tools that may be called, where the client offers more of them. */
        readonly allowed?: readonly string[]
      }
    | { readonly type: 'tool'; readonly name: string }
  )

export interface ReasoningRequest {
  /** `unsaid`: the client names an effort, and does not say whether the model shall think. */
  readonly mode: 'on' | 'off' | 'adaptive' | 'unsaid'
  readonly budgetTokens?: number
  /** `low`, `medium`, `high` and whatever else a vendor has. */
  readonly effort?: string
}

export type OutputFormat =
  | ({ readonly type: 'text' | 'json' } & HasOriginal)
  | ({
      readonly type: 'json-schema'
      readonly name: string
      readonly schema: unknown
      readonly strict?: boolean
    } & HasOriginal)
