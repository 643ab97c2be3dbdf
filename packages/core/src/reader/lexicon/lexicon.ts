import { headerBeginnings } from '../../engines/messages/grammar.ts'
import type { FormatId } from '../../formats/format-id.ts'
import type { Format, Grammar, ReasoningMarkers } from '../../formats/format.ts'
import { MarkerSearch } from '../../text/marker-search.ts'
import { keyOf, type Marker, markerOf } from '../../text/marker.ts'
import { collectOpenings, headerOpenings } from './collect-openings.ts'
import type { Entry, LexiconOptions, Vocabulary } from './entry.ts'
import type { Heading } from './heading.ts'
import { type HeaderOpening, type Opening, opensLines, opensOnlyFirst } from './opening.ts'
import { codeNotes, lineNotes } from '../line.ts'
import { addStripped } from './stripped-entries.ts'

/** Everything that is looked for outside of calls, by where in the output one is. */
export interface Lexicon {
  /** At the start of an answer: only there can a call stand without any marker. */
  readonly answer: Vocabulary
  readonly content: Vocabulary
  /** In text that was already found to be no call: plain-text openers do not count. */
  readonly triedContent: Vocabulary
  /** Inside a code fence: only special tokens count. */
  readonly fencedContent: Vocabulary
  readonly reasoning: Vocabulary
  /** Headers with which an output may begin, without any marker. */
  readonly headers: readonly HeaderOpening[]
  readonly triedReasoning: Vocabulary
  /** For answers that have lost the tokens of their headers. */
  readonly stripped: () => { readonly content: Vocabulary; readonly reasoning: Vocabulary }
  /** Answers of the format that was named are made of messages. */
  readonly beginsWithHeader: boolean
  /** Nothing at all is looked for: text can be passed on unseen. */
  readonly isEmpty: boolean
  readonly readsCalls: boolean
  /** A marker may tell that what was taken for reasoning was the answer. */
  readonly endsAnswers: boolean
  readonly grammars: ReadonlyMap<FormatId, readonly Grammar[]>
}

/** Text may hold these as well (`<s>` is struck-through text in HTML), so they end a turn only at the very end. */
const onlyAtEnd: ReadonlySet<string> = new Set(['</s>', '</assistant>', '[EOS]'])

export function buildLexicon(formats: readonly Format[], options: LexiconOptions): Lexicon {
  const openers = options.readsCalls
    ? collectOpenings(formats, options.salvages)
    : new Map<string, Opening[]>()
  const headers = headerOpenings(formats[0], options.salvages)
  const residue = options.readsCalls ? residueIn(formats) : []
  const turnTokens = options.readsCalls ? turnTokensIn(formats) : []
  const isEmpty = openers.size === 0 && headers.length === 0 && formats.every(hasOnlyContent)
  const build = (where: Where): Vocabulary => {
    const isFenced = where === 'fencedContent'
    const isReasoning = where === 'reasoning' || where === 'triedReasoning'
    const search = new MarkerSearch<Entry>(notesFor(where, openers))
    if (!isFenced) for (const [marker, entry] of residue) search.add(marker, entry)
    for (const [marker, owners] of turnTokens) {
      // Code may hold the text of such a token. At the very end it ends the turn, even in a fence that was never closed.
      search.add(marker, { is: 'turn-token', onlyAtEnd: isFenced || onlyAtEnd.has(keyOf(marker)), owners })
    }
    addStructure(search, formats, where)
    addHeadings(search, formats, where)
    for (const [key, openings] of openers) {
      const usable = openings.filter((opening) => isReadIn(where, opening))
      const marker = markerOf(key)
      // Others may write calls in a tag in which the expected format wraps its answers.
      const isWrapper = search.get(marker)?.is === 'wrapper'
      if (usable.length > 0 && !isWrapper) search.add(marker, { is: 'opener', openings: usable })
    }
    if (where === 'content') addTrailing(search, openers, formats[0]?.id)
    if (!isEmpty && !isReasoning) {
      for (const mark of ['`', '~']) search.addRun(mark, { is: 'fence-mark' })
      if (openers.size > 0 && !isFenced) addCodeTags(search)
    }
    if (where === 'answer' || where === 'content') addStripped(search, formats, where, options)
    return search
  }
  const buildExpected = (where: 'content' | 'reasoning'): Vocabulary => {
    const search = build(where)
    addStripped(search, formats, `expected ${where}`, options)
    return search
  }
  return {
    answer: build('answer'),
    content: build('content'),
    triedContent: build('triedContent'),
    fencedContent: build('fencedContent'),
    reasoning: build('reasoning'),
    triedReasoning: build('triedReasoning'),
    stripped: once(() => ({ content: buildExpected('content'), reasoning: buildExpected('reasoning') })),
    headers,
    beginsWithHeader: formats[0]?.channels !== undefined,
    isEmpty,
    readsCalls: options.readsCalls,
    endsAnswers: formats.some(({ answerEnd }) => answerEnd !== undefined),
    grammars: new Map(formats.map(({ id, grammars }) => [id, grammars])),
  }
}

