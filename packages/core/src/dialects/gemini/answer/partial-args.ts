import { isJsonObject, type JsonObject } from '../../../json/objects.ts'

/** The arguments of a call that come value by value, each with its place: `$.path.to[0].it`. */
export class PartialArgs {
  private readonly root: Tree = new Map()

  /** Adds the entries of one part. The answer is whether all of them could be read. */
  add(entries: unknown): boolean {
    if (!Array.isArray(entries)) return entries === undefined
    return entries.every((entry: unknown) => isJsonObject(entry) && this.addEntry(entry))
  }

  json(): string {
    return JSON.stringify(valueOf(this.root))
  }

  private addEntry(entry: JsonObject): boolean {
    const path = typeof entry['jsonPath'] === 'string' ? stepsOf(entry['jsonPath']) : null
    const last = path?.pop()
    const value = valueIn(entry)
    if (path === null || last === undefined || value === undefined) return false
    let tree = this.root
    for (const step of path) {
      const next = tree.get(step)
      const inner: Tree = next instanceof Map ? next : new Map()
      tree.set(step, inner)
      tree = inner
    }
    const before = tree.get(last)
    // A text may come in pieces.
    const isMore = typeof before === 'string' && typeof value === 'string'
    tree.set(last, isMore ? before + value : value)
    return true
  }
}

/** Objects by their keys, arrays by their numbers. A map, because a key may be `__proto__`. */
type Tree = Map<string | number, Tree | Scalar>
type Scalar = string | number | boolean | null

function valueIn(entry: JsonObject): Scalar | undefined {
  const { stringValue, numberValue, boolValue } = entry
  if (typeof stringValue === 'string') return stringValue
  if (typeof numberValue === 'number') return numberValue
  if (typeof boolValue === 'boolean') return boolValue
  return 'nullValue' in entry ? null : undefined
}

/** The steps of a path; null where it is none. */
function stepsOf(path: string): (string | number)[] | null {
  if (!path.startsWith('$')) return null
  const steps: (string | number)[] = []
  let at = 1
  while (at < path.length) {
    step.lastIndex = at
    const found = step.exec(path)
    if (found === null) return null
    const [text, key, index, quoted] = found
    steps.push(index === undefined ? (key ?? quoted ?? '') : Number(index))
    at += text.length
  }
  return steps
}

const step = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]/y

function valueOf(tree: Tree | Scalar): unknown {
  if (!(tree instanceof Map)) return tree
  const entries = [...tree]
  const isArray = entries.length > 0 && entries.every(([key]) => typeof key === 'number')
  return isArray
    ? entries.map(([, value]) => valueOf(value))
    : Object.fromEntries(entries.map(([key, value]) => [String(key), valueOf(value)]))
}
