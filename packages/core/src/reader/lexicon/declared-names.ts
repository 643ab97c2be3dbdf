import type { DelimitedJsonGrammar } from '../../engines/json/grammar.ts'
import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { ToolSet } from '../../engines/tool-set.ts'
import type { FormatId } from '../../formats/format-id.ts'
import type { Format } from '../../formats/format.ts'
import { madeOnce } from '../../text/made-once.ts'
import type { Entry, Vocabulary } from './entry.ts'
import type { Lexicon } from './lexicon.ts'
import type { Opening } from './opening.ts'

/** Agents send the same tools with every request; whoever invents new ones must not fill the memory. */
const rememberedSets = 32

const remembered = madeOnce<Lexicon, Map<string, Lexicon>>(() => new Map())

/**
 * The lexicon with the names of the declared tools as openers, for what a server leaves of a call when it
 * strips every marker. A name counts at the start of an answer, right behind calls, and at the start of a line:
 * anywhere else plain words would have to be held back.
 */
export function withDeclaredNames(lexicon: Lexicon, formats: readonly Format[], tools: ToolSet): Lexicon {
  const [first] = formats
  const owner = first === undefined ? 'none' : ownerIn(first)
  if (owner === 'none') return lexicon
  const names = [...tools.names()].filter((name) => name !== '')
  const key = names.join('\0')
  const known = remembered(lexicon)
  let extended = known.get(key)
  if (extended === undefined) {
    extended = {
      ...lexicon,
      answer: withNames(lexicon.answer, names, owner, ['', ...leads]),
      content: withNames(lexicon.content, names, owner, leads),
    }
    const [oldest] = known.keys()
    if (known.size >= rememberedSets && oldest !== undefined) known.delete(oldest)
    known.set(key, extended)
  }
  return extended
}

interface Owner {
  readonly format: FormatId
  readonly grammar: DelimitedJsonGrammar | NameThenArgsGrammar | TaggedParamsGrammar
}

/** Only a format that was named: for any other, every line and every sentence would have to be looked at. */
const ownerIn = madeOnce(({ id: format, salvage }: Format): Owner | 'none' => {
  for (const grammar of salvage) {
    if ('namePrefixes' in grammar) return { format, grammar }
  }
  return 'none'
})

/** The call may follow the sentence before it in the same line, with a blank or without. */
const leads = ['\n', ...['.', ':', '!', '?'].flatMap((mark) => [mark, `${mark} `])]

function withNames(
  vocabulary: Vocabulary,
  names: readonly string[],
  { format, grammar }: Owner,
  leadsBefore: readonly string[],
): Vocabulary {
  const extended = vocabulary.copy()
  const suffixes = ('nameSuffixes' in grammar ? grammar.nameSuffixes : undefined) ?? ['']
  for (const name of names) {
    const opening: Opening = {
      format,
      grammar,
      opens: 'call',
      header: { id: null, name },
      isSalvage: true,
      isNamed: false,
    }
    for (const lead of leadsBefore) {
      const entry: Entry = { is: 'opener', openings: [{ ...opening, lead: lead.length }] }
      for (const prefix of grammar.namePrefixes ?? []) {
        for (const suffix of suffixes) {
          const marker = lead + prefix + name + suffix
          // What means something already goes on meaning that.
          if (vocabulary.get(marker) === undefined) extended.add(marker, entry)
        }
      }
    }
  }
  return extended
}
