import type { Engine, EngineContext, Probe } from '../../engines/engine.ts'
import { DelimitedJson } from '../../engines/json/delimited-json.ts'
import { probeDelimitedJson, probeEnvelope, usualEnvelope } from '../../engines/json/grammar.ts'
import { probeKeyValues } from '../../engines/key-values/grammar.ts'
import { KeyValues } from '../../engines/key-values/key-values.ts'
import type { CallHeader } from '../../engines/named/call-header.ts'
import {
  type NameThenArgsGrammar,
  probeFirstHeader,
  probeNamedArguments,
  probeNameThenArgs,
} from '../../engines/named/grammar.ts'
import { NameThenArgs } from '../../engines/named/name-then-args.ts'
import { probeFirstCall, probePythonic, type PythonicGrammar } from '../../engines/pythonic/grammar.ts'
import { Pythonic } from '../../engines/pythonic/pythonic.ts'
import { probeElementTree } from '../../engines/tagged/element-grammar.ts'
import { ElementTree } from '../../engines/tagged/element-tree.ts'
import {
  markersOf,
  type OpeningTag,
  probeNamedParameters,
  probeTaggedParams,
} from '../../engines/tagged/grammar.ts'
import { withSuffixOf } from '../../engines/tagged/learned-suffix.ts'
import { TaggedParams } from '../../engines/tagged/tagged-params.ts'
import type { ToolSet } from '../../engines/tool-set.ts'
import type { FormatId } from '../../formats/format-id.ts'
import type { Grammar } from '../../formats/format.ts'
import { forcedArguments } from '../../formats/records/forced.ts'

/** One way in which a marker may open a stretch of calls. */
export interface Opening {
  readonly format: FormatId
  readonly grammar: Grammar
  /** The marker opens a section of calls, or a call, or is where the bare call itself begins; or it ends the header of a call. */
  readonly opens: 'section' | 'call' | 'bare' | 'body'
  /** The tag that the marker begins, for calls written as tags. */
  readonly tag?: OpeningTag
  /** How much of the marker stands in front of what it opens, and is text. */
  readonly lead?: number
  /** The name and id of the call, where its header was read already. */
  readonly header?: CallHeader
  /** Salvage: read only for declared names, and only once the call is whole. */
  readonly isSalvage: boolean
  /** The format was named, by the user or by the model's name: what prose could hold as well is then expected. */
  readonly isNamed: boolean
}

/** A header, or a call by its name alone, with which the output begins. */
export interface HeaderOpening extends Opening {
  readonly grammar: NameThenArgsGrammar | PythonicGrammar
}

/** A list of calls by name can be told from prose at the start of any line, if such lists are expected. */
export function opensLines({ grammar, isNamed, isSalvage }: Opening): boolean {
  return grammar.engine === 'pythonic' && isNamed && !isSalvage
}

/** JSON without any marker shows no syntax. */
export function isUnmarkedJson({ grammar, opens, isSalvage }: Opening): boolean {
  if (opens === 'body') return grammar === forcedArguments
  return isSalvage && opens === 'bare' && grammar.engine === 'delimited-json'
}

/** An arrow in the middle of a text may be anything, unless the user named the format whose answers begin with it. */
export function opensOnlyFirst({ grammar, isNamed }: Opening): boolean {
  return grammar.engine === 'name-then-args' && grammar.isFirst === true && !isNamed
}

/** Whether the output begins with a call that nothing announces. */
export function probeFirst(
  { grammar }: HeaderOpening,
  tools: ToolSet,
  text: string,
  at: number,
  final: boolean,
): ReturnType<typeof probeFirstHeader> {
  if (grammar.engine === 'pythonic') return probeFirstCall(tools, text, at, final)
  return probeFirstHeader(grammar, tools, text, at, final)
}

/** Whether an object stands there that is no call with a name of its own. */
export function probeForced(text: string, at: number, final: boolean): Probe {
  if (at === text.length) return final ? 'no' : 'more'
  if (text.charAt(at) !== '{') return 'no'
  const end = at + LONGEST_OPENER
  const isCut = text.length >= end
  const envelope = probeEnvelope(
    usualEnvelope,
    () => true,
    isCut ? text.slice(0, end) : text,
    at,
    final || isCut,
  )
  return envelope === 'more' ? 'more' : envelope === 'yes' ? 'no' : 'yes'
}

