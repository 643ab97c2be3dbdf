import { skipSpace } from '../../text/space.ts'

/** A tag of an element: `<name>`, `</name>` or `<name/>`, behind a token that says that it is markup. */
export interface ElementTag {
  readonly is: 'open' | 'close' | 'empty'
  readonly name: string
  /** What its closing tag says: not the name, where that is an attribute. */
  readonly word: string
  /** Position behind the tag. */
  readonly end: number
}

const LONGEST_TAG = 256

/** Reads the tag behind the prefix at `at`. `none`: what stands there is text. */
export function readElementTag(
  text: string,
  at: number,
  prefix: string,
  final: boolean,
): ElementTag | 'more' | 'none' {
  const cut = final ? 'none' : 'more'
  const rest = text.slice(at, at + prefix.length)
  if (rest !== prefix) return rest.length < prefix.length && prefix.startsWith(rest) ? cut : 'none'
  const start = skipSpace(text, at + prefix.length)
  if (start - at > LONGEST_TAG) return 'none'
  if (start === text.length) return cut
  if (text.charAt(start) !== '<') return 'none'
  let end = start + 1
  while (end < text.length && end - start < LONGEST_TAG && !/[<>\n]/.test(text.charAt(end))) end++
  if (end === text.length) return cut
  if (text.charAt(end) !== '>') return 'none'
  const inside = text.slice(start + 1, end).trim()
  const isClose = inside.startsWith('/')
  const isEmpty = !isClose && inside.endsWith('/')
  const written = inside.slice(isClose ? 1 : 0, isEmpty ? -1 : undefined).trim()
  // Some fall back to a tag for all, with the name as an attribute.
  const named = /^(\w+)\s+name\s*=\s*["']?([^"']+)["']?$/
  const [, word = written, name = written] = named.exec(written) ?? []
  if (name === '') return 'none'
  return { is: isClose ? 'close' : isEmpty ? 'empty' : 'open', name, word, end: end + 1 }
}
