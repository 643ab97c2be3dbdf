import {
  childAt,
  copyTree,
  insert,
  type MarkerNode,
  markerRoot,
  startPattern,
  type Step,
  steps,
} from './marker-tree.ts'
import { COLON, type Marker, NONE, PARTIAL, skipSuffix, spelled, wornEnd } from './marker.ts'
import { SHORT } from './next-match.ts'
import { isSpace, isWordCode, skipSpace } from './space.ts'
import type { TextWindow } from './text-window.ts'

/** White space inside a marker is bounded, or a hostile stream could hold text for ever. */
const LONGEST_MATCH = 256

const NEWLINE = 10

/** The bit of first characters behind which anything may stand: every second character has it. */
const ANYTHING = 1
/** The first characters behind which only some may stand have a bit each; when they run out, the rest share the last one. */
const LAST_BIT = 1 << 28
/** The bit of first characters that may end a text, as what follows them may make a marker of them. */
const MAY_END = 1 << 29
/** The bit of first and second characters of markers that count only at the start of a line. */
const IN_LINES = 1 << 30

/** Many markers looked up at once, in a tree, so the cost does not grow with their number. */
export class MarkerSearch<T> {
  private value: T | undefined
  /** Where the last `find` stopped. */
  index = 0
  /** Length of the marker that `ahead` found. */
  length = 0
  private root: MarkerNode<T> = markerRoot()
  /** What markers start with, by the low byte: a few other characters pass as well, and then match nothing. */
  private readonly firstBits = new Uint32Array(256)
  /** Behind which of these a second character may stand, by its low byte. */
  private readonly secondBits = new Uint32Array(256).fill(ANYTHING)
  private nextBit = ANYTHING << 1
  /** Which third characters may stand behind a second one: both by their low five bits, as a shift looks at no more. */
  private readonly thirds = new Uint32Array(32)
  /** Markers that count only at the start of a line. */
  private lines: MarkerSearch<T> | undefined
  /** How markers start, once somebody asked. */
  private starts: RegExp | undefined
  /** What `withNotes` finds beside the markers. */
  private readonly notes: readonly string[]
  private noted: MarkerSearch<T | 'note'> | undefined

  /** Characters that count only where they stand twice. */
  private runs: readonly string[] = []

  /** A note is no marker, and means nothing to `nextStart` and `match`. */
  constructor(notes: readonly string[] = []) {
    this.notes = notes
  }

  add(marker: Marker, value: T): void {
    const node = insert(this.root, marker)
    if (node === this.root) return
    node.value = value
    this.noteMarker(marker, node)
  }

  /**
   * A character that counts only where it stands twice, or may do so: code is full of single ones. All other markers that begin with
   * it begin with two of them.
   */
  addRun(character: string, value: T): void {
    this.runs = [...this.runs, character]
    this.add(character, value)
  }

  /** A marker of several characters that counts only right behind a line break. */
  addToLines(marker: string, value: T): void {
    this.lines ??= new MarkerSearch<T>()
    this.lines.add(marker, value)
    mark(this.firstBits, marker.charCodeAt(0), MAY_END | IN_LINES)
    mark(this.secondBits, marker.charCodeAt(1), IN_LINES)
    this.change()
  }

  /**
   * Words that are a marker right behind a line break, with it. Where a text ends with the break they are looked for in the next one:
   * text is full of breaks, and none of them has to be held.
   */
  addBehindBreak(words: string, value: T): void {
    const node = insert(this.root, `\n${words}`)
    node.value = value
    this.noteStart(NEWLINE, childAt(this.root, NEWLINE) ?? node)
    this.lines ??= new MarkerSearch<T>()
    this.lines.add(words, value)
    this.change()
  }

  /** A tag up to the end of its word, where more may stand in front of its bracket, or the bracket is missing. */
  addWorn(tag: string, value: T): void {
    const node = insert(this.root, tag)
    node.worn = value
    this.noteMarker(tag, node)
  }

  private noteMarker(marker: Marker, node: MarkerNode<T>): void {
    const first = spelled(marker).charCodeAt(0)
    this.noteStart(first, childAt(this.root, first) ?? node)
    this.noteFirst(first)
  }

  /** A marker begins with this character, which may be all that there is of it so far. */
  private noteFirst(first: number): void {
    mark(this.firstBits, first, MAY_END)
    this.change()
  }

  /** What was made of the markers so far is made anew. */
  private change(): void {
    this.starts = undefined
    this.noted = undefined
  }

  /** What only begins at the end of a text is no note yet. */
  private addNote(note: string, value: T): void {
    const node = insert(this.root, note)
    node.value ??= value
    const first = note.charCodeAt(0)
    this.noteStart(first, childAt(this.root, first) ?? node)
  }

