import type { LoadedConfig, LoadResult } from './load.ts'
import { describeIssue } from './origin.ts'
import { createConfigWatcher } from './watcher.ts'
import { WatchedFiles } from './watched-files.ts'

/** Editors write a file in several steps; it is read when they are through. */
const SETTLE_MS = 200

export interface FollowConfigOptions {
  readonly initial: LoadedConfig
  readonly load: () => Promise<LoadResult>
  readonly onChange: (loaded: LoadedConfig) => void
  /** Tells people whether a new configuration was taken over. */
  readonly say: (text: string) => void
}

export interface FollowedConfig {
  reload(): void
  stop(): void
}

/** Reads the configuration again when a file changes and when asked to. A wrong configuration changes nothing. */
export function followConfig({ initial, load, onChange, say }: FollowConfigOptions): FollowedConfig {
  const watcher = createConfigWatcher({
    initial,
    load: () => {
      // The files are watched anew before they are read: a change that comes while they are read is noticed too.
      files.follow()
      return load()
    },
    onChange: (loaded, { needsRestart }) => {
      onChange(loaded)
      for (const warning of loaded.warnings) say(`warning: ${describeIssue(warning)}`)
      const rest = needsRestart.length === 0 ? '' : `; a restart is needed for ${needsRestart.join(', ')}`
      say(`configuration read again${rest}`)
    },
    onError: ({ errors }) => {
      say(['the new configuration is wrong; the old one stays', ...errors.map(describeIssue)].join('\n'))
    },
    delay: (run) => {
      const timer = setTimeout(run, SETTLE_MS)
      return () => clearTimeout(timer)
    },
  })
  const files = new WatchedFiles(initial.watched, () => watcher.fileChanged())
  return {
    reload: () => void watcher.reload(),
    stop: () => {
      watcher.stop()
      files.close()
    },
  }
}