/** A call in such an element is shown, and not meant. */
function addCodeTags(search: MarkerSearch<Entry>): void {
  for (const element of ['pre', 'code']) {
    for (const opener of [`<${element}>`, `<${element} `]) {
      search.add(opener, { is: 'code-tag', element, opens: true })
    }
    search.add(`</${element}>`, { is: 'code-tag', element, opens: false })
  }
}

type Where = Exclude<
  keyof Lexicon,
  'beginsWithHeader' | 'isEmpty' | 'endsAnswers' | 'readsCalls' | 'headers' | 'grammars' | 'stripped'
>

/** In code and in thoughts nobody asks about lines. Of a quoted one only plain text is an example, so that it matters only where such is read. */
function notesFor(where: Where, openers: ReadonlyMap<string, readonly Opening[]>): readonly string[] {
  if (where === 'fencedContent' || where === 'reasoning' || where === 'triedReasoning') return []
  const usable = [...openers.values()].flat().filter((opening) => isReadIn(where, opening))
  return usable.some(({ grammar }) => !grammar.isSpecial) ? lineNotes : codeNotes
}

/** Makes the value when it is first asked for: few answers need it. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

function hasOnlyContent(format: Format): boolean {
  return format.reasoning.length === 0 && format.channels === undefined
}

function isReadIn(where: Where, opening: Opening): boolean {
  if (opening.grammar.isSpecial || where === 'answer') return true
  if (opening.opens === 'bare') return where === 'content' && opensLines(opening)
  if (opensOnlyFirst(opening)) return false
  if (where === 'content') return true
  return where === 'reasoning' && !opening.isSalvage
}

/**
 * JSON that no marker announces may stand behind prose. Code is full of brackets: what is looked for is the bracket with
 * the key of a name behind it. Over several lines it has to begin one, or every bracket at the end of a line of code
 * would be held.
 */
function addTrailing(
  search: MarkerSearch<Entry>,
  openers: ReadonlyMap<string, readonly Opening[]>,
  named: FormatId | undefined,
): void {
  const bare = [...openers.values()].flat().filter(({ opens, isSalvage }) => opens === 'bare' && isSalvage)
  for (const opening of bare) {
    const { grammar } = opening
    const add = (marker: string, openings: readonly Opening[]): void => {
      if (search.get(marker) === undefined) search.add(marker, { is: 'opener', openings })
    }
    // A list of calls by name is looked for only where its format was named: links and lists in prose begin so too.
    if (grammar.engine === 'pythonic' && opening.format === named) add('[', [opening])
    if (grammar.engine !== 'delimited-json') continue
    for (const key of grammar.envelope.nameKeys) {
      for (const start of startsOfLines) {
        search.addToLines(`${start}"${key}"`, { is: 'opener', openings: [opening] })
      }
      for (const start of startsInLine) add(`${start}"${key}"`, [opening])
    }
  }
}

/** How objects and lists of them begin in one line. */
const startsInLine: readonly string[] = ['{', '{ ', '[{', '[{ ', '[ {', '[ { ']

/** How they begin as printers of JSON indent them. */
const startsOfLines: readonly string[] = ['', '  ', '    ', '\t'].flatMap((indent) => [
  `{\n${indent}`,
  `[{\n${indent}`,
  `[\n${indent}{`,
  `[\n${indent}{ `,
  `[\n${indent}{\n${indent}${indent}`,
])

/** Every token that ends a turn, and whose it is. */
function turnTokensIn(formats: readonly Format[]): (readonly [Marker, ReadonlySet<FormatId>])[] {
  const tokens = new Map<string, Set<FormatId>>()
  for (const format of formats) {
    for (const marker of format.turnTokens) {
      const key = keyOf(marker)
      const owners = tokens.get(key) ?? new Set()
      tokens.set(key, owners.add(format.id))
    }
  }
  return [...tokens].map(([key, owners]) => [markerOf(key), owners] as const)
}

function addStructure(search: MarkerSearch<Entry>, formats: readonly Format[], where: Where): void {
  for (const [index, format] of formats.entries()) {
    if (where === 'fencedContent') break
    for (const { begin, end, plain } of format.reasoning) {
      if (plain === undefined) addReasoningBegin(search, { begin, end }, format.id, false)
      if (plain !== 'both') addReasoningEnd(search, end, format.id)
    }
    if (index === 0) addPlainStructure(search, format, where)
  }
  // What is structure to one ends the turn or the reasoning of another; as structure it does both.
  const add = (marker: Marker, id: FormatId, isBodyEnd: boolean, endsAnswer: boolean): void => {
    const others = formats.filter((format) =>
      format.turnTokens.some((token) => keyOf(token) === keyOf(marker)),
    )
    const owners = ownersWith(search.get(marker), id, ...others.map((format) => format.id))
    search.add(marker, { is: 'structure', owners, isBodyEnd, endsAnswer })
  }
  for (const { id, channels } of formats) {
    for (const marker of channels?.bodyEnd ?? []) add(marker, id, true, false)
  }
  for (const [index, { id, structure, answerEnd = [], grammars }] of formats.entries()) {
    // What looks like prose is structure only where its format was named.
    if (index > 0 && grammars.every(({ isSpecial }) => !isSpecial)) continue
    const ends = new Set(answerEnd.map(keyOf))
    for (const marker of structure) add(marker, id, false, ends.has(keyOf(marker)))
  }
}

