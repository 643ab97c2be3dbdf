import type { FormatId } from '../formats/format-id.ts'
import type { RequestNote } from './notes.ts'
import type { ToolNames } from './tools.ts'

/** What an encoder has to know of the upstream. What is left out is the careful choice. */
export interface RequestTarget {
  readonly model: string
  /** Decides the style of tool ids and which reasoning is the upstream's own. */
  readonly format: FormatId
  /** The client speaks the upstream's dialect: what only this dialect can say, known to us or not, is kept. */
  readonly sameDialect?: boolean
  /** Where given, only these of the fields unknown to us are kept. */
  readonly allowedFields?: readonly string[] | undefined
  /** Whether reasoning must have the signature of who wrote it, as at Anthropic. Where left out, the format tells. */
  readonly signatures?: 'checked' | 'unchecked'
  /** Reasoning of another family of models. */
  readonly foreignReasoning?: 'drop' | 'text'
  readonly maxOutputTokens?: number
  readonly maxTools?: number
  /** The upstream refuses temperature, top_p and top_k. */
  readonly fixedSampling?: boolean | undefined
  /** False for a model that reads text alone. */
  readonly images?: boolean
}

export interface ChatTarget extends RequestTarget {
  /** The upstream understands Anthropic's cache marks. */
  readonly cacheControl?: boolean
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens' | undefined
  /** What stands for the text of a message that only calls tools. */
  readonly emptyContent?: 'null' | 'empty' | 'absent'
  /** How the upstream is told to go on with the last message; without it, it may begin a new one. */
  readonly prefill?: 'continue_final_message' | 'prefix' | 'partial' | undefined
  /** Whether it takes a tool choice that forces a call, or has to be asked for one in words. */
  readonly forcedToolChoice?: 'send' | 'nudge'
  readonly topK?: boolean
  /** Takes documents as file parts. */
  readonly files?: boolean
  /** Takes images in tool messages. */
  readonly mediaInToolResults?: boolean
  readonly streamUsage?: boolean
}

export interface AnthropicTarget extends RequestTarget {
  /** For clients that set no limit: the dialect demands one. */
  readonly defaultMaxTokens?: number
}

/** A target for whichever dialect the upstream speaks: each encoder looks at its own part. */
export interface Target extends ChatTarget, AnthropicTarget {}

export interface EncodedRequest {
  readonly body: Record<string, unknown>
  /** The tool names in the body, and the client's own: those in the answer have to be turned back. */
  readonly toolNames: ToolNames
  readonly notes: readonly RequestNote[]
}