  /** The same markers, to add further ones to. */
  copy(): MarkerSearch<T> {
    const copy = new MarkerSearch<T>(this.notes)
    copy.take(this)
    return copy
  }

  private take(other: MarkerSearch<T>): void {
    this.root = copyTree(other.root)
    this.lines = other.lines?.copy()
    this.firstBits.set(other.firstBits)
    this.secondBits.set(other.secondBits)
    this.thirds.set(other.thirds)
    this.nextBit = other.nextBit
    this.runs = other.runs
  }

  get(marker: Marker): T | undefined {
    const text = spelled(marker)
    return text !== '' && this.match(text, 0, true) === text.length ? this.value : undefined
  }

  /** What the last successful match found. Asking after an unsuccessful one is a mistake of the caller. */
  get found(): T {
    if (this.value === undefined) throw new TypeError('no marker was matched')
    return this.value
  }

  /** The first position from `from` on at which a marker may start, or the end of the text. `codeBefore`: the unit in front of it. */
  nextStart(text: string, from: number, codeBefore = NEWLINE): number {
    if (codeBefore === NEWLINE && this.lines?.begins(text.charCodeAt(from)) === true) return from
    return text.length - from > SHORT ? this.nextInLong(text, from) : this.nextInShort(text, from, codeBefore)
  }

  private begins(first: number): boolean {
    return this.firstBits[first & 0xff] !== 0
  }

  private nextInLong(text: string, from: number): number {
    const starts = (this.starts ??= this.startPattern())
    starts.lastIndex = from
    if (starts.test(text)) return starts.lastIndex - 2
    // The pattern has two characters: the last one may be the first of them.
    const last = text.length - 1
    return ((this.firstBits[text.charCodeAt(last) & 0xff] ?? 0) & MAY_END) === 0 ? text.length : last
  }

  private startPattern(): RegExp {
    // Words are looked for with their break: prose is full of the letters that they begin with.
    const signs = this.lines?.root.children.filter(({ label: [first = 0] }) => !isWordCode(first))
    return startPattern(this.root.children, signs, this.runs)
  }

  private nextInShort(text: string, from: number, codeBefore: number): number {
    const { length } = text
    const { firstBits, secondBits } = this
    for (let at = from; at < length; at++) {
      const first = firstBits[text.charCodeAt(at) & 0xff] ?? 0
      if (first === 0) continue
      const second = at + 1 === length ? MAY_END : (secondBits[text.charCodeAt(at + 1) & 0xff] ?? 0)
      const shared = first & second
      if (shared === 0 || !this.mayGoOn(shared, text, at + 1)) continue
      // Code is full of brackets at the end of a line.
      if (shared !== IN_LINES || (at === from ? codeBefore : text.charCodeAt(at - 1)) === NEWLINE) return at
    }
    return length
  }

  /** Whether a third character may make a marker of the two that end at `second`. Most tags of HTML are told from markers by it. */
  private mayGoOn(shared: number, text: string, second: number): boolean {
    if ((shared & (ANYTHING | IN_LINES)) !== 0 || second + 1 >= text.length) return true
    const thirds = this.thirds[text.charCodeAt(second) & 31] ?? 0
    return ((thirds >>> text.charCodeAt(second + 1)) & 1) !== 0
  }

  /** A search that finds the notes as well. */
  get withNotes(): MarkerSearch<T | 'note'> {
    return (this.noted ??= this.copyWithNotes())
  }

  private copyWithNotes(): MarkerSearch<T | 'note'> {
    const noted = new MarkerSearch<T | 'note'>()
    noted.take(this)
    // A single one is noted as well.
    noted.runs = this.runs.filter((each) => !this.notes.includes(each))
    for (const note of this.notes) noted.addNote(note, 'note')
    return noted
  }

  /** `node`: the one of all markers that start with this character. */
  private noteStart(first: number, node: MarkerNode<T>): void {
    const next: readonly Step[] | 'anything' = this.runs.includes(String.fromCharCode(first))
      ? [[first, undefined, 0]]
      : steps(node, 1)
    if (next === 'anything') mark(this.firstBits, first, ANYTHING)
    else this.noteSeconds(first, next)
  }

  private noteSeconds(first: number, seconds: readonly Step[]): void {
    const known = this.firstBits[first & 0xff] ?? 0
    const bit = known & ~(ANYTHING | MAY_END | IN_LINES) || this.takeBit()
    mark(this.firstBits, first, bit)
    for (const [code, node, at] of seconds) {
      mark(this.secondBits, code, bit)
      mark(this.thirds, code & 31, thirdsOf(node, at))
    }
  }

  private takeBit(): number {
    const bit = this.nextBit
    if (bit < LAST_BIT) this.nextBit = bit << 1
    return bit
  }