/** Whether what stands at `at` belongs inside of the section that was opened, so that it opens nothing else. */
export function belongsInside(
  { grammar, opens }: Opening,
  text: string,
  at: number,
  final: boolean,
): boolean {
  if (grammar.engine !== 'tagged-params' || opens !== 'section') return false
  const { all } = markersOf(grammar)
  return all.match(text, at, final) > 0 && all.found.is === 'call-begin'
}

/** Whether the end of a section stands at `at`, behind a call for which no section was opened. */
export function closesSection(
  { grammar, opens }: Opening,
  text: string,
  at: number,
  final: boolean,
): boolean {
  if (grammar.engine !== 'tagged-params' || opens !== 'call') return false
  const { all } = markersOf(grammar)
  return all.match(text, at, final) > 0 && all.found.is === 'section-end'
}

/** How many characters may be held to see whether a marker is an opener, the marker included. */
export const LONGEST_OPENER = 256

/** Whether what follows the marker at `at` makes it an opener. */
export function probe(
  opening: Opening,
  tools: ToolSet,
  text: string,
  at: number,
  length: number,
  final: boolean,
): Probe {
  // The look-ahead ends at a fixed place: in a longer chunk one must not see farther than in a short one.
  const end = at + LONGEST_OPENER
  const isCut = text.length >= end
  return probeWindow(opening, tools, isCut ? text.slice(0, end) : text, at + length, final || isCut)
}

/** Whether a call of an offered tool begins at `at`, behind prose and without a marker. */
export function probeTrailing(
  { grammar }: Opening,
  tools: ToolSet,
  text: string,
  at: number,
  final: boolean,
): Probe {
  const end = at + LONGEST_OPENER
  const isCut = text.length >= end
  const window = isCut ? text.slice(0, end) : text
  if (grammar.engine === 'delimited-json') {
    return probeEnvelope(grammar.envelope, (name) => tools.has(name), window, at, final || isCut)
  }
  return grammar.engine === 'pythonic' ? probeFirstCall(tools, window, at + 1, final || isCut) : 'no'
}

function probeWindow(opening: Opening, tools: ToolSet, text: string, at: number, final: boolean): Probe {
  const { grammar, opens, tag, isNamed } = opening
  const isOffered = (name: string): boolean => !tools.isKnown || tools.has(name)
  switch (grammar.engine) {
    case 'name-then-args': {
      if (grammar.namePrefixes !== undefined) return probeNamedArguments(text, at, final)
      const accepts = (name: string): boolean => isNamed || isOffered(name)
      return probeNameThenArgs(grammar, opens === 'section' ? 'section' : 'call', accepts, text, at, final)
    }
    case 'delimited-json':
      return probeDelimitedJson(grammar, isOffered, text, at, final)
    case 'pythonic':
      return probePythonic(grammar, opens === 'bare' ? 'bare' : 'section', tools, text, at, final)
    case 'key-values':
      return probeKeyValues(grammar, (name) => tools.has(name), text, at, final)
    case 'tagged-params': {
      if (grammar.namePrefixes !== undefined) return probeNamedParameters(grammar, text, at, final)
      const accepts = (name: string): boolean => (isNamed && grammar.isPlain !== true) || isOffered(name)
      const declares = (name: string): boolean => tools.has(name)
      return probeTaggedParams(grammar, tag, { accepts, declares }, text, at, final)
    }
    case 'element-tree':
      return probeElementTree(grammar, tag, text, at, final)
  }
}

/** `opener`: the marker as it is written. */
export function startEngine(
  { grammar, opens, tag, header }: Opening,
  opener: string,
  context: EngineContext,
): Engine {
  switch (grammar.engine) {
    case 'name-then-args':
      return new NameThenArgs(context, grammar, header ?? (opens === 'section' ? 'section' : 'call'))
    case 'delimited-json':
      return new DelimitedJson(context, grammar)
    case 'pythonic':
      return new Pythonic(context, grammar, opens === 'bare' ? 'bare' : 'section')
    case 'key-values':
      return new KeyValues(context, grammar)
    case 'tagged-params':
      return new TaggedParams(context, withSuffixOf(opener, grammar), tag, header?.name ?? null)
    case 'element-tree':
      return new ElementTree(context, grammar, tag)
  }
}
