import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { GatewayConfig } from '../config/config.ts'
import type { LoadedConfig, LoadResult } from '../config/load.ts'
import { describeIssue } from '../config/origin.ts'
import { createConfigWatcher } from '../config/watcher.ts'

/** Editors write a file in several steps. */
const SETTLE_MS = 200

export interface FollowConfigOptions {
  readonly initial: LoadedConfig
  readonly load: () => Promise<LoadResult>
  readonly onChange: (config: GatewayConfig) => void
  /** Tells people what became of a new configuration. */
  readonly say: (text: string) => void
}

/** Reads the configuration again on SIGHUP and when a file changes; a wrong one changes nothing. */
export function followConfig({ initial, load, onChange, say }: FollowConfigOptions): () => void {
  const watcher = createConfigWatcher({
    initial,
    load,
    onChange: ({ config, warnings }, { needsRestart }) => {
      onChange(config)
      for (const warning of warnings) say(`warning: ${describeIssue(warning)}`)
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
  const onHangup = (): void => void watcher.reload()
  process.on('SIGHUP', onHangup)
  const watchers = initial.watched.flatMap((path) => {
    try {
      const folder = watch(dirname(path), (_event, name) => {
        if (name === basename(path)) watcher.fileChanged()
      })
      // A folder that is removed ends the watching, not the process.
      return [folder.on('error', () => folder.close())]
    } catch {
      // The folder of a file that nobody made need not exist.
      return []
    }
  })
  return () => {
    process.off('SIGHUP', onHangup)
    watcher.stop()
    for (const each of watchers) each.close()
  }
}
