import type { GatewayConfig } from './config.ts'
import type { LoadedConfig, LoadResult, RefusedConfig } from './load.ts'

export interface ConfigWatcherOptions {
  readonly initial: LoadedConfig
  readonly load: () => Promise<LoadResult>
  /** The new configuration is in force for what begins from now on. */
  readonly onChange: (loaded: LoadedConfig, change: ConfigChange) => void
  /** The file is wrong or cannot be read: the old configuration stays. */
  readonly onError: (refused: RefusedConfig) => void
  /** Calls `run` after a while, unless what it returns is called before. */
  readonly delay: (run: () => void) => () => void
}

export interface ConfigChange {
  readonly previous: GatewayConfig
  /** Keys whose new values only hold after a restart. */
  readonly needsRestart: readonly string[]
}

export interface ConfigWatcher {
  readonly current: GatewayConfig
  /** Reads the configuration again and resolves to the one in force after that. */
  reload(): Promise<GatewayConfig>
  /** An editor writes a file in several steps: it is read once they are over. */
  fileChanged(): void
  stop(): void
}

/** Holds the configuration in force, and replaces it by a new one only if that one is right. */
export function createConfigWatcher(options: ConfigWatcherOptions): ConfigWatcher {
  const { initial, load, onChange, onError, delay } = options
  let current = initial.config
  let cancelDelay: (() => void) | undefined
  let isStopped = false
  // One after the other: of two at once, the older file could be the last to arrive.
  let last: Promise<GatewayConfig> = Promise.resolve(current)

  const readAgain = async (): Promise<GatewayConfig> => {
    const result = await load().catch(unreadable)
    if (isStopped) return current
    if (!result.ok) {
      onError(result)
      return current
    }
    const previous = current
    current = result.config
    onChange(result, { previous, needsRestart: keysThatNeedRestart(previous, current) })
    return current
  }
  const reload = (): Promise<GatewayConfig> => {
    cancelDelay?.()
    last = last.then(readAgain, readAgain)
    return last
  }
  return {
    get current() {
      return current
    },
    reload,
    fileChanged() {
      cancelDelay?.()
      if (!isStopped) cancelDelay = delay(() => void reload())
    },
    stop() {
      isStopped = true
      cancelDelay?.()
    },
  }
}

function keysThatNeedRestart(previous: GatewayConfig, next: GatewayConfig): readonly string[] {
  const keys = ['host', 'port'] as const
  return keys.filter((key) => previous.listen[key] !== next.listen[key]).map((key) => `listen.${key}`)
}

function unreadable(error: unknown): RefusedConfig {
  const message = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
  return {
    ok: false,
    errors: [{ origin: { from: 'default' }, path: '', message: `the configuration ${message}` }],
    warnings: [],
    files: [],
    watched: [],
  }
}
