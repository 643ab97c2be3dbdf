import type { FormatId } from '../formats/format-id.ts'
import type { RequestNote } from './notes.ts'
import type { ToolNames } from './tools.ts'

/**
 * What an encoder has to know of the upstream. Each field that is left out means the choice that no upstream refuses.
 */
export interface RequestTarget {
  readonly model: string
  /** Decides the style of tool ids and which reasoning is the upstream's own. */
  readonly format: FormatId
  /** The family of the upstream's model, where it is known and the dialect decides the format. */
  readonly family?: FormatId | undefined
  /** Whether the client speaks the upstream's dialect. Then every field goes on, whether we know it or not. */
  readonly sameDialect?: boolean
  /** The fields unknown to us that may go on. Without this list all of them may. */
  readonly allowedFields?: readonly string[] | undefined
  /**
   * Whether the upstream refuses reasoning that it did not sign, as Anthropic does. `unknown`: it may be anybody's, so what
   * somebody signed goes there as it is, and so does what nobody signed. If left out, the format decides, and what this
   * upstream has left unsigned goes back to it all the same.
   */
  readonly signatures?: 'checked' | 'unchecked' | 'unknown' | undefined
  /** What happens to reasoning that a model of another family wrote. */
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
  /** What is sent as the content of a message that only calls tools. */
  readonly emptyContent?: 'null' | 'empty' | 'absent'
  /** How the upstream is told to go on with the model's last message. If left out, it may begin a new one. */
  readonly prefill?: 'continue_final_message' | 'prefix' | 'partial' | undefined
  /** Whether the upstream takes a tool choice that forces a call, or has to be asked for the call in words. */
  readonly forcedToolChoice?: 'send' | 'nudge'
  readonly topK?: boolean
  /** Whether the upstream takes documents as file parts. */
  readonly files?: boolean
  /** Whether the upstream takes images in tool messages. */
  readonly mediaInToolResults?: boolean
  readonly streamUsage?: boolean
}

export interface AnthropicTarget extends RequestTarget {
  /** The dialect demands a limit. This one is sent for clients that set none. */
  readonly defaultMaxTokens?: number
}

/** A target for whichever dialect the upstream speaks. Each encoder looks at its own part. */
export interface Target extends ChatTarget, AnthropicTarget {}

export interface EncodedRequest {
  readonly body: Record<string, unknown>
  /** Turns the tool names in the upstream's answer back into the client's. */
  readonly toolNames: ToolNames
  readonly notes: readonly RequestNote[]
}
