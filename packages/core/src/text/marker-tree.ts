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
 * How many characters of a marker a pattern looks at: enough to tell `functions.` from a word of prose, and fewer where it begins
 * with a sign. White space does not count: code is full of it, and it tells nothing.
 */
const LOOK_AHEAD = { word: 10, sign: 5 }

/**
 * Matches the first two characters of every marker, but only in front of those that may follow them: prose and code are full
 * of the first ones. At the end of a text one character may be half of them: that it cannot tell. `inLines`: markers that count
 * only right behind a line break. `doubled`: characters that are markers by themselves, and count only where they stand twice.
 */
export function startPattern(
  nodes: readonly MarkerNode<unknown>[],
  inLines: readonly MarkerNode<unknown>[] = [],
  doubled: readonly string[] = [],
): RegExp {
  const starts = nodes.map((node): Follower => {
    const [first = 0] = node.label
    const isSingle = node.label.length === 1 && node.value !== undefined
    const isTwice = isSingle && doubled.includes(String.fromCharCode(first))
    return [first, isTwice ? escaped(first) : secondOf(node, '')]
  })
  const lines = inLines.map((node): Follower => [node.label[0] ?? 0, secondOf(node, BEHIND_BREAK)])
  // The signs that count in lines come last. Data is full of them, and as the first alternatives they took an eighth of its time.
  const inLine = new Set(lines.map(([code]) => code))
  const others = starts.filter(([code]) => !inLine.has(code))
  const all = joined([...others, ...lines, ...starts.filter(([code]) => inLine.has(code))])
  // In two groups, by the first character: a text of ASCII fits nothing of the one, and most of another script nothing of the other.
  const wide = all.filter((each) => !isAscii(each))
  const groups = wide.length === 0 ? [all] : [all.filter(isAscii), wide]
  return new RegExp(groups.map(anyOf).join('|'), 'g')
}

function isAscii([code]: Follower): boolean {
  return code < 0x80
}

/** Those with the same first character in one. */
function joined(followers: readonly Follower[]): readonly Follower[] {
  const byCode = new Map<number, string[]>()
  for (const [code, rest] of followers) byCode.set(code, [...(byCode.get(code) ?? []), rest])
  return [...byCode].map(([code, rests]) => [
    code,
    rests.length === 1 ? rests.join('') : `(?:${rests.join('|')})`,
  ])
}

/** In front of the two characters the text begins, or a line does: the break may be in the chunk before. */
const BEHIND_BREAK = '(?<=(?:^|\\n)[^][^])'

/** The second character of every marker below the node, where the two stand in the right `place` and in front of the right ones. */
function secondOf(node: MarkerNode<unknown>, place: string): string {
  const next = steps(node, 1)
  if (next === 'anything') return `[^]${place}`
  const depth = LOOK_AHEAD[isWordCode(node.label[0] ?? 0) ? 'word' : 'sign'] - 1
  return anyOf(
    next.map(([code, child, behind]) => {
      const rest = child === undefined ? '' : following(child, behind, depthBehind(code, depth))
      return [code, place + (rest === '' ? '' : `(?=${rest})`)]
    }),
  )
}

/** What stands behind the first `at` characters of the node's label. Where the text ends anything may. */
function following(node: MarkerNode<unknown>, at: number, depth: number): string {
  const next = depth === 0 ? 'anything' : steps(node, at)
  if (next === 'anything') return ''
  const followers = next.map(([code, child, behind]): Follower => [
    code,
    child === undefined ? '' : following(child, behind, depthBehind(code, depth)),
  ])
  return `(?:${anyOf(followers)}|$)`
}

function depthBehind(code: number, depth: number): number {
  return isSpace(code) ? depth : depth - 1
}

/** A character, and where in the tree it leads: to the node's own label, or to that of a child. Nowhere: anything may follow. */
export type Step = readonly [code: number, node: MarkerNode<unknown> | undefined, at: number]

/** Which characters may stand behind the first `at` of the node's label. */
export function steps(node: MarkerNode<unknown>, at: number): readonly Step[] | 'anything' {
  const inLabel = node.label[at]
  if (inLabel !== undefined) return [[inLabel, node, at + 1]]
  if (node.loose || node.worn !== undefined || node.value !== undefined) return 'anything'
  const below = node.children.map((child): Step => [child.label[0] ?? 0, child, 1])
  return node.suffixed === undefined ? below : [...below, [COLON, undefined, 0]]
}

/** A character, and a pattern for what stands behind it. */
type Follower = readonly [code: number, rest: string]

/** Those behind which the same stands are a class: they are told apart at once, where they would be tried one after the other. */
function anyOf(followers: readonly Follower[]): string {
  const byRest = new Map<string, string[]>()
  for (const [code, rest] of followers) byRest.set(rest, [...(byRest.get(rest) ?? []), escaped(code)])
  const patterns = [...byRest].map(([rest, [only = '', ...others]]) => {
    const first = others.length === 0 ? only : `[${only}${others.join('')}]`
    return first + rest
  })
  // An empty class matches nothing, where an empty group would match everywhere.
  return patterns.length === 1
    ? patterns.join('')
    : patterns.length === 0
      ? '[]'
      : `(?:${patterns.join('|')})`
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
