import type { DelimitedJsonGrammar } from '../engines/json/grammar.ts'
import type { KeyValuesGrammar } from '../engines/key-values/grammar.ts'
import type { ChannelsGrammar } from '../engines/messages/grammar.ts'
import type { NameThenArgsGrammar } from '../engines/named/grammar.ts'
import type { PythonicGrammar } from '../engines/pythonic/grammar.ts'
import type { ElementTreeGrammar } from '../engines/tagged/element-grammar.ts'
import type { TaggedParamsGrammar } from '../engines/tagged/grammar.ts'
import type { Marker } from '../text/marker.ts'
import type { FormatId } from './format-id.ts'

/** One concrete in-band syntax: the data that an engine runs on. */
export type Grammar =
  | NameThenArgsGrammar
  | DelimitedJsonGrammar
  | TaggedParamsGrammar
  | ElementTreeGrammar
  | PythonicGrammar
  | KeyValuesGrammar

export interface ReasoningMarkers {
  readonly begin: Marker
  readonly end: Marker
  /** Which of the two markers read like prose: such a marker is looked for only where the user named the format. */
  readonly plain?: 'begin' | 'both'
}

/** How a family of models writes tool calls. */
export interface Format {
  readonly id: FormatId
  readonly title: string
  /** Who writes it, for people. The names that detection goes by are in `model-names.ts`. */
  readonly models: readonly string[]
  /** One call of `get_weather` with `{"city":"Paris"}`: documentation, and the first test. */
  readonly sample: string
  /** When the record was last compared with something, and with what. Left out where nothing is read. */
  readonly checked?: Checked
  readonly grammars: readonly Grammar[]
  /** No model is known by it: where no format was named, its grammars are read only as the salvage of others. */
  readonly isNamedOnly?: true
  /** Read only for declared names, and only when the call turned out to be whole. */
  readonly salvage: readonly Grammar[]
  /** What is left of calls where the server strips special tokens, for each grammar that has some. */
  readonly stripped?: readonly StrippedCall[]
  readonly reasoning: readonly ReasoningMarkers[]
  /** How the headers of messages are written, where the answer is made of messages. */
  readonly channels?: ChannelsGrammar
  /** Markers around answers that mean nothing to a client. */
  readonly structure: readonly Marker[]
  /** Of these: what closes an answer. Inside reasoning that the prompt opened it tells that the model did not reason. */
  readonly answerEnd?: readonly Marker[]
  /** Plain tags around a whole answer, which mean nothing either: looked for only where the user named the format. */
  readonly wrappers?: readonly { readonly begin: Marker; readonly end: Marker }[]
  /** The end of a prompt that holds the first opener already: the output begins behind it. */
  readonly promptTail?: string
  /** Tokens that end a turn. Servers should never send them, but some do. */
  readonly turnTokens: readonly Marker[]
  /** What a conversation has to look like for these models. */
  readonly template?: Template
  /** How these models are told to think. The first entry that fits a model counts; nothing is known of all others. */
  readonly thinking?: readonly ThinkingFamily[]
}

/** A call of `get_weather` with `{"city":"Paris"}` of which the special tokens are gone. */
export interface StrippedCall {
  readonly grammar: string
  readonly left: string
  /** Why it stays text, where it is not read as a call of a declared tool. */
  readonly why?: string
}

/** What is known of a format grows old: a vendor may change a token with any release. */
export interface Checked {
  /** The month, `YYYY-MM`. */
  readonly on: string
  readonly against: string
  readonly proof: readonly Proof[]
}

/**
 * What shows that a record is right. `template`: the corpus holds calls that the chat templates of these models wrote.
 * `engine`: an inference engine reads the syntax, and tests that. `report`: people reported what the models wrote.
 * `proposal`: an engine was offered a parser and has not taken it yet.
 */
export type Proof = 'template' | 'engine' | 'report' | 'proposal'

/** How some models of a format are told whether and how much they shall think, whatever server runs them. */
export interface ThinkingFamily {
  /** Runs over the normalised name, as the patterns of `model-names.ts` do. If left out, it fits every model. */
  readonly models?: RegExp
  /**
   * What a model does that is told nothing. `always`: it cannot be kept from thinking. `never`: it cannot be made to
   * think.
   */
  readonly default: 'on' | 'off' | 'adaptive' | 'always' | 'never'
  /** The arguments of the template that turn thinking on and off. No `off`: nothing has to be said. */
  readonly on?: TemplateArguments
  readonly off?: TemplateArguments
  /** The efforts that the model knows, from little to much. `none` among them: it has to be told that too. */
  readonly efforts?: readonly Effort[]
  /** `argument`: the effort is an argument of the template. Usually servers hand on their own field for it. */
  readonly effortAs?: 'field' | 'argument'
  /** The argument of the template that limits the tokens of thinking. */
  readonly budgetArgument?: string
}

export type TemplateArguments = Readonly<Record<string, string | number | boolean>>

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/**
 * What the chat template of a family, and the servers that run it, want of a conversation that is sent to them.
 * Whatever a record leaves out is as `usualTemplate` has it.
 */
export interface Template {
  /** `alternate`: the template raises an error unless the user begins and the roles alternate. Usually `any`. */
  readonly turns?: 'any' | 'alternate'
  /** `model`: the template raises an error where the user speaks right after a tool. Usually `anyone`. */
  readonly afterTool?: 'anyone' | 'model'
  /**
   * `anywhere`: the template takes several system messages, also in the middle of a conversation. Usually `first`: it
   * takes one, in front. A second one is an error (Qwen, Mistral), or the model is never shown it (MiniMax, gpt-oss).
   */
  readonly system?: 'first' | 'anywhere'
  /** Whether the template knows the role `developer`. Usually it does not, and raises an error or shows nothing. */
  readonly developerRole?: boolean
  /** `keep`: the server takes fields that are null. Usually `drop`: one that checks its fields may not know them. */
  readonly nullFields?: 'keep' | 'drop'
  /** `required`: servers answer 400 to a message that calls tools and holds no reasoning. Usually `optional`. */
  readonly reasoning?: 'required' | 'optional'
  /** `model`: only the very model that wrote a piece of reasoning gets it back. Usually the whole `family` does. */
  readonly reasoningOwner?: 'family' | 'model'
  /**
   * `checked`: in a dialect with signatures the server refuses reasoning that it did not sign. Usually `unchecked`.
   */
  readonly signatures?: 'checked' | 'unchecked'
  /** In what style tool ids are sent. Usually `standard`: any legal id. */
  readonly ids?: 'standard' | 'anthropic' | 'kimi' | 'mistral'
  /**
   * What tools are declared in: a field `function` as OpenAI has it, or flat, with an `input_schema`. Usually the
   * first.
   */
  readonly tools?: 'function' | 'input_schema'
  /**
   * Whether a call in this format proves which family wrote it, because its markers are special tokens. Usually it
   * does not: models write each other's plain-text calls now and then.
   */
  readonly callsProveFamily?: boolean
  /**
   * How ids look that only models of this family write, so that an id of this form proves the family. Usually null: ids
   * are made by servers, and say nothing.
   */
  readonly provingIds?: RegExp | null
}
