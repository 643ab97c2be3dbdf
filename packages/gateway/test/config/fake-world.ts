import type { GatewayConfig } from '../../src/config/config.ts'
import { loadConfig, type LoadResult } from '../../src/config/load.ts'
import { describeIssue } from '../../src/config/origin.ts'
import type { ConfigFlags } from '../../src/config/overlays.ts'
import type { ConfigWorld } from '../../src/config/world.ts'

export interface Around {
  /** The text of ./dragoman.yaml. */
  readonly yaml?: string
  /** Other files, by absolute path. */
  readonly files?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly flags?: ConfigFlags
  readonly mode?: number
  /** The group of the files. That of the process is 1000. */
  readonly group?: number
  readonly platform?: NodeJS.Platform
}

export function fakeWorld({
  yaml,
  files = {},
  env = {},
  mode = 0o600,
  group = 100,
  platform = 'linux',
}: Around): ConfigWorld {
  const texts = new Map(Object.entries(files))
  if (yaml !== undefined) texts.set('/project/dragoman.yaml', yaml)
  return {
    env,
    cwd: '/project',
    home: '/home/ada',
    platform,
    groups: [1000],
    readFile: (path) => {
      const text = texts.get(path)
      return Promise.resolve(text === undefined ? undefined : { text, mode, group })
    },
  }
}

export function load(around: Around = {}): Promise<LoadResult> {
  return loadConfig(fakeWorld(around), around.flags)
}

/** The configuration, which must be right. */
export async function accepted(around: Around = {}): Promise<GatewayConfig> {
  const result = await load(around)
  if (result.ok) return result.config
  throw new Error(result.errors.map(describeIssue).join('\n'))
}

/** What is wrong with the configuration, one line an error. */
export async function refusals(around: Around): Promise<string[]> {
  const result = await load(around)
  return result.ok ? [] : result.errors.map(describeIssue)
}

export async function warnings(around: Around): Promise<string[]> {
  return (await load(around)).warnings.map(describeIssue)
}