  /**
   * Looks for the first marker from `from` on. Returns its length, NONE or PARTIAL; `index` is where
   * it is (or might be), or the end of the text: everything before that is free of markers.
   */
  find(text: string, from: number, final: boolean): number {
    for (let at = this.nextStart(text, from); at < text.length; at = this.nextStart(text, at + 1)) {
      const length = this.match(text, at, final)
      if (length === NONE) continue
      this.index = at
      return length
    }
    this.index = Math.max(from, text.length)
    return NONE
  }

  /**
   * Skips white space and tells which marker stands behind it, without taking it. At the end of the
   * stream half a marker counts as a marker that was cut off: it is taken, and nothing more will come.
   */
  ahead(input: TextWindow): T | 'none' | 'more' {
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    const length = this.match(input.text, input.at, false)
    if (length === PARTIAL) {
      if (!input.final) return 'more'
      const whole = this.match(input.text, input.at, true)
      if (whole === NONE) {
        input.takeAll()
        return 'more'
      }
      this.length = whole
      return this.found
    }
    this.length = length
    return length === NONE ? 'none' : this.found
  }

  /** Whether the text ends inside a marker that begins at `at`, after a whole piece of it. */
  isCutBehindPiece(text: string, at: number): boolean {
    let node = this.root
    let cursor = at
    let hasPiece = false
    while (cursor < text.length && cursor - at < LONGEST_MATCH) {
      const child = childAt(node, text.charCodeAt(cursor))
      hasPiece ||= node.loose
      if (child === undefined) {
        if (!node.loose || !isSpace(text.charCodeAt(cursor))) return false
        cursor++
        continue
      }
      const label = String.fromCharCode(...child.label)
      const rest = text.slice(cursor, cursor + label.length)
      if (!label.startsWith(rest)) return false
      cursor += rest.length
      node = child
      if (rest.length < label.length) return hasPiece
    }
    return (hasPiece || node.loose) && node.children.length > 0
  }

  /** Length of the longest marker at `at` (then `value` is set), or NONE, or PARTIAL. */
  match(text: string, at: number, final: boolean): number {
    let node = this.root
    let length = NONE
    const end = Math.min(text.length, at + LONGEST_MATCH)
    let cursor = at
    while (cursor < end) {
      const code = text.charCodeAt(cursor)
      const child = childAt(node, code)
      if (child === undefined) {
        if (node.loose && isSpace(code)) {
          cursor++
          continue
        }
        if (node.worn !== undefined) return this.matchWorn(node.worn, text, at, cursor, end, final)
        if (node.suffixed === undefined || code !== COLON) return length
        const behind = Math.min(skipSuffix(text, cursor + 1), end)
        if (behind === cursor + 1 && behind < end) return length
        node = node.suffixed
        cursor = behind
        continue
      }
      const { label, value } = child
      const behind = cursor + label.length
      const stop = Math.min(behind, end)
      let same = cursor + 1
      while (same < stop && text.charCodeAt(same) === label[same - cursor]) same++
      if (same < stop) return length
      if (stop < behind) break
      node = child
      cursor = behind
      if (value !== undefined) {
        this.value = value
        length = cursor - at
      }
    }
    const hasMore = node.children.length > 0 || node.suffixed !== undefined || node.worn !== undefined
    const mayGoOn = (cursor < end || hasMore) && end - at < LONGEST_MATCH
    return mayGoOn && !final ? PARTIAL : length
  }

  /** The same right behind a line break, where more markers count. */
  matchInLines(text: string, at: number, final: boolean): number {
    const length = this.match(text, at, final)
    if (length > 0 || this.lines?.begins(text.charCodeAt(at)) !== true) return length
    const inLines = this.lines.match(text, at, final)
    if (inLines > 0) this.value = this.lines.found
    return inLines === NONE ? length : inLines
  }

  private matchWorn(value: T, text: string, at: number, from: number, end: number, final: boolean): number {
    const behind = wornEnd(text, from, end)
    if (behind === NONE || behind === PARTIAL) return final ? NONE : behind
    this.value = value
    return behind - at
  }
}

/** A bit for each character that may stand behind the first `at` of the node's label. */
function thirdsOf(node: MarkerNode<unknown> | undefined, at: number): number {
  const next = node === undefined ? 'anything' : steps(node, at)
  return next === 'anything' ? -1 : next.reduce((bits, [code]) => bits | (1 << code), 0)
}

function mark(bits: Uint32Array, code: number, bit: number): void {
  bits[code & 0xff] = (bits[code & 0xff] ?? 0) | bit
}

/** A search for markers that all mean the same. */
export function searchFor(...markers: readonly Marker[]): MarkerSearch<true> {
  const search = new MarkerSearch<true>()
  for (const marker of markers) search.add(marker, true)
  return search
}
