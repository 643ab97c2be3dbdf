import type { Input } from './input.ts'
import { isSpace, skipSpace } from './space.ts'

/** A literal, or pieces of one between which white space may stand. */
export type Marker = string | readonly string[]

/** The look-up ended inside a marker: more text is needed to tell. */
export const PARTIAL = -1
/** No marker starts here. */
export const NONE = 0

/** White space inside a marker is bounded, or a hostile stream could hold text for ever. */
const LONGEST_MATCH = 256

interface Node<T> {
  readonly next: Map<number, Node<T>>
  loose: boolean
  value: T | undefined
}

/** Many markers looked up at once: a trie, so the cost does not grow with their number. */
export class MarkerSearch<T> {
  private value: T | undefined
  /** Where the last `find` stopped. */
  index = 0
  /** Length of the marker that `ahead` found. */
  length = 0
  private readonly root: Node<T> = { next: new Map(), loose: false, value: undefined }

  add(marker: Marker, value: T): void {
    const pieces = typeof marker === 'string' ? [marker] : marker
    let node = this.root
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) node.loose = true
      for (let at = 0; at < piece.length; at++) {
        const code = piece.charCodeAt(at)
        let child = node.next.get(code)
        if (child === undefined) {
          child = { next: new Map(), loose: false, value: undefined }
          node.next.set(code, child)
        }
        node = child
      }
    }
    if (node !== this.root) node.value = value
  }

  get(marker: Marker): T | undefined {
    let node: Node<T> | undefined = this.root
    for (const piece of typeof marker === 'string' ? [marker] : marker) {
      for (let at = 0; at < piece.length; at++) node = node?.next.get(piece.charCodeAt(at))
    }
    return node?.value
  }

  /** What the last successful match found. Asking after an unsuccessful one is a mistake of the caller. */
  get found(): T {
    if (this.value === undefined) throw new TypeError('no marker was matched')
    return this.value
  }

  /** Whether some marker starts with this UTF-16 unit. */
  mayStart(code: number): boolean {
    return this.root.next.has(code)
  }

  /** `mayStart` as a table, for loops that ask it of every character. */
  firstCodes(): Uint8Array {
    const table = new Uint8Array(0x10000)
    for (const code of this.root.next.keys()) table[code] = 1
    return table
  }

  /**
   * Looks for the first marker from `from` on. Returns its length, NONE or PARTIAL; `index` is where
   * it is (or might be), or the end of the text: everything before that is free of markers.
   */
  find(text: string, from: number, final: boolean): number {
    for (let at = from; at < text.length; at++) {
      if (!this.root.next.has(text.charCodeAt(at))) continue
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
   * stream half a marker is one that was cut off: it is taken, and nothing more will come.
   */
  ahead(input: Input): T | 'none' | 'more' {
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

  /** Length of the longest marker at `at` (then `value` is set), or NONE, or PARTIAL. */
  match(text: string, at: number, final: boolean): number {
    let node = this.root
    let length = NONE
    const end = Math.min(text.length, at + LONGEST_MATCH)
    let cursor = at
    while (cursor < end) {
      const code = text.charCodeAt(cursor)
      const child = node.next.get(code)
      if (child === undefined) {
        if (!node.loose || !isSpace(code)) return length
      } else {
        node = child
        if (node.value !== undefined) {
          this.value = node.value
          length = cursor + 1 - at
        }
      }
      cursor++
    }
    const isOpenEnded = node.next.size > 0 && cursor - at < LONGEST_MATCH
    return isOpenEnded && !final ? PARTIAL : length
  }
}

/** A search for markers that all mean the same. */
export function searchFor(...markers: readonly Marker[]): MarkerSearch<true> {
  const search = new MarkerSearch<true>()
  for (const marker of markers) search.add(marker, true)
  return search
}
