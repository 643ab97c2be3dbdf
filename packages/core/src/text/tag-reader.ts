import { matchTag, NONE, PARTIAL, spelled, type TagMarker } from './marker.ts'
import { type NameText, readKey, readWord, type TypeTags } from './name-text.ts'
import { isSpace, skipSpace } from './space.ts'

/** How the inside of a tag is written, behind the marker that opens it. */
export interface TagShape {
  readonly name: NameShape
  /** What ends the tag. */
  readonly end: TagMarker
  /** Further attributes that mean something, or are known to mean nothing. */
  readonly attributes?: readonly string[]
  /** Of a `word`: what closes the first key, whose opening tag may be forgotten. */
  readonly keyEnd?: TagMarker
  /** Attribute values are written with `&quot;` and `&amp;`. */
  readonly isEscaped?: boolean
}

/**
 * `inline`: the rest of the tag is the name, `<function=NAME>`. `word`: the name is the word behind the tag,
 * `<tool_call>NAME`; then `end` may be missing. `around`: the name stands between these tags, and `end` opens
 * its value; a type may stand between the two, which becomes the attribute `type`. Otherwise: the attribute that holds it, which may be left out where `isOptional` says so.
 */
export type NameShape =
  | 'inline'
  | 'word'
  | { readonly around: readonly TagMarker[]; readonly typeTags?: TypeTags }
  | { readonly attribute: string; readonly isOptional?: boolean }

export interface Tag {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly isSelfClosing: boolean
  /** Of a key with tags of its own: the tag of its value is missing, or the value is. */
  readonly value?: NameText['value']
  /** Position behind the tag. */
  readonly end: number
}

/** Longer text is not a tag. */
const LONGEST_TAG = 1024

/** Reads a tag from behind its opening marker. */
export function readTag(text: string, at: number, shape: TagShape, final: boolean): Tag | 'more' | 'bad' {
  const tag = readShape(text, at, shape, final)
  if (tag !== 'more') return tag
  return final || text.length - at > LONGEST_TAG ? 'bad' : 'more'
}

function readShape(text: string, at: number, shape: TagShape, final: boolean): Tag | 'more' | 'bad' {
  const { name } = shape
  if (name === 'inline') return readInline(text, at, shape)
  if (name === 'word') return asTag(readWord(text, at, shape.end, shape.keyEnd, final))
  if ('around' in name) return asTag(readKey(text, at, name.around, shape.end, name.typeTags))
  return readAttributes(text, at, shape, name)
}

export const noAttributes: ReadonlyMap<string, string> = new Map()

function asTag(name: NameText | 'more' | 'bad'): Tag | 'more' | 'bad' {
  if (typeof name === 'string') return name
  const { type, ...read } = name
  const attributes = type === undefined ? noAttributes : new Map([['type', type]])
  return { ...read, attributes, isSelfClosing: false }
}

function readInline(text: string, at: number, shape: TagShape): Tag | 'more' | 'bad' {
  let end = at
  let length = NONE
  while (end < text.length && (length = matchTag(text, end, shape.end)) <= NONE) {
    if (length === PARTIAL) return 'more'
    const code = text.charCodeAt(end)
    if (code === 10 || code === 60 || end - at > LONGEST_TAG) return 'bad'
    end++
  }
  if (end === text.length) return 'more'
  const inside = text.slice(at, end).trim()
  const isSelfClosing = inside.endsWith('/')
  const written = isSelfClosing ? inside.slice(0, -1).trim() : inside
  const extra = /^(\S+)\s+([\w-]+)=["']?([^"']*)["']?$/.exec(written)
  const name = unquote(extra?.[1] ?? written)
  if (name === '') return 'bad'
  const attributes = new Map<string, string>()
  if (extra?.[2] !== undefined) attributes.set(extra[2], extra[3] ?? '')
  return { name, attributes, isSelfClosing, end: end + length }
}

function readAttributes(
  text: string,
  at: number,
  shape: TagShape,
  { attribute, isOptional }: Extract<NameShape, { attribute: string }>,
): Tag | 'more' | 'bad' {
  const attributes = new Map<string, string>()
  let bareName: string | undefined
  let isSelfClosing = false
  let length = NONE
  for (;;) {
    at = skipSpace(text, at)
    length = matchTag(text, at, shape.end)
    if (at === text.length || length === PARTIAL) return 'more'
    if (length > NONE) break
    if (text.charAt(at) === '/') {
      isSelfClosing = true
      at++
      continue
    }
    const bare =
      isOptional === true && attributes.size === 0 && bareName === undefined
        ? readBareName(text, at)
        : undefined
    if (bare === 'more') return 'more'
    if (bare !== undefined) bareName = bare.name
    const next = bare?.end ?? readAttribute(text, at, shape, attributes)
    if (typeof next === 'string') return next
    at = next
  }
  const name = plainName(attributes.get(attribute) ?? bareName ?? '')
  if (name === '') return 'bad'
  // Beside a name that says so it is none, but an attribute without a value.
  if (bareName !== undefined && bareName !== name) attributes.set(bareName, '')
  return { name, attributes, isSelfClosing, end: at + length }
}

function readAttribute(
  text: string,
  at: number,
  shape: TagShape,
  into: Map<string, string>,
): number | 'more' | 'bad' {
  const nameStart = at
  while (nameChar.test(text.charAt(at))) at++
  const key = text.slice(nameStart, at)
  at = skipSpace(text, at)
  if (at === text.length) return 'more'
  if (key === '' || text.charAt(at) !== '=') return 'bad'
  at = skipSpace(text, at + 1)
  if (at === text.length) return 'more'
  const quote = text.charAt(at)
  const isQuoted = quote === '"' || quote === "'"
  const start = isQuoted ? at + 1 : at
  let end = start
  while (end < text.length && !(isQuoted ? text.charAt(end) === quote : endsBare(text, end, shape))) end++
  if (end === text.length) return 'more'
  const value = text.slice(start, end)
  into.set(key, shape.isEscaped === true ? unescape(value) : value)
  return isQuoted ? end + 1 : end
}

/** `"city"` or `city` where `name="city"` should stand. Undefined if it is an attribute after all. */
function readBareName(text: string, at: number): NameText | 'more' | undefined {
  const quote = text.charAt(at)
  const isQuoted = quote === '"' || quote === "'"
  let end = isQuoted ? at + 1 : at
  while (end < text.length && !(isQuoted ? text.charAt(end) === quote : !nameChar.test(text.charAt(end))))
    end++
  const behind = skipSpace(text, isQuoted ? end + 1 : end)
  if (behind >= text.length) return 'more'
  if (end === at || text.charAt(behind) === '=') return undefined
  const name = text.slice(isQuoted ? at + 1 : at, end)
  return { name, end: isQuoted ? end + 1 : end }
}

function endsBare(text: string, at: number, shape: TagShape): boolean {
  return (
    isSpace(text.charCodeAt(at)) ||
    text.charAt(at) === spelled(shape.end).charAt(0) ||
    text.startsWith('/>', at)
  )
}

/** Without white space around it, and without a token that slipped in before the quote. */
function plainName(written: string): string {
  const token = written.indexOf('<|')
  return (token > 0 ? written.slice(0, token) : written).trim()
}

/** `&quot;` first: decoding `&amp;` before it would make `&amp;quot;` a quote. */
function unescape(value: string): string {
  return value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

function unquote(name: string): string {
  const isQuoted = /^(["']).*\1$/s.test(name) && name.length > 1
  return isQuoted ? name.slice(1, -1) : name
}

const nameChar = /[a-z_:-]/i
