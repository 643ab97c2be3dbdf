import type { ChannelsGrammar } from '../engines/messages/grammar.ts'
import { isRecord, type ToolSet } from '../engines/tool-set.ts'
import { detectFormat } from '../formats/detect.ts'
import { type FormatId, formatIds } from '../formats/format-id.ts'
import type { Format } from '../formats/format.ts'
import { type MarkerOverrides, overrideMarkers } from '../formats/override-markers.ts'
import { forcedArguments, withForcedJson } from '../formats/records/forced.ts'
import { findFormat, formats, getFormat } from '../formats/registry.ts'
import { madeOnce } from '../text/made-once.ts'
import { endsWithMarker, keyOf, type Marker, spelled } from '../text/marker.ts'
import type { ReasoningOpener } from './judges/reasoning-judge.ts'
import { withDeclaredNames } from './lexicon/declared-names.ts'
import type { Heading, PromptHeader } from './lexicon/heading.ts'
import { buildLexicon, type Lexicon } from './lexicon/lexicon.ts'
import type { HeaderOpening } from './lexicon/opening.ts'

export interface ReadingOptions {
  readonly format?: string
  readonly model?: string
  readonly promptOpensReasoning?: boolean | undefined
  readonly promptTail?: string
  readonly toolChoice?: ToolChoice | undefined
  readonly markers?: MarkerOverrides | Partial<Record<FormatId, MarkerOverrides>> | undefined
}

/** Whether the client lets the model choose, demands a call, or names the tool to call. */
export type ToolChoice = 'auto' | 'required' | { readonly name: string }

export interface Reading {
  readonly lexicon: Lexicon
  readonly startsInReasoning: boolean
  /** The marker with which the prompt opened the reasoning, or else any that the expected format has. */
  readonly reasoningOpener: ReasoningOpener | undefined
  /** The prompt ends with the opener of a call or of a text. */
  readonly startsInHeader: boolean
  readonly promptHeader: PromptHeader | undefined
  /** The format that the user named, or that the name of the model suggests. */
  readonly expectedFormat: FormatId | undefined
  /** The call of the one tool that the client named: its arguments may be the whole answer. */
  readonly forced: HeaderOpening | undefined
  readonly isForced: boolean
}

/** Decides what to look for, and whether the output begins inside reasoning. */
export function selectReading(options: ReadingOptions, tools: ToolSet): Reading {
  const told = toldFormat(options)
  const candidates = candidateFormats(options, told)
  const readsCalls = !tools.isKnown || tools.offered > 0
  const salvages = tools.size > 0
  const { toolChoice = 'auto' } = options
  const overridden = withOverrides(candidates, options)
  const isForced = toolChoice !== 'auto'
  const formatsInUse = isForced ? withForcedJson(overridden) : overridden
  const base = cachedLexicon(formatsInUse, readsCalls, salvages)
  const lexicon = salvages ? withDeclaredNames(base, formatsInUse, tools) : base
  const opener = findReasoningOpener(options.promptTail ?? '', formatsInUse)
  const startsInReasoning = options.promptOpensReasoning ?? opener !== undefined
  const reasoningOpener = opener ?? (told && usualOpeners.get(told.id))
  const startsInHeader = candidates[0] !== undefined && endsPrompt(candidates[0], options)
  const promptHeader = findPromptHeader(options, formatsInUse)
  const expectedFormat = told?.grammars.length === 0 ? undefined : told?.id
  const forced = forcedCall(toolChoice, expectedFormat, tools)
  return {
    lexicon,
    startsInReasoning,
    reasoningOpener,
    startsInHeader,
    promptHeader,
    expectedFormat,
    forced,
    isForced,
  }
}

function forcedCall(
  choice: ToolChoice,
  format: FormatId | undefined,
  tools: ToolSet,
): HeaderOpening | undefined {
  if (typeof choice === 'string' || (tools.isKnown && !tools.has(choice.name))) return undefined
  const header = { id: null, name: choice.name }
  const opening = { grammar: forcedArguments, opens: 'body', header, isSalvage: true, isNamed: true } as const
  return { ...opening, format: format ?? 'standard' }
}

/** An explicit format stands alone. Otherwise all are candidates, the one that the name suggests first. */
function candidateFormats(options: ReadingOptions, told: Format | undefined): readonly Format[] {
  if (told !== undefined && isExplicit(options)) return alone.get(told) ?? [told]
  const { id } = told ?? formats.find((each) => endsPrompt(each, options)) ?? { id: 'standard' as const }
  return autoCandidates.get(id) ?? inBand
}

/** The format that was named, or that the name of the model suggests. */
function toldFormat(options: ReadingOptions): Format | undefined {
  const { format, model } = options
  if (format !== undefined && isExplicit(options)) return getFormat(format)
  return model === undefined ? undefined : findFormat(detectFormat(model))
}

function isExplicit({ format }: ReadingOptions): boolean {
  return format !== undefined && format.trim().toLowerCase() !== 'auto'
}

