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
  readonly grammars: readonly Grammar[]
  /** Read only for declared names, and only when the call turned out to be whole. */
  readonly salvage: readonly Grammar[]
  readonly reasoning: readonly ReasoningMarkers[]
  /** How the headers of messages are written, where the answer is made of messages. */
  readonly channels?: ChannelsGrammar
  /** Markers around answers that mean nothing to a client. */
  readonly structure: readonly Marker[]
  /** Plain tags around a whole answer, which mean nothing either: looked for only where the user named the format. */
  readonly wrappers?: readonly { readonly begin: Marker; readonly end: Marker }[]
  /** The end of a prompt that holds the first opener already: the output begins behind it. */
  readonly promptTail?: string
  /** Tokens that end a turn. Servers should never send them, but some do. */
  readonly turnTokens: readonly Marker[]
}
