import { COLON, type Marker } from './marker.ts'
import { isSpace, isWordCode } from './space.ts'

/**
 * Markers by their common beginnings. A node stands for as much of a marker as possible, not for a single
 * character: that would take ten times the memory.
 */
export interface MarkerNode<T> {
  /** What leads here from the node above, as UTF-16 units. */
  label: readonly number[]
  children: readonly MarkerNode<T>[]
  /** How the labels of the children begin: no two alike. */
  codes: readonly number[]
  /** White space may stand here, in front of what follows. */
  loose: boolean
  /** What stands behind a colon and a suffix. */
  suffixed: MarkerNode<T> | undefined
  /** What it means where the end of the tag is worn: other characters stand in front of it, or none is there. */
  worn: T | undefined
  value: T | undefined
}

export function markerRoot<T>(): MarkerNode<T> {
  return leaf([])
}

/** The node for the marker below `root`, made if there is none. */
export function insert<T>(root: MarkerNode<T>, marker: Marker): MarkerNode<T> {
  if (typeof marker === 'string') return insertText(root, marker)
  if ('before' in marker) {
    const node = insertText(root, marker.before)
    node.suffixed ??= leaf([])
    return insertText(node.suffixed, marker.after)
  }
  let node = root
  for (const [index, piece] of marker.entries()) {
    if (index > 0) node.loose = true
    node = insertText(node, piece)
  }
  return node
}

/** A tree that can be added to without changing this one. */
export function copyTree<T>(node: MarkerNode<T>): MarkerNode<T> {
  const suffixed = node.suffixed && copyTree(node.suffixed)
  return { ...node, suffixed, children: node.children.map((child) => copyTree(child)) }
}

/** The child whose label begins with this UTF-16 unit. */
export function childAt<T>({ codes, children }: MarkerNode<T>, code: number): MarkerNode<T> | undefined {
  for (let index = 0; index < codes.length; index++) {
    if (codes[index] === code) return children[index]
  }
  return undefined
}

/**
 * How many characters behind the first one a pattern looks at: enough to tell `functions.` from a word of prose, and fewer
 * where a marker begins with a sign. White space does not count: code is full of it, and it tells nothing.
 */
const LOOK_AHEAD = { word: 9, sign: 4 }

/**
 * Matches the first two characters of every marker below `root`, but only in front of those that may follow them: prose
 * and code are full of the first ones. At the end of a text one character may be half of them: that it cannot tell.
 */
export function startPattern({ children }: MarkerNode<unknown>): RegExp {
  const starts = children.map((node) => {
    const next = followers(node, 1, LOOK_AHEAD[isWordCode(node.label[0] ?? 0) ? 'word' : 'sign'])
    return (
      escaped(node.label[0]) +
      (next === 'anything' ? '[^]' : anyOf(alternatives(next, (rest) => `(?=${rest})`)))
    )
  })
  // In two groups, the simple patterns and the others: a character that fits neither rules out a whole group at once.
  const sorted = starts.toSorted((a, b) => a.length - b.length)
  const half = Math.floor(sorted.length / 2)
  return new RegExp(`${anyOf(sorted.slice(0, half))}|${anyOf(sorted.slice(half))}`, 'g')
}

function anyOf(patterns: readonly string[]): string {
  // An empty class matches nothing, where an empty group would match everywhere.
  return patterns.length === 0 ? '[]' : `(?:${patterns.join('|')})`
}

/** A character, and a pattern for what stands behind it, which is empty if anything may. */
type Follower = readonly [code: number, rest: string]

/** What stands behind the first `at` characters of the node's label; `depth`: how far the patterns look. */
export function followers(
  node: MarkerNode<unknown>,
  at: number,
  depth: number,
): readonly Follower[] | 'anything' {
  const isEnd = node.loose || node.worn !== undefined || node.value !== undefined
  const isWhole = at === node.label.length && isEnd
  if (isWhole || depth === 0) return 'anything'
  const behind = (code: number): number => (isSpace(code) ? depth : depth - 1)
  const inLabel = node.label[at]
  if (inLabel !== undefined) return [[inLabel, following(node, at + 1, behind(inLabel))]]
  const children = node.children.map((child): Follower => {
    const code = child.label[0] ?? 0
    return [code, following(child, 1, behind(code))]
  })
  return node.suffixed === undefined ? children : [...children, [COLON, '']]
}

/** The same as a pattern, which matches where the text ends as well. */
function following(node: MarkerNode<unknown>, at: number, depth: number): string {
  const next = followers(node, at, depth)
  if (next === 'anything') return ''
  return guard(next) + anyOf([...alternatives(next, (rest) => rest), '$'])
}

/** Most texts go on like none of many: a class tells that at once, where they would be tried one after the other. */
function guard(next: readonly Follower[]): string {
  return next.length < 3 ? '' : `(?=[${next.map(([code]) => escaped(code)).join('')}]|$)`
}

function alternatives(next: readonly Follower[], then: (rest: string) => string): string[] {
  const last = next.filter(([, rest]) => rest === '').map(([code]) => escaped(code))
  const further = next.flatMap(([code, rest]) => (rest === '' ? [] : [escaped(code) + then(rest)]))
  return last.length === 0 ? further : [last.length === 1 ? last.join('') : `[${last.join('')}]`, ...further]
}

function insertText<T>(root: MarkerNode<T>, text: string): MarkerNode<T> {
  let node = root
  for (let at = 0; at < text.length; at += node.label.length) {
    const child = childAt(node, text.charCodeAt(at))
    if (child === undefined) return addLeaf(node, text.slice(at))
    const shared = sharedLength(child.label, text, at)
    if (shared < child.label.length) split(child, shared)
    node = child
  }
  return node
}

function addLeaf<T>(node: MarkerNode<T>, text: string): MarkerNode<T> {
  const added = leaf<T>(Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)))
  node.children = [...node.children, added]
  node.codes = [...node.codes, text.charCodeAt(0)]
  return added
}

function sharedLength(label: readonly number[], text: string, at: number): number {
  let length = 0
  while (length < label.length && label[length] === text.charCodeAt(at + length)) length++
  return length
}

function leaf<T>(label: readonly number[]): MarkerNode<T> {
  return {
    label,
    children: [],
    codes: [],
    loose: false,
    suffixed: undefined,
    worn: undefined,
    value: undefined,
  }
}

function split<T>(node: MarkerNode<T>, at: number): void {
  const lower = leaf<T>(node.label.slice(at))
  lower.children = node.children
  lower.codes = node.codes
  lower.loose = node.loose
  lower.suffixed = node.suffixed
  lower.worn = node.worn
  lower.value = node.value
  node.label = node.label.slice(0, at)
  node.children = [lower]
  node.codes = [lower.label[0] ?? 0]
  node.loose = false
  node.suffixed = undefined
  node.worn = undefined
  node.value = undefined
}

/** A letter stands for itself: V8 does not optimise patterns of more than 20,000 characters, and text would be twice as slow. */
function escaped(code = 0): string {
  const char = String.fromCharCode(code)
  return /\w/.test(char) ? char : `\\u${code.toString(16).padStart(4, '0')}`
}
