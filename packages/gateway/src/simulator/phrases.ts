export type PhraseKind = 'quote' | 'command' | 'path' | 'url' | 'email' | 'place' | 'date' | 'number'

/** The phrases in a user's words that can be values of arguments. Each is used once, then they start again. */
export class Phrases {
  readonly #found: ReadonlyMap<PhraseKind, readonly string[]>
  readonly #taken = new Map<PhraseKind, number>()
  readonly #skip: number
  readonly text: string

  /** `skip` is the number of phrases of each kind that earlier calls of the same tool have used. */
  constructor(text: string, skip = 0) {
    this.text = text
    this.#found = findPhrases(text)
    this.#skip = skip
  }

  take(kinds: readonly PhraseKind[]): string | undefined {
    for (const kind of kinds) {
      const phrases = this.#found.get(kind) ?? []
      if (phrases.length === 0) continue
      const taken = this.#taken.get(kind) ?? 0
      this.#taken.set(kind, taken + 1)
      return phrases[(this.#skip + taken) % phrases.length]
    }
    return undefined
  }
}

const pathPattern = /(?<![\w:/])(?:[~.]{0,2}\/[\w.\-/]+|[\w-]+(?:\/[\w.-]+)+|[\w-]+\.[a-z]{1,5}\b)/g

function findPhrases(text: string): ReadonlyMap<PhraseKind, readonly string[]> {
  const quotes = all(
    text,
    /"([^"\n]{1,400})"|“([^”\n]{1,400})”|`([^`\n]{1,400})`|(?<!\w)'([^'\n]{1,400})'(?!\w)/g,
  )
  const urls = all(text, /(https?:\/\/[^\s"'`<>)]+)/g).map(withoutFullStop)
  const emails = all(text, /([\w.+-]+@[\w-]+\.[\w.-]+\w)/g)
  const withoutAddresses = [...urls, ...emails].reduce((rest, found) => rest.replaceAll(found, ' '), text)
  const named = quotes.filter((quote) => !/\s/.test(quote))
  return new Map<PhraseKind, readonly string[]>([
    ['quote', quotes],
    ['command', quotes.filter((quote) => /\s/.test(quote) || !/[./]/.test(quote))],
    ['path', unique([...all(withoutAddresses, pathPattern).map(withoutFullStop), ...named])],
    ['url', urls],
    ['email', emails],
    ['place', unique(places(withoutAddresses))],
    ['date', all(text, /\b(\d{4}-\d{2}-\d{2})\b/g)],
    ['number', all(withoutAddresses, /(?<![\w.-])(-?\d+(?:\.\d+)?)(?![\w.-]*\w)/g)],
  ])
}

const placeName = String.raw`\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)*`
const placesPattern = new RegExp(
  String.raw`\b(?:in|at|for|from|to|near|of)\s+(${placeName}(?:(?:,| and| or|, and)\s+${placeName})*)`,
  'gu',
)

/** Finds capitalised names after a preposition, as in `in Paris, New York and Oslo`. */
function places(text: string): string[] {
  return all(text, placesPattern).flatMap((list) => list.split(/,? and |,? or |, /))
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(
    (match) => match.slice(1).find((group) => group !== undefined) ?? match[0],
  )
}

function withoutFullStop(text: string): string {
  return text.replace(/[.,;:!?]+$/, '')
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)].filter((text) => text !== '')
}
