import type { LoadedConfig, LoadResult } from '../config/load.ts'
import type { ConfigFlags } from '../config/overlays.ts'
import { describeIssue } from '../config/origin.ts'
import { CliError } from '../terminal/cli-error.ts'
import type { Io } from '../terminal/io.ts'
import { exitCodeFor } from './config-options.ts'

export interface ReadConfig {
  readonly loaded: LoadedConfig
  /** Reads the same files, flags and variables again. */
  readonly load: () => Promise<LoadResult>
}

/** Reads the configuration that a command runs with. A wrong one ends the command. */
export async function readConfig(
  flags: ConfigFlags,
  io: Io,
  warnings: 'shown' | 'hidden',
): Promise<ReadConfig> {
  // The schema takes a while to load: a wrong command line must not wait for it.
  const [{ loadConfig }, { processWorld }] = await Promise.all([
    import('../config/load.ts'),
    import('../config/world.ts'),
  ])
  const load = (): Promise<LoadResult> => loadConfig(processWorld(io.env, io.cwd()), flags)
  const loaded = await load()
  if (warnings === 'shown') {
    await io.stderr.write(
      loaded.warnings.map((each) => `dragoman: warning: ${describeIssue(each)}\n`).join(''),
    )
  }
  if (!loaded.ok) throw new CliError(exitCodeFor(loaded.errors), loaded.errors.map(describeIssue).join('\n'))
  return { loaded, load }
}