function addReasoningBegin(
  search: MarkerSearch<Entry>,
  { begin, end }: ReasoningMarkers,
  id: FormatId,
  onlyFirst: boolean,
): void {
  const known = search.get(begin)
  const ends = new Set([...(known?.is === 'reasoning-begin' ? known.ends : []), keyOf(end)])
  search.add(begin, { is: 'reasoning-begin', owners: ownersWith(known, id), ends, onlyFirst })
}

function addReasoningEnd(search: MarkerSearch<Entry>, end: Marker, id: FormatId): void {
  search.add(end, { is: 'reasoning-end', owners: ownersWith(search.get(end), id), key: keyOf(end) })
}

function ownersWith(entry: Entry | undefined, ...ids: readonly FormatId[]): ReadonlySet<FormatId> {
  return new Set([...(entry !== undefined && 'owners' in entry ? entry.owners : []), ...ids])
}

/** What reads like prose counts only where it is expected: the beginning at the start of an answer. */
function addPlainStructure(search: MarkerSearch<Entry>, format: Format, where: Where): void {
  const isReasoning = where === 'reasoning' || where === 'triedReasoning'
  for (const { begin, end, plain } of format.reasoning) {
    if (plain !== undefined && where === 'answer') addReasoningBegin(search, { begin, end }, format.id, true)
    if (plain === 'both' && isReasoning) addReasoningEnd(search, end, format.id)
  }
  for (const { begin, end } of format.wrappers ?? []) {
    const isBoth = keyOf(begin) === keyOf(end)
    if (!isReasoning) search.add(end, { is: 'wrapper', opens: isBoth, closes: true })
    if (where === 'answer' && !isBoth) search.add(begin, { is: 'wrapper', opens: true, closes: false })
  }
}

/** A header may lack its beginning at the start of an answer, where the prompt holds it: there a recipient is enough. */
function addHeadings(search: MarkerSearch<Entry>, formats: readonly Format[], where: Where): void {
  const add = (marker: Marker, heading: Heading, as: 'token' | 'first'): void => {
    const known = search.get(marker)
    const headings = known?.is === 'header' ? known.headings : []
    search.add(marker, { is: 'header', headings: [...headings, heading], as })
  }
  for (const [index, { id: format, channels, grammars }] of formats.entries()) {
    if (channels === undefined) continue
    const heading: Heading = { format, channels, grammars, isNamed: index === 0 }
    for (const marker of headerBeginnings(channels)) add(marker, heading, 'token')
    if (where === 'answer' && channels.recipientMark !== undefined)
      add(channels.recipientMark, heading, 'first')
  }
}

/** Every closing marker, and the grammars in which it closes something. */
function residueIn(formats: readonly Format[]): (readonly [Marker, Entry])[] {
  const closers = new Map<string, Set<Grammar>>()
  const all = new Set(
    formats.flatMap(({ grammars, salvage }) => [...grammars, ...salvage.filter(hasMarkers)]),
  )
  for (const grammar of all) {
    for (const marker of closingMarkers(grammar)) {
      const key = keyOf(marker)
      // What closes a call there opens code as well, or all code would have to be looked at for it.
      if (/^[`\\]/.test(key)) continue
      const grammars = closers.get(key) ?? new Set()
      closers.set(key, grammars.add(grammar))
    }
  }
  const native = new Set(formats.flatMap(({ grammars }) => grammars))
  return [...closers].map(([key, closed]) => {
    const grammars = [...closed]
    const closesJson = grammars.some((grammar) => grammar.engine === 'delimited-json' && native.has(grammar))
    return [markerOf(key), { is: 'residue', grammars, closesJson }] as const
  })
}

/** Whether a marker closes a call in this grammar, and not a bracket that prose is full of. */
function hasMarkers(grammar: Grammar): boolean {
  return !('isPlain' in grammar && grammar.isPlain)
}

/** In brackets a separator reads like prose: alone it is a word. */
function isToken(marker: Marker): boolean {
  return !keyOf(marker).startsWith('[')
}

function closingMarkers(grammar: Grammar): readonly Marker[] {
  switch (grammar.engine) {
    case 'delimited-json':
    case 'key-values':
      return grammar.callEnd
    case 'pythonic':
      return grammar.isFence === true ? [] : grammar.sectionEnd
    case 'name-then-args':
      return [
        ...grammar.callEnd,
        ...grammar.sectionEnd,
        ...(grammar.isPlain === true ? [] : grammar.separator.filter(isToken)),
      ]
    case 'tagged-params':
      return [...grammar.parameterEnd, ...grammar.callEnd, ...grammar.sectionEnd, ...(grammar.keyEnd ?? [])]
    case 'element-tree':
      return [...grammar.callEnd, ...grammar.sectionEnd, grammar.prefix]
  }
}
