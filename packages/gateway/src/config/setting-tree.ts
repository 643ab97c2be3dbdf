import { type ConfigIssue, describePath, type Origin, type Path } from './origin.ts'

/** Settings before the schema reads them, each with the place where it was set. */
export type SettingTree = SettingValue | SettingList | SettingMap

export interface SettingValue {
  readonly kind: 'value'
  readonly value: string | number | boolean | null
  readonly origin: Origin
  /** The text before its variables were filled in, where it has any. */
  readonly written?: string
  /** The variables that were filled in. */
  readonly variables?: readonly string[]
}

export interface SettingList {
  readonly kind: 'list'
  readonly items: readonly SettingTree[]
  readonly origin: Origin
}

export interface SettingMap {
  readonly kind: 'map'
  readonly entries: ReadonlyMap<string, SettingEntry>
  readonly origin: Origin
}

export interface SettingEntry {
  readonly tree: SettingTree
  readonly keyOrigin: Origin
}

export const noSettings: SettingMap = { kind: 'map', entries: new Map(), origin: { from: 'default' } }

/** Settings that were all set in one place. */
export function settingsFrom(origin: Origin, values: Readonly<Record<string, PlainSetting>>): SettingMap {
  const said = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, { tree: treeFrom(origin, value), keyOrigin: origin }] as const],
  )
  return { kind: 'map', entries: new Map(said), origin }
}

export type PlainSetting =
  | SettingValue['value']
  | undefined
  | readonly PlainSetting[]
  | { readonly [key: string]: PlainSetting }

function entryAt(tree: SettingTree | undefined, key: string | number): SettingTree | undefined {
  if (tree?.kind === 'list') return typeof key === 'number' ? tree.items[key] : undefined
  return tree?.kind === 'map' ? tree.entries.get(String(key))?.tree : undefined
}

export function treeAt(tree: SettingTree, path: Path): SettingTree | undefined {
  return path.reduce<SettingTree | undefined>(entryAt, tree)
}

/** The text at a path, if there is one. */
export function textAt(tree: SettingTree, path: Path): string | undefined {
  const found = treeAt(tree, path)
  return found?.kind === 'value' && typeof found.value === 'string' ? found.value : undefined
}

/** The keys of the map at a path. */
export function keysAt(tree: SettingTree, path: Path): readonly string[] {
  const found = treeAt(tree, path)
  return found?.kind === 'map' ? [...found.entries.keys()] : []
}

/** The items of the list at a path. */
export function itemsAt(tree: SettingTree, path: Path): readonly SettingTree[] {
  const found = treeAt(tree, path)
  return found?.kind === 'list' ? found.items : []
}

/** Where the value at a path was set. For a value that is missing this is the place of what surrounds it. */
export function originAt(tree: SettingTree, path: Path): Origin {
  let found = tree
  for (const key of path) {
    const next = entryAt(found, key)
    if (next === undefined) break
    found = next
  }
  return found.origin
}

/** An issue at a path of the settings. */
export function issueAt(settings: SettingTree, path: Path, message: string): ConfigIssue {
  return { origin: originAt(settings, path), path: describePath(path), message }
}

/** Where the key itself stands. */
export function keyOriginAt(tree: SettingTree, path: Path, key: string): Origin {
  const map = treeAt(tree, path)
  const entry = map?.kind === 'map' ? map.entries.get(key) : undefined
  return entry?.keyOrigin ?? originAt(tree, path)
}

export function plainValue(tree: SettingTree): unknown {
  switch (tree.kind) {
    case 'value':
      return tree.value
    case 'list':
      return tree.items.map(plainValue)
    case 'map':
      return Object.fromEntries([...tree.entries].map(([key, entry]) => [key, plainValue(entry.tree)]))
  }
}

/** Every value with its path. An empty map or list counts as a value. */
export function leavesOf(tree: SettingTree, path: Path = []): (readonly [path: Path, leaf: SettingTree])[] {
  const children =
    tree.kind === 'list'
      ? tree.items.map((item, at) => [at, item] as const)
      : tree.kind === 'map'
        ? [...tree.entries].map(([key, entry]) => [key, entry.tree] as const)
        : []
  if (children.length === 0) return [[path, tree]]
  return children.flatMap(([key, child]) => leavesOf(child, [...path, key]))
}

/** A copy of the map with this entry added or replaced. */
export function withEntry(map: SettingMap, key: string, tree: SettingTree): SettingMap {
  const keyOrigin = map.entries.get(key)?.keyOrigin ?? tree.origin
  return { ...map, entries: new Map(map.entries).set(key, { tree, keyOrigin }) }
}

export function withoutKeys(map: SettingMap, keys: readonly string[]): SettingMap {
  return { ...map, entries: new Map([...map.entries].filter(([key]) => !keys.includes(key))) }
}

/**
 * Joins layers of settings, those with precedence first. Sections are joined key by key, but what stands below a key
 * of a section is replaced as a whole: with half an upstream from one file and the key from another, the key would go
 * to the wrong server.
 */
export function joinLayers(layers: readonly SettingMap[]): SettingMap {
  return layers.reduceRight((under, over) => joinMaps(over, under, 2), noSettings)
}

function joinMaps(over: SettingMap, under: SettingMap, depth: number): SettingMap {
  const entries = new Map(under.entries)
  for (const [key, entry] of over.entries) {
    const below = entries.get(key)?.tree
    const isJoined = depth > 1 && entry.tree.kind === 'map' && below?.kind === 'map'
    entries.set(key, isJoined ? { ...entry, tree: joinMaps(entry.tree, below, depth - 1) } : entry)
  }
  return { kind: 'map', entries, origin: over.entries.size > 0 ? over.origin : under.origin }
}

function treeFrom(origin: Origin, value: Exclude<PlainSetting, undefined>): SettingTree {
  if (typeof value !== 'object' || value === null) return { kind: 'value', value, origin }
  if (!isList(value)) return settingsFrom(origin, value)
  const items = value.flatMap((item) => (item === undefined ? [] : [treeFrom(origin, item)]))
  return { kind: 'list', items, origin }
}

function isList(value: object): value is readonly PlainSetting[] {
  return Array.isArray(value)
}
