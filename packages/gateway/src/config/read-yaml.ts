import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml'
import type { ConfigIssue, Origin } from './origin.ts'
import { noSettings, type SettingEntry, type SettingMap, type SettingTree } from './setting-tree.ts'

export interface ReadSettings {
  readonly settings: SettingMap
  readonly issues: readonly ConfigIssue[]
}

/** Reads the settings of a YAML file, with the line and column of each value. */
export function readYaml(text: string, file: string): ReadSettings {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const originOf = (offset: number): Origin => {
    const { line, col } = lines.linePos(offset)
    return { from: 'file', file, line: Math.max(1, line), column: Math.max(1, col) }
  }
  const faults = [...document.errors, ...document.warnings]
  if (faults.length > 0) {
    const issues = faults.map(({ pos, message }) => ({ origin: originOf(pos[0]), path: '', message }))
    return { settings: noSettings, issues }
  }
  return new TreeReader(document, originOf).read()
}

// Aliases can make a short file endless: a value may hold itself, or ten levels may have ten aliases each.
const deepest = 64
const mostValues = 100_000

class TreeReader {
  readonly #document: Document
  readonly #originOf: (offset: number) => Origin
  readonly #issues: ConfigIssue[] = []
  #values = 0

  constructor(document: Document, originOf: (offset: number) => Origin) {
    this.#document = document
    this.#originOf = originOf
  }

  read(): ReadSettings {
    const { contents } = this.#document
    const tree = this.#tree(contents, this.#originOf(0), 0)
    if (tree.kind === 'value' && tree.value === null) return { settings: noSettings, issues: this.#issues }
    if (tree.kind === 'map') return { settings: withoutEmptySections(tree), issues: this.#issues }
    const message = 'the file must be a map of keys, such as "listen:"'
    return { settings: noSettings, issues: [...this.#issues, { origin: tree.origin, path: '', message }] }
  }

  #tree(node: unknown, outer: Origin, depth: number): SettingTree {
    const origin = this.#position(node) ?? outer
    if (depth > deepest || ++this.#values > mostValues) {
      if (this.#values !== Number.POSITIVE_INFINITY) this.#fault(origin, 'is nested too deep or too large')
      // One error is enough; the values behind it are not read any more.
      this.#values = Number.POSITIVE_INFINITY
      return { kind: 'value', value: null, origin }
    }
    if (isAlias(node)) return this.#tree(node.resolve(this.#document), origin, depth + 1)
    if (isSeq(node)) {
      return { kind: 'list', items: node.items.map((item) => this.#tree(item, origin, depth + 1)), origin }
    }
    if (isMap(node)) return { kind: 'map', entries: this.#entries(node.items, origin, depth), origin }
    return { kind: 'value', value: isScalar(node) ? this.#scalar(node.value, origin) : null, origin }
  }

  #entries(
    pairs: readonly { key: unknown; value: unknown }[],
    outer: Origin,
    depth: number,
  ): ReadonlyMap<string, SettingEntry> {
    const entries = new Map<string, SettingEntry>()
    for (const { key, value } of pairs) {
      const keyOrigin = this.#position(key) ?? outer
      const name = isScalar(key) ? String(key.value) : undefined
      if (name === undefined || name === '__proto__') this.#fault(keyOrigin, 'this cannot be a key')
      else entries.set(name, { tree: this.#tree(value, keyOrigin, depth + 1), keyOrigin })
    }
    return entries
  }

  #scalar(value: unknown, origin: Origin): string | number | boolean | null {
    if (typeof value === 'number' && !Number.isFinite(value)) this.#fault(origin, 'is not a finite number')
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
    return null
  }

  #position(node: unknown): Origin | undefined {
    const hasPosition = isAlias(node) || isScalar(node) || isSeq(node) || isMap(node)
    return hasPosition && node.range ? this.#originOf(node.range[0]) : undefined
  }

  #fault(origin: Origin, message: string): void {
    this.#issues.push({ origin, path: '', message })
  }
}

/** YAML reads a section whose keys are all commented out as null. Such a section sets nothing. */
function withoutEmptySections(map: SettingMap): SettingMap {
  const said = [...map.entries].filter(([, { tree }]) => tree.kind !== 'value' || tree.value !== null)
  return { ...map, entries: new Map(said) }
}
