import { DelimitedJson, probeDelimitedJson } from '../engines/delimited-json.ts'
import type { Engine, EngineContext, Probe } from '../engines/engine.ts'
import { NameThenArgs } from '../engines/name-then-args.ts'
import { probeNameThenArgs } from '../engines/name-then-args-grammar.ts'
import { TaggedParams } from '../engines/tagged-params.ts'
import { type OpeningTag, probeTaggedParams } from '../engines/tagged-params-grammar.ts'
import type { FormatId } from '../formats/format-id.ts'
import type { Grammar } from '../formats/format.ts'

/** One way in which a marker may open a stretch of calls. */
export interface Opening {
  readonly format: FormatId
  readonly grammar: Grammar
  /** The marker opens a section of calls, or a call, or is where the bare call itself begins. */
  readonly opens: 'section' | 'call' | 'bare'
  /** The tag that the marker begins, for calls written as tags. */
  readonly tag?: OpeningTag
  /** Salvage: read only for declared names, and only once the call is whole. */
  readonly isSalvage: boolean
}

/** How many characters may be held to see whether a marker is an opener, the marker included. */
const LONGEST_OPENER = 256

/** Whether what follows the marker at `at` makes it an opener. */
export function probe(opening: Opening, text: string, at: number, length: number, final: boolean): Probe {
  // The look-ahead ends at a fixed place: in a longer chunk one must not see farther than in a short one.
  const end = at + LONGEST_OPENER
  const isCut = text.length >= end
  return probeWindow(opening, isCut ? text.slice(0, end) : text, at + length, final || isCut)
}

function probeWindow({ grammar, opens, tag }: Opening, text: string, at: number, final: boolean): Probe {
  switch (grammar.engine) {
    case 'name-then-args':
      return probeNameThenArgs(grammar, opens === 'section' ? 'section' : 'call', text, at, final)
    case 'delimited-json':
      return probeDelimitedJson(grammar, text, at, final)
    case 'tagged-params':
      return probeTaggedParams(grammar, tag, text, at, final)
  }
}

export function startEngine({ grammar, opens, tag }: Opening, context: EngineContext): Engine {
  switch (grammar.engine) {
    case 'name-then-args':
      return new NameThenArgs(context, grammar, opens === 'section' ? 'section' : 'call')
    case 'delimited-json':
      return new DelimitedJson(context, grammar)
    case 'tagged-params':
      return new TaggedParams(context, grammar, tag)
  }
}
