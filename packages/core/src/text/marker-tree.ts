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
  value: T | undefined
}

export function markerRoot<T>(): MarkerNode<T> {
  return leaf([])
}

/** The node for `text` below `node`, made if there is none. */
export function insert<T>(node: MarkerNode<T>, text: string): MarkerNode<T> {
  return insertCodes(
    node,
    text.split('').map((char) => char.charCodeAt(0)),
  )
}

/** A tree that can be added to without changing this one. */
export function copyTree<T>(node: MarkerNode<T>): MarkerNode<T> {
  return { ...node, children: node.children.map((child) => copyTree(child)) }
}

/** The child whose label begins with this UTF-16 unit. */
export function childAt<T>({ codes, children }: MarkerNode<T>, code: number): MarkerNode<T> | undefined {
  for (let index = 0; index < codes.length; index++) {
    if (codes[index] === code) return children[index]
  }
  return undefined
}

/**
 * Matches the first character of every marker below `root`, where it is not the whole marker only in front of
 * the second one: prose and code are full of the first ones.
 */
export function startPattern({ children }: MarkerNode<unknown>): RegExp {
  const starts = children.map(({ label: [first, second], ...node }) => {
    const isWhole = second === undefined && (node.loose || node.value !== undefined)
    const seconds = second === undefined ? node.codes : [second]
    return isWhole
      ? escaped(first)
      : `${escaped(first)}(?=[${seconds.map((code) => escaped(code)).join('')}]|$)`
  })
  // An empty class matches nothing.
  return new RegExp(starts.join('|') || '[]', 'g')
}

function insertCodes<T>(node: MarkerNode<T>, codes: readonly number[]): MarkerNode<T> {
  const [first] = codes
  if (first === undefined) return node
  const child = childAt(node, first)
  if (child === undefined) {
    const added = leaf<T>(codes)
    node.children = [...node.children, added]
    node.codes = [...node.codes, first]
    return added
  }
  const shared = child.label.findIndex((code, index) => code !== codes[index])
  if (shared >= 0) split(child, shared)
  return insertCodes(child, codes.slice(child.label.length))
}

function leaf<T>(label: readonly number[]): MarkerNode<T> {
  return { label, children: [], codes: [], loose: false, value: undefined }
}

function split<T>(node: MarkerNode<T>, at: number): void {
  const lower = leaf<T>(node.label.slice(at))
  lower.children = node.children
  lower.codes = node.codes
  lower.loose = node.loose
  lower.value = node.value
  node.label = node.label.slice(0, at)
  node.children = [lower]
  node.codes = [lower.label[0] ?? 0]
  node.loose = false
  node.value = undefined
}

function escaped(code = 0): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
