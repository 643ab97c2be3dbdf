import { DelimitedJson, probeDelimitedJson } from '../engines/delimited-json.ts'
import type { Engine, EngineContext, Probe } from '../engines/engine.ts'
import { NameThenArgs, probeNameThenArgs } from '../engines/name-then-args.ts'
import { type OpeningTag, probeTaggedParams, TaggedParams } from '../engines/tagged-params.ts'
import type { FormatId } from '../formats/format-id.ts'
import type { Grammar } from '../formats/format.ts'

/** One way in which a marker may open a stretch of calls. */
export interface Opening {
  readonly format: FormatId
  readonly grammar: Grammar
  /** The marker opens a section of calls, or a call itself. */
  readonly opens: 'section' | 'call'
  /** The tag that the marker begins, for calls written as tags. */
  readonly tag?: OpeningTag
  /** Salvage: read only for declared names, and only once the call is whole. */
  readonly isSalvage: boolean
}

/** How far behind a marker one may look to see whether it is one. */
const LOOK_AHEAD = 256

/** Whether what follows the marker makes it an opener. `at` is right behind the marker. */
export function probe(opening: Opening, text: string, at: number, final: boolean): Probe {
  // The look-ahead ends at a fixed place: in a longer chunk one must not see farther than in a short one.
  const isCut = text.length >= at + LOOK_AHEAD
  const window = isCut ? text.slice(0, at + LOOK_AHEAD) : text
  return probeWindow(opening, window, at, final || isCut)
}

function probeWindow({ grammar, opens, tag }: Opening, text: string, at: number, final: boolean): Probe {
  switch (grammar.engine) {
    case 'name-then-args':
      return probeNameThenArgs(grammar, opens, text, at, final)
    case 'delimited-json':
      return probeDelimitedJson(text, at, final)
    case 'tagged-params':
      return probeTaggedParams(grammar, tag, text, at, final)
  }
}

export function startEngine({ grammar, opens, tag }: Opening, context: EngineContext): Engine {
  switch (grammar.engine) {
    case 'name-then-args':
      return new NameThenArgs(context, grammar, opens)
    case 'delimited-json':
      return new DelimitedJson(context, grammar)
    case 'tagged-params':
      return new TaggedParams(context, grammar, tag)
  }
}
