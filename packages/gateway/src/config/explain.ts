import { configKeys, type ConfigKey } from './json-schema.ts'
import { describePath, type Origin, type Path } from './origin.ts'
import { leavesOf, treeAt, type SettingMap, type SettingTree } from './setting-tree.ts'

/** One value of the configuration, and where it was set. */
export interface ExplainedValue {
  readonly path: string
  /** The value as users are shown it; a secret is redacted. */
  readonly value: string
  readonly origin: Origin
}

/** Every value in force, section by section. Values that were set come before the defaults. */
export function explainConfig(settings: SettingMap): readonly ExplainedValue[] {
  const said = leavesOf(settings)
    .filter(([path]) => path.length > 0)
    .map(([path, leaf]) => ({ path: describePath(path), value: shown(path, leaf), origin: leaf.origin }))
  const known = configKeys()
  const sections = known.map(({ path }) => path).filter((path) => !path.includes('.'))
  const sectionOf = ({ path }: ExplainedValue): number => sections.indexOf(/^\w+/.exec(path)?.[0] ?? '')
  return [...said, ...defaultsBeside(settings, known)].toSorted((a, b) => sectionOf(a) - sectionOf(b))
}

function defaultsBeside(settings: SettingMap, known: readonly ConfigKey[]): ExplainedValue[] {
  const origin: Origin = { from: 'default' }
  const isRecording = settings.entries.has('record')
  const values = known.flatMap(({ path, default: value }): ExplainedValue[] => {
    const isSaid = treeAt(settings, path.split('.')) !== undefined
    // A section is shown by its keys.
    const isSection = JSON.stringify(value) === '{}'
    if (isSaid || isSection || value === undefined || /[*[]/.test(path)) return []
    return path.startsWith('record.') && !isRecording ? [] : [{ path, value: JSON.stringify(value), origin }]
  })
  const hasUpstreams = settings.entries.has('upstreams')
  if (!hasUpstreams) values.push({ path: 'upstreams', value: 'simulator', origin })
  if (!isRecording) values.push({ path: 'record', value: 'off', origin })
  return values
}

function shown(path: Path, leaf: SettingTree): string {
  if (leaf.kind !== 'value') return leaf.kind === 'list' ? '[]' : '{}'
  // Before its variables are filled in, a text shows no secret.
  if (leaf.written !== undefined) return JSON.stringify(leaf.written)
  const isSecret = path[0] === 'upstreams' && (path[2] === 'apiKey' || path[2] === 'headers')
  if (path[0] === 'store') return JSON.stringify(String(leaf.value).replace(/\/\/[^@/]*@/, '//[redacted]@'))
  return isSecret ? '[redacted]' : JSON.stringify(leaf.value)
}
