import { didYouMean } from '../base/did-you-mean.ts'
import type { ConfigIssue, Path } from './origin.ts'
import { issueAt, itemsAt, keysAt, type SettingTree, textAt, treeAt } from './setting-tree.ts'

/** What is wrong with the upstreams that the rules name: names that nobody has, empty pools, the same place twice. */
export function upstreamFaults(settings: SettingTree): ConfigIssue[] {
  const configured = keysAt(settings, ['upstreams'])
  const known = configured.length === 0 ? ['simulator'] : configured
  return itemsAt(settings, ['models']).flatMap((rule, at) => {
    const path = ['models', at, 'upstream']
    const pools = poolsOf(rule, path)
    const unknown = pools.flat().flatMap((each) => unknownUpstream(settings, each, known))
    return emptyPools(settings, path, pools, known).concat(unknown, repeatedUpstreams(settings, rule, pools))
  })
}

/** The paths of the upstreams of a rule that say more than a name. */
export function listedUpstreams(rule: SettingTree, path: Path): Path[] {
  return poolsOf(rule, [...path, 'upstream'])
    .flat()
    .flatMap(({ entry, path: own }) => (entry.kind === 'map' ? [own] : []))
}

/** An upstream as a rule names it. */
interface NamedUpstream {
  readonly entry: SettingTree
  readonly path: Path
  /** Undefined where the schema has something to say about it. */
  readonly name: string | undefined
  /** Where the name itself stands. */
  readonly at: Path
}

function poolsOf(rule: SettingTree, path: Path): NamedUpstream[][] {
  const written = treeAt(rule, ['upstream'])
  if (written === undefined) return []
  if (written.kind !== 'list') return [[named(written, path)]]
  return written.items.map((entry, at) => poolOf(entry, [...path, at]))
}

function poolOf(entry: SettingTree, path: Path): NamedUpstream[] {
  if (entry.kind !== 'list') return [named(entry, path)]
  return entry.items.map((each, at) => named(each, [...path, at]))
}

function named(entry: SettingTree, path: Path): NamedUpstream {
  const at = entry.kind === 'map' ? [...path, 'name'] : path
  return { entry, path, name: textAt(entry, entry.kind === 'map' ? ['name'] : []), at }
}

function emptyPools(
  settings: SettingTree,
  path: Path,
  pools: readonly (readonly NamedUpstream[])[],
  known: readonly string[],
): ConfigIssue[] {
  const such = `such as [${known.slice(0, 2).join(', ')}]`
  if (treeAt(settings, path)?.kind === 'list' && pools.length === 0) {
    return [issueAt(settings, path, `the list is empty: name at least one upstream, ${such}`)]
  }
  return pools.flatMap((pool, at) =>
    pool.length > 0
      ? []
      : [issueAt(settings, [...path, at], `the pool is empty: name its upstreams, ${such}, or take it out`)],
  )
}

function unknownUpstream(
  settings: SettingTree,
  { name, at }: NamedUpstream,
  known: readonly string[],
): ConfigIssue[] {
  if (name === undefined || known.includes(name)) return []
  const meant = didYouMean(name, known)
  const hint = meant === undefined ? `Configured: ${known.join(', ')}` : `Did you mean ${meant}?`
  return [issueAt(settings, at, `there is no upstream "${name}". ${hint}`)]
}

/** In a pool each upstream stands once. Further back it may stand again with another model, as something to fall back on. */
function repeatedUpstreams(
  settings: SettingTree,
  rule: SettingTree,
  pools: readonly (readonly NamedUpstream[])[],
): ConfigIssue[] {
  const before = new Set<string>()
  return pools.flatMap((pool) => {
    const beside = new Set<string>()
    return pool.flatMap((each) => {
      const { name } = each
      if (name === undefined) return []
      const place = JSON.stringify([name, modelOf(each, rule)])
      const fault = beside.has(name)
        ? `"${name}" stands in this pool twice; each upstream of a pool is named once`
        : before.has(place)
          ? `"${name}" has been tried before with the same model; name another upstream, or another model here`
          : undefined
      beside.add(name)
      before.add(place)
      return fault === undefined ? [] : [issueAt(settings, each.at, fault)]
    })
  })
}

function modelOf({ entry }: NamedUpstream, rule: SettingTree): string | undefined {
  return textAt(entry, ['model']) ?? textAt(rule, ['model'])
}
