import type { TextRoute } from '../../engines/messages/grammar.ts'
import type { FormatId } from '../../formats/format-id.ts'
import type { Grammar } from '../../formats/format.ts'
import type { MarkerSearch } from '../../text/marker-search.ts'
import type { Heading } from './heading.ts'
import type { Opening } from './opening.ts'

/** What a marker means outside of calls. */
export type Entry =
  | { readonly is: 'opener'; readonly openings: readonly Opening[] }
  | { readonly is: 'fence-mark' }
  /** A tag of an element of HTML that holds code. */
  | { readonly is: 'code-tag'; readonly element: string; readonly opens: boolean }
  /** Plain tags around a whole answer. */
  | { readonly is: 'wrapper'; readonly opens: boolean; readonly closes: boolean }
  /** Of these formats: once another one is certain, it is a text like any other. */
  | {
      readonly is: 'reasoning-begin'
      readonly owners: ReadonlySet<FormatId>
      readonly ends: ReadonlySet<string>
      /** The marker reads like prose: it opens reasoning only at the start of an answer. */
      readonly onlyFirst: boolean
    }
  | { readonly is: 'reasoning-end'; readonly owners: ReadonlySet<FormatId>; readonly key: string }
  /**
   * `isBodyEnd`: it ends a message, and means nothing in code unless there are messages. `endsAnswer`: what stands before it
   * was the answer.
   */
  | {
      readonly is: 'structure'
      readonly owners: ReadonlySet<FormatId>
      readonly isBodyEnd: boolean
      readonly endsAnswer: boolean
    }
  /** Stands in the header of a message, in one of these grammars. */
  | {
      readonly is: 'header'
      readonly headings: readonly Heading[]
      readonly as: 'token' | 'first'
    }
  | StrippedEntry
  /** A token that ends a turn. What looks like ordinary text counts only at the very end. */
  | { readonly is: 'turn-token'; readonly onlyAtEnd: boolean; readonly owners: ReadonlySet<FormatId> }
  /**
   * Closes something that is not open, in one of these grammars. `closesJson`: a format writes JSON in front of it. Other
   * tags are words that any answer in XML may have.
   */
  | { readonly is: 'residue'; readonly grammars: readonly Grammar[]; readonly closesJson: boolean }

/** A word that a server leaves of a header when it strips the tokens. */
export interface StrippedEntry {
  readonly is: 'stripped'
  readonly heading: Heading
  /** It begins the header of a call, the first message of an answer, or the next one. */
  readonly begins: 'call' | 'first' | 'next'
  /** What the text behind it is. */
  readonly route: TextRoute
  /** The format was named: then a part of the header is enough. */
  readonly isNamed: boolean
  /** It counts right behind any line break, which may be found with it, and is text. */
  readonly startsLine: boolean
}

/** A set of markers to look for. */
export type Vocabulary = MarkerSearch<Entry>

export interface LexiconOptions {
  /** Tools were offered, or nobody knows. */
  readonly readsCalls: boolean
  /** The names of the tools are known: they tell a call without markers from prose. */
  readonly salvages: boolean
}
