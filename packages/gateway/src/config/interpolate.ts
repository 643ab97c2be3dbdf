import { describePath, type ConfigIssue, type Path } from './origin.ts'
import type { SettingMap, SettingTree, SettingValue } from './setting-tree.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Fills in `${NAME}` in every text from the environment; `$${` stands for `${` itself. */
export function interpolate(
  settings: SettingMap,
  env: Environment,
): { settings: SettingMap; issues: readonly ConfigIssue[] } {
  const issues: ConfigIssue[] = []

  const fillMap = (map: SettingMap, path: Path): SettingMap => ({
    ...map,
    entries: new Map(
      [...map.entries].map(([key, entry]) => [key, { ...entry, tree: fill(entry.tree, [...path, key]) }]),
    ),
  })
  const fill = (tree: SettingTree, path: Path): SettingTree => {
    if (tree.kind === 'map') return fillMap(tree, path)
    if (tree.kind === 'list') {
      return { ...tree, items: tree.items.map((item, at) => fill(item, [...path, at])) }
    }
    const { value, faults } = fillValue(tree, env)
    const { origin } = tree
    issues.push(...faults.map((message) => ({ origin, path: describePath(path), message })))
    return value
  }
  return { settings: fillMap(settings, []), issues }
}

/** Whether a text holds anything beside variables. */
export function isLiteral(tree: SettingTree): boolean {
  if (tree.kind !== 'value' || typeof tree.value !== 'string') return false
  return (tree.written ?? tree.value).replaceAll(reference, '').trim() !== ''
}

const reference = /\$\$\{|\$\{([^}]*)\}?/g
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

function fillValue(tree: SettingValue, env: Environment): { value: SettingValue; faults: readonly string[] } {
  if (typeof tree.value !== 'string' || !tree.value.includes('${')) return { value: tree, faults: [] }

  const faults: string[] = []
  const variables: string[] = []
  const value = tree.value.replaceAll(reference, (whole, name: string | undefined) => {
    if (name === undefined) return '${'
    if (!whole.endsWith('}') || !variableName.test(name)) {
      faults.push(`"${whole}" names no environment variable; write $\${ for a literal $\{`)
      return ''
    }
    const text = env[name]
    if (text === undefined) faults.push(`the environment variable ${name} is not set`)
    variables.push(name)
    return text ?? ''
  })
  return { value: { ...tree, value, written: tree.value, variables }, faults }
}
