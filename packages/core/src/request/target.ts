import type { FormatId } from '../formats/format-id.ts'
import type { JsonObject } from '../json/objects.ts'
import type { RequestNote } from './notes.ts'
import type { ThinkingWays } from './thinking-ways.ts'
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
  /**
   * Which items an upstream takes whose history is made of items. `openai`: all of the dialect, and of reasoning only its own. `plain`: messages, functions,
   * their results as text, and reasoning as text. If left out, a client of the same dialect knows what it takes, and
   * everybody else writes plain items.
   */
  readonly responsesItems?: 'openai' | 'plain'
  /** What happens to reasoning that a model of another family wrote. */
  readonly foreignReasoning?: 'drop' | 'text'
  readonly maxOutputTokens?: number
  readonly maxTools?: number
  /** The upstream refuses temperature, top_p and top_k. */
  readonly fixedSampling?: boolean | undefined
  /** False for a model that reads text alone. */
  readonly images?: boolean
  /**
   * Whether the upstream answers 400 to calls in the history without the reasoning before them. If left out, it is taken
   * for the vendor of its family of models.
   */
  readonly demandsReasoning?: boolean
  /**
   * Whether the line that Claude Code writes for Anthropic's billing goes on. If left out, it goes to an upstream that
   * checks signatures.
   */
  readonly billingLine?: 'keep' | 'remove'
  /** Whether the model can think, where the server tells. A model that cannot is told nothing about it. */
  readonly thinks?: boolean | undefined
  /** `user`: the wish in the request is not the client's, so what the client says of thinking is left out. */
  readonly thinkingSetBy?: 'client' | 'user'
  /** Fields about thinking that this upstream has refused before. They are left out. */
  readonly withoutFields?: readonly string[]
}

export interface ChatTarget extends RequestTarget {
  /** How the upstream is told to think. If left out, it is told what a client of its dialect says, and nothing else. */
  readonly thinking?: ThinkingWays
  /** The upstream understands Anthropic's cache marks. */
  readonly cacheControl?: boolean
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens' | undefined
  /** What is sent as the content of a message that only calls tools. */
  readonly emptyContent?: 'null' | 'empty' | 'absent'
  /** How the upstream is told to go on with the model's last message. If left out, it may begin a new one. */
  readonly prefill?: 'continue_final_message' | 'prefix' | 'partial' | undefined
  /** Whether the upstream takes a tool choice that forces a call, or has to be asked for the call in words. */
  readonly forcedToolChoice?: 'send' | 'nudge' | 'nudge while thinking'
  /** `alone`: the upstream does not understand the choice of one tool. So that tool is the only one it is offered. */
  readonly namedToolChoice?: 'send' | 'alone'
  /** `no-tools`: the upstream ignores the choice to call none. So it is offered none. */
  readonly noneToolChoice?: 'send' | 'no-tools'
  /** False for an upstream that refuses `strict` in the definition of a tool. */
  readonly strictTools?: boolean
  /**
   * Fields that keep the upstream from reading the calls itself. They are part of a request that offers tools, and win
   * over the tool choice: what the model writes is read from its text.
   */
  readonly callsInText?: JsonObject | undefined
  /** Further fields of a request that streams and offers tools. */
  readonly streamedToolFields?: JsonObject
  /**
   * The fields in which the upstream reads the reasoning of earlier messages. None: it refuses every such field. If
   * left out, reasoning goes back in the fields that it came in.
   */
  readonly reasoningFields?: readonly string[]
  /** The upstream takes the results of tools only as text, and not in parts. */
  readonly resultsAsText?: boolean
  /** The upstream refuses more stop sequences than this. */
  readonly mostStops?: number
  readonly topK?: boolean
  /** Whether the upstream takes documents as file parts. */
  readonly files?: boolean
  /** Whether the upstream takes images in tool messages. */
  readonly mediaInToolResults?: boolean
  readonly streamUsage?: boolean
}

export interface AnthropicTarget extends RequestTarget {
  /** How an upstream is told to think that takes other fields than Anthropic does. If left out, it is told as Anthropic. */
  readonly messagesThinking?: ThinkingWays
  /** False for an upstream that refuses reasoning in the history that only its writer can read. */
  readonly redactedThinking?: boolean
  /** The dialect demands a limit. This one is sent for clients that set none. */
  readonly defaultMaxTokens?: number
}

export interface ResponsesTarget extends RequestTarget {
  /** How the upstream is told to think. If left out, it is told what a client of its dialect says. */
  readonly responsesThinking?: ThinkingWays
  /**
   * Where an upstream that takes plain items reads earlier reasoning. `encrypted_content`: it encrypts nothing, and has its
   * text there. If left out, the text goes into the content of the item.
   */
  readonly responsesReasoning?: 'content' | 'encrypted_content'
}

export interface GeminiTarget extends RequestTarget {
  /** `openapi`: the upstream takes no JSON Schema, but the part of it that Google's own schemas know. */
  readonly schemas?: 'json-schema' | 'openapi'
}

/** A target for whichever dialect the upstream speaks. Each encoder looks at its own part. */
export interface Target extends ChatTarget, AnthropicTarget, ResponsesTarget, GeminiTarget {}

export interface EncodedRequest {
  readonly body: Record<string, unknown>
  /** Turns the tool names in the upstream's answer back into the client's. */
  readonly toolNames: ToolNames
  readonly notes: readonly RequestNote[]
}