function endsPrompt({ promptTail }: Format, options: ReadingOptions): boolean {
  return promptTail !== undefined && options.promptTail?.endsWith(promptTail) === true
}

const inBand = formats.filter((format) => format.grammars.length > 0 && format.isNamedOnly !== true)

const autoCandidates: ReadonlyMap<FormatId, readonly Format[]> = new Map(
  formatIds.map((id) => {
    const first = inBand.find((format) => format.id === id)
    return [id, first === undefined ? inBand : [first, ...inBand.filter((format) => format !== first)]]
  }),
)

const alone: ReadonlyMap<Format, readonly Format[]> = new Map(formats.map((format) => [format, [format]]))

const lexicons = madeOnce<readonly Format[], Map<string, Lexicon>>(() => new Map())

/** Building a lexicon takes longer than reading a short answer; there are only a few. */
function cachedLexicon(candidates: readonly Format[], readsCalls: boolean, salvages: boolean): Lexicon {
  const byOptions = lexicons(candidates)
  const name = `${readsCalls},${salvages}`
  const lexicon = byOptions.get(name) ?? buildLexicon(candidates, { readsCalls, salvages })
  byOptions.set(name, lexicon)
  return lexicon
}

const rememberedOverrides = madeOnce<object, Map<readonly Format[], readonly Format[]>>(() => new Map())

/** The same overrides come with every request of a gateway: they are worked in once. */
function withOverrides(candidates: readonly Format[], { markers }: ReadingOptions): readonly Format[] {
  if (markers === undefined) return candidates
  const known = rememberedOverrides(markers)
  const result = known.get(candidates) ?? overrideAll(candidates, markers)
  known.set(candidates, result)
  return result
}

function overrideAll(
  candidates: readonly Format[],
  markers: MarkerOverrides | Partial<Record<FormatId, MarkerOverrides>>,
): readonly Format[] {
  const [first] = candidates
  if (isByFormat(markers)) {
    for (const id of Object.keys(markers)) getFormat(id)
    return candidates.map((format) => {
      const own = markers[format.id]
      return own === undefined ? format : overrideMarkers(format, own)
    })
  }
  return candidates.map((format) => (format === first ? overrideMarkers(format, markers) : format))
}

function isByFormat(
  markers: MarkerOverrides | Partial<Record<FormatId, MarkerOverrides>>,
): markers is Partial<Record<FormatId, MarkerOverrides>> {
  const values = Object.values(markers)
  return values.length > 0 && values.every((value) => isRecord(value))
}

/** A gateway cannot see the prompt; who can, may pass its end. */
function findReasoningOpener(promptTail: string, candidates: readonly Format[]): ReasoningOpener | undefined {
  if (promptTail === '') return undefined
  const tail = promptTail.trimEnd()
  const owners = new Set<FormatId>()
  const ends = new Set<string>()
  for (const { id, reasoning } of candidates) {
    for (const { begin, end } of reasoning) {
      if (!endsWithMarker(tail, begin)) continue
      owners.add(id)
      ends.add(keyOf(end))
    }
  }
  return owners.size === 0 ? undefined : { owners, ends }
}

/** What opens reasoning in a format. Where headers do, nothing is known. */
const usualOpeners: ReadonlyMap<FormatId, ReasoningOpener> = new Map(
  formats
    .filter(({ reasoning }) => reasoning.length > 0)
    .map(({ id, reasoning }) => [
      id,
      { owners: new Set([id]), ends: new Set(reasoning.map(({ end }) => keyOf(end))) },
    ]),
)

/** The header that the prompt begins and does not end. `promptOpensReasoning` has the last word on one that is whole. */
function findPromptHeader(
  { promptTail = '', promptOpensReasoning }: ReadingOptions,
  candidates: readonly Format[],
): PromptHeader | undefined {
  if (promptTail === '') return undefined
  const headings: Heading[] = []
  let start = -1
  for (const [index, { id: format, channels, grammars }] of candidates.entries()) {
    if (channels === undefined) continue
    const at = Math.max(...channels.messageBegin.map((marker) => promptTail.lastIndexOf(spelled(marker))))
    if (at < 0 || at < start || !isOpenHeader(channels, promptTail.slice(at), promptOpensReasoning)) continue
    if (at > start) headings.length = 0
    start = at
    headings.push({ format, channels, grammars, isNamed: index === 0 })
  }
  return start < 0 ? undefined : { text: promptTail.slice(start), headings }
}

function isOpenHeader(channels: ChannelsGrammar, header: string, isTold: boolean | undefined): boolean {
  const holds = (markers: readonly Marker[]): boolean =>
    markers.some((each) => header.includes(spelled(each)))
  const isWhole = [channels.bodyBegin, channels.reasoningBegin, channels.contentBegin].some(holds)
  return !holds(channels.bodyEnd) && !(isWhole && isTold !== undefined)
}
