import { posix, win32 } from 'node:path'
import type { Environment } from './interpolate.ts'
import { type ConfigIssue, type Origin } from './origin.ts'
import { type SettingMap } from './setting-tree.ts'
import type { ConfigFile, ConfigWorld } from './world.ts'

/** A configuration file that was read; it may be wrong. */
export interface ReadFile {
  /** The name that users are shown. */
  readonly name: string
  /** Absolute. */
  readonly path: string
  readonly settings: SettingMap
  readonly issues: readonly ConfigIssue[]
  readonly isReadableByOthers: boolean
}

export interface FoundFiles {
  /** The files that set something, those with precedence first. */
  readonly files: readonly ReadFile[]
  /** Every path that was looked at. */
  readonly paths: readonly string[]
  readonly issues: readonly ConfigIssue[]
}

/**
 * Finds the file that is named; without a name, the one in the working directory, which has precedence over the one
 * of the user.
 */
export async function findConfigFiles(world: ConfigWorld, flag: string | undefined): Promise<FoundFiles> {
  const candidates = candidatesFor(world, flag)
  const results = await Promise.all(candidates.map((candidate) => readCandidate(candidate, world)))
  return {
    files: results.flatMap((result) => (result !== undefined && 'settings' in result ? [result] : [])),
    paths: candidates.map(({ path }) => path),
    issues: results.flatMap((result) => (result !== undefined && 'message' in result ? [result] : [])),
  }
}

interface Candidate {
  readonly name: string
  readonly path: string
  /** Who named the file. A file that is named must exist. */
  readonly namedBy?: Origin
}

function candidatesFor({ env, cwd, home, platform }: ConfigWorld, flag: string | undefined): Candidate[] {
  const paths = platform === 'win32' ? win32 : posix
  const variable = env['DRAGOMAN_CONFIG']
  if (flag !== undefined) {
    return [{ name: flag, path: paths.resolve(cwd, flag), namedBy: { from: 'flag', name: 'config' } }]
  }
  if (variable !== undefined && variable !== '') {
    const namedBy: Origin = { from: 'environment', name: 'DRAGOMAN_CONFIG' }
    return [{ name: variable, path: paths.resolve(cwd, variable), namedBy }]
  }
  const userFile = paths.join(userConfigFolder(env, home, platform), 'dragoman', 'config.yaml')
  return [
    { name: 'dragoman.yaml', path: paths.join(cwd, 'dragoman.yaml') },
    { name: userFile, path: userFile },
  ]
}

function userConfigFolder(env: Environment, home: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return env['APPDATA'] || win32.join(home, 'AppData', 'Roaming')
  const folder = env['XDG_CONFIG_HOME']
  // The XDG standard says to ignore a relative path, which would name another folder in each working directory.
  return folder !== undefined && posix.isAbsolute(folder) ? folder : posix.join(home, '.config')
}

async function readCandidate(
  { name, path, namedBy }: Candidate,
  world: ConfigWorld,
): Promise<ReadFile | ConfigIssue | undefined> {
  const issue = (message: string): ConfigIssue => ({
    origin: namedBy ?? { from: 'default' },
    path: '',
    message: `${name}: ${message}`,
  })
  try {
    const file = await world.readFile(path)
    if (file === undefined) return namedBy === undefined ? undefined : issue('no such file')
    const isReadableByOthers = world.platform !== 'win32' && isOpenToOthers(file, world)
    // The YAML parser is loaded only where there is a file; many gateways start without one.
    const { readYaml } = await import('./read-yaml.ts')
    return { name, path, ...readYaml(file.text, name), isReadableByOthers }
  } catch (error) {
    return issue(`cannot be read: ${reasonOf(error)}`)
  }
}

/**
 * A secret that is mounted for a process, or given to a service, belongs to root and is readable by a group of the process:
 * that is no more open than a file of its own. Where the group may write too, others could put their keys in.
 */
function isOpenToOthers({ mode, group }: ConfigFile, { groups }: ConfigWorld): boolean {
  const forGroup = mode & 0o070
  return (mode & 0o007) !== 0 || (forGroup !== 0 && !(forGroup === 0o040 && groups.includes(group)))
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && error.code === 'EISDIR' ? 'it is a directory' : error.message
}
