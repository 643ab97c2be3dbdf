import type { DelimitedJsonGrammar } from '../engines/delimited-json.ts'
import type { NameThenArgsGrammar } from '../engines/name-then-args-grammar.ts'
import type { TaggedParamsGrammar } from '../engines/tagged-params-grammar.ts'
import type { Marker } from '../text/marker-search.ts'
import type { FormatId } from './format-id.ts'

/** One concrete in-band syntax: the data that an engine runs on. */
export type Grammar = NameThenArgsGrammar | DelimitedJsonGrammar | TaggedParamsGrammar

export interface ReasoningMarkers {
  readonly begin: Marker
  readonly end: Marker
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
  /** Markers around answers that mean nothing to a client. */
  readonly structure: readonly Marker[]
  /** Tokens that end a turn and should never be seen, but are. */
  readonly turnTokens: readonly Marker[]
}
