import { cautions, exposedFiles } from './cautions.ts'
import { faultsBetween } from './checks.ts'
import type { GatewayConfig } from './config.ts'
import { findConfigFiles, type ReadFile } from './config-files.ts'
import { interpolate } from './interpolate.ts'
import type { ConfigIssue } from './origin.ts'
import { commonVariableSettings, type ConfigFlags, flagSettings, variableSettings } from './overlays.ts'
import { isOwnAddress } from './addresses.ts'
import { readProxies } from './proxies.ts'
import { resolveConfig } from './resolve.ts'
import { configSchema } from './schema.ts'
import { pathOf, schemaIssues } from './schema-issues.ts'
import { joinLayers, plainValue, type SettingMap, treeAt, withoutKeys } from './setting-tree.ts'
import { readSaidUpstream, singleUpstream } from './single-upstream.ts'
import { type PlainKeys, withVariableKey } from './variable-key.ts'
import type { ConfigWorld } from './world.ts'

export type LoadResult = LoadedConfig | RefusedConfig

export interface LoadedConfig {
  readonly ok: true
  readonly config: GatewayConfig
  readonly warnings: readonly ConfigIssue[]
  /** The names of the files that were read, as users are shown them. */
  readonly files: readonly string[]
  /** The names of those files that set something. */
  readonly tellingFiles: readonly string[]
  /** Absolute paths whose change can change the configuration, whether there is a file or not. */
  readonly watched: readonly string[]
  /** The values that were set, each with its place. */
  readonly settings: SettingMap
}

export interface RefusedConfig {
  readonly ok: false
  /** All that is wrong, in the order of the files. */
  readonly errors: readonly ConfigIssue[]
  readonly warnings: readonly ConfigIssue[]
  readonly files: readonly string[]
  readonly watched: readonly string[]
}

/**
 * Reads the configuration. Flags have precedence over variables, these over the file in the working directory, this
 * over the file of the user, and all of them over the defaults.
 */
export async function loadConfig(world: ConfigWorld, flags: ConfigFlags = {}): Promise<LoadResult> {
  const found = await findConfigFiles(world, flags.config)
  const files = found.files.map(({ name }) => name)
  const watched = found.paths
  // A setting that a broken file does not hold would be reported as missing.
  const broken = [...found.issues, ...found.files.flatMap(({ issues }) => issues)]
  if (broken.length > 0) return { ok: false, errors: inOrder(broken), warnings: [], files, watched }

  const sources = joinSources(world, flags, found.files)
  const { settings } = sources
  const exposed = exposedFiles(found.files, settings)
  const warnings = [...sources.warnings, ...exposed.warnings, ...cautions(settings)]
  const { proxies, issues: proxyIssues } = readProxies(world.env)
  const parsed = configSchema.safeParse(plainValue(settings))
  const errors = [
    ...sources.issues,
    ...proxyIssues,
    ...sources.files.flatMap((file) => beside(sources.issues, faultsOf(file))),
    ...(parsed.success ? [] : beside(sources.issues, schemaIssues(parsed.error.issues, settings))),
    ...faultsBetween(settings),
    ...exposed.issues,
  ]
  if (!parsed.success || errors.length > 0) {
    return { ok: false, errors: inOrder(errors), warnings, files, watched }
  }
  const config = resolveConfig(parsed.data, settings, {
    cwd: world.cwd,
    proxies,
    plainKeys: sources.plainKeys,
  })
  const tellingFiles = found.files.flatMap((file) => (file.settings.entries.size > 0 ? [file.name] : []))
  return { ok: true, config, warnings, files, tellingFiles, watched, settings }
}

interface JoinedSources {
  readonly settings: SettingMap
  /** The settings of each file, with its variables filled in. */
  readonly files: readonly SettingMap[]
  readonly plainKeys: PlainKeys
  readonly issues: readonly ConfigIssue[]
  readonly warnings: readonly ConfigIssue[]
}

function joinSources({ env }: ConfigWorld, flags: ConfigFlags, files: readonly ReadFile[]): JoinedSources {
  const given = readSaidUpstream(flags, env)
  const isReplaced = given.upstream !== undefined
  // Settings that others replace are not filled in: they may need variables that are not set here.
  const filled = files.map(({ settings }) =>
    interpolate(isReplaced ? withoutKeys(settings, ['upstreams', 'models']) : settings, env),
  )
  const layers = joinLayers([
    flagSettings(flags),
    variableSettings(env),
    ...filled.map(({ settings }) => settings),
    commonVariableSettings(env),
  ])
  const nameUpstreams = layers.entries.has('upstreams') || layers.entries.has('models')
  const single = singleUpstream(given, env, { nameUpstreams }, (url) => isOwnAddress(url, layers))
  const keyed = withVariableKey(joinLayers([single.settings, layers]), env)
  return {
    settings: keyed.settings,
    files: filled.map(({ settings }) => settings),
    plainKeys: keyed.plainKeys,
    issues: [...filled.flatMap(({ issues }) => issues), ...single.issues, ...keyed.issues],
    warnings: single.warnings,
  }
}

/** An error in a file is reported even where another place overrides the setting. */
function faultsOf(file: SettingMap): ConfigIssue[] {
  const { error } = configSchema.safeParse(plainValue(file))
  // Another file may set what this section lacks.
  const issues = error?.issues.filter(
    ({ path }) => path.length > 2 || treeAt(file, pathOf(path)) !== undefined,
  )
  return schemaIssues(issues ?? [], file)
}

/**
 * A variable that is not set leaves a hole in the settings. The variable is reported, and what the schema says about
 * the hole is dropped, as it would only confuse.
 */
function beside(reported: readonly ConfigIssue[], issues: readonly ConfigIssue[]): ConfigIssue[] {
  const paths = new Set(reported.map(({ path }) => path))
  return issues.filter(({ path }) => path === '' || !paths.has(path))
}

/** Sorts issues by file and line, each once. Issues that belong to no file come first. */
function inOrder(issues: readonly ConfigIssue[]): ConfigIssue[] {
  const distinct = new Map(issues.map((issue) => [JSON.stringify(issue), issue]))
  return [...distinct.values()].toSorted((a, b) => {
    if (a.origin.from !== 'file' || b.origin.from !== 'file') {
      return Number(a.origin.from === 'file') - Number(b.origin.from === 'file')
    }
    if (a.origin.file !== b.origin.file) return a.origin.file < b.origin.file ? -1 : 1
    return a.origin.line - b.origin.line || a.origin.column - b.origin.column
  })
}
