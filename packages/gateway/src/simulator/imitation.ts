import type { JsonObject } from './json.ts'
import type { ResponsesManners } from './responses-manners.ts'

/** What a model can do, where its server tells or asks. */
export const abilities = ['tools', 'thinking', 'vision'] as const

/**
 * How the imitated server reads the calls that its model writes: it does, it was started without that, or it fails at
 * them. The last one fails without saying what the model wrote.
 */
export const parsers = ['structured', 'none', 'broken', 'broken-mute'] as const

export type Ability = (typeof abilities)[number]
export type Parser = (typeof parsers)[number]

/** One kind of server, in one version, as the simulator plays it. Everything that sets it apart stands in its record. */
export interface Imitation {
  readonly name: string
  /** What it answers beside the requests for answers, by method and path. */
  readonly routes: Readonly<Record<string, (place: Place) => unknown>>
  /** The paths at which it answers as a model. Without this only the one for chat completions. */
  readonly answersAt?: readonly string[]
  /** Whether its paths also stand without `/v1`. */
  readonly alsoWithoutPrefix?: true
  /** What it says at any other path. */
  readonly missing: (asked: string) => Said
  readonly shape: ErrorShape
  /** The shape of its errors in Anthropic's dialect, where it is another one. */
  readonly messagesShape?: ErrorShape
  /** What it says of a request that does not fit into the window; undefined where this one fits. */
  readonly tooLong: (sizes: Sizes) => ImitatedError | undefined
  /** What happens instead of an error: the prompt is cut, and the answer does not say so. */
  readonly cutsInSilence?: true
  /** The longest answer where the request names no limit. Without this it is the rest of the window. */
  readonly withoutLimit?: number
  /** The fields in which it looks for a limit of the answer. */
  readonly limitFields?: readonly string[]
  /** The other chat requests that it refuses, in the order in which it looks. */
  readonly refuses?: readonly Refusal[]
  /** The same for requests in Anthropic's dialect. */
  readonly refusesMessages?: readonly Refusal[]
  /** The same for requests for a response. */
  readonly refusesResponses?: readonly Refusal[]
  /** How it writes responses. */
  readonly responses?: ResponsesManners
  /** The fields in which its answers hold reasoning. All of them hold the same text. */
  readonly reasoningIn: readonly ReasoningField[]
  /** What a request says where reasoning is to stay in the text of the answer. */
  readonly inlineReasoning?: JsonObject
  /** The fields of a history in which it looks for reasoning. */
  readonly readsReasoning: readonly string[]
  /** Its streams carry comments, which keep the connection alive. */
  readonly commentsInStreams?: true
  /** What the choice `none` does to a model that calls all the same. */
  readonly choiceNone: ChoiceNone
  /** The choice of one tool by its name leaves the model free to call any. */
  readonly namedChoice?: 'ignored'
  /** What a parser that fails does, and one that is missing. Without an entry the text of the model is passed on. */
  readonly broken?: (failed: FailedCalls) => BrokenCalls
  readonly withoutParser?: (asked: Asked) => ImitatedError | undefined
}

/** The way in which a request came: its dialect decides what is refused and how errors look. */
export type Way = 'chat' | 'messages' | 'responses' | 'contents'

export type ReasoningField = 'reasoning' | 'reasoning_content'

export type ChoiceNone =
  /** The model is not shown the tools, so it calls none. */
  | 'no calls'
  /** Its calls come as text, with every token. */
  | 'text'
  /** Its calls come as text, and special tokens only where the request asks for them. */
  | 'text without special tokens'
  /** Its calls are cut out of the answer. */
  | 'swallowed'
  /** The choice is not read. */
  | 'ignored'

/** What a request asks of the window, in tokens. */
export interface Sizes {
  readonly prompt: number
  /** The part of the prompt that describes tools. */
  readonly tools: number
  /** The characters of the prompt. */
  readonly characters: number
  /** The limit of the answer that the request names. */
  readonly output: number | undefined
  readonly window: number
}

/** A request for an answer, as far as a server looks at it before its model does. */
export interface Asked {
  readonly body: JsonObject
  /** The name of the model, without the words of the simulator. */
  readonly model: string
  readonly abilities: readonly Ability[]
}

export type Refusal = (asked: Asked) => ImitatedError | undefined

export interface ImitatedError {
  readonly status: number
  readonly message: string
  readonly type?: string
  readonly code?: string | number
  readonly param?: string
  /** Further fields, which stand beside the message. */
  readonly more?: JsonObject
  /** Where a stream was asked for, the status is 200 and the error an event of the stream. */
  readonly inStream?: { readonly event?: string; readonly shape?: ErrorShape }
}

export type ErrorShape = (error: ImitatedError) => unknown

/** An answer that is no answer of the model. A text is sent as it is. */
export interface Said {
  readonly status: number
  readonly body: unknown
  /** The event that ends a stream instead. */
  readonly inStream?: { readonly event?: string; readonly body: unknown }
}

/** Calls that the parser of the server could not read. */
export interface FailedCalls {
  /** The text of the model before its calls. */
  readonly lead: string
  /** The calls as the model wrote them. */
  readonly written: string
  readonly calls: readonly { readonly name: string; readonly arguments: JsonObject }[]
  readonly parser: 'broken' | 'broken-mute'
  readonly isStream: boolean
}

export type BrokenCalls =
  | ImitatedError
  /** The calls are sent without their end, and nothing says so. */
  | 'cut'
  /** They stay in the text of the answer. */
  | 'text'

/** What the routes of a server tell of. */
export interface Place {
  readonly models: readonly string[]
  readonly window: number
  readonly abilities: readonly Ability[]
  readonly parser: Parser
  /** The body of the question, if it has one. */
  readonly asked: JsonObject
  /** The tokens in that body. */
  readonly tokens: number
}
