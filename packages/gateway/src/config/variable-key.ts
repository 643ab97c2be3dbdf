import { createHash } from 'node:crypto'
import type { Environment } from './interpolate.ts'
import type { ConfigIssue } from './origin.ts'
import { variableSaid } from './overlays.ts'
import { Secret } from './secret.ts'
import { settingsFrom, withEntry, type SettingMap } from './setting-tree.ts'

/** Keys of clients of which more than the digest is known, by name. */
export type PlainKeys = ReadonlyMap<string, Secret>

const name = 'DRAGOMAN_API_KEY'
const shortestKey = 24

/** Adds the client key of the environment to the configured ones. */
export function withVariableKey(
  settings: SettingMap,
  env: Environment,
): { settings: SettingMap; issues: readonly ConfigIssue[]; plainKeys: PlainKeys } {
  const given = variableSaid(env, name)
  const configured = settings.entries.get('keys')?.tree
  // The schema reports keys that are no list.
  if (given === undefined || (configured !== undefined && configured.kind !== 'list')) {
    return { settings, issues: [], plainKeys: new Map() }
  }
  const { origin, text } = given
  if (text.length < shortestKey) {
    const message = `a key must have at least ${shortestKey} characters; "openssl rand -hex 24" makes one`
    return { settings, issues: [{ origin, path: 'keys', message }], plainKeys: new Map() }
  }
  const sha256 = createHash('sha256').update(text).digest('hex')
  const items = [...(configured?.items ?? []), settingsFrom(origin, { name, sha256 })]
  const keys = { kind: 'list', items, origin: configured?.origin ?? origin } as const
  const plainKeys = new Map([[name, new Secret(text)]])
  return { settings: withEntry(settings, 'keys', keys), issues: [], plainKeys }
}
