import { isLoopbackHost } from './addresses.ts'
import type { GatewayConfig } from './config.ts'
import type { LoadedConfig, LoadResult, RefusedConfig } from './load.ts'
import type { ConfigIssue } from './origin.ts'

export interface ConfigWatcherOptions {
  readonly initial: LoadedConfig
  readonly load: () => Promise<LoadResult>
  /** Is told that a new configuration is in force for whatever begins from now on. */
  readonly onChange: (loaded: LoadedConfig, change: ConfigChange) => void
  /** Is told that the file is wrong, gone, empty or unreadable, so that the old configuration stays. */
  readonly onError: (refused: RefusedConfig) => void
  /** Calls `run` after a while, unless the function that it returns is called first. */
  readonly delay: (run: () => void) => () => void
}

export interface ConfigChange {
  readonly previous: GatewayConfig
  /** The keys whose new values count only after a restart. */
  readonly needsRestart: readonly string[]
}

export interface ConfigWatcher {
  readonly current: GatewayConfig
  /** Reads the configuration again, and resolves to the one that is in force then. */
  reload(): Promise<GatewayConfig>
  /**
   * Is called for each change of a file. The file is read once the changes have stopped, as editors write in several
   * steps.
   */
  fileChanged(): void
  stop(): void
}

/** Holds the configuration in force. A new one replaces it only if it is right. */
export function createConfigWatcher(options: ConfigWatcherOptions): ConfigWatcher {
  const { initial, load, onChange, onError, delay } = options
  let current = initial.config
  let files = initial.tellingFiles
  let cancelDelay: (() => void) | undefined
  let isStopped = false
  // Files are read one after the other. If two were read at once, the older one could arrive last.
  let last: Promise<GatewayConfig> = Promise.resolve(current)

  const readAgain = async (): Promise<GatewayConfig> => {
    if (isStopped) return current
    const result = await load().catch(unreadable)
    if (isStopped) return current
    const refused = result.ok
      ? (withoutFiles(files, result) ?? withoutProtection(initial.config, result))
      : result
    if (!result.ok || refused !== undefined) {
      if (refused !== undefined) onError(refused)
      return current
    }
    const previous = current
    current = result.config
    files = result.tellingFiles
    onChange(result, { previous, needsRestart: keysThatNeedRestart(initial.config, current) })
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

/** The keys of settings that cannot change while the server is open. */
function keysThatNeedRestart(opened: GatewayConfig, next: GatewayConfig): readonly string[] {
  const before = new Map(openedWith(opened))
  return openedWith(next).flatMap(([key, value]) => (before.get(key) === value ? [] : [key]))
}

function openedWith({
  listen,
  limits,
  accounting,
}: GatewayConfig): readonly (readonly [key: string, value: unknown])[] {
  return [
    ['listen.host', listen.host],
    ['listen.port', listen.port],
    ['limits.headerBytes', limits.headerBytes],
    ['store', accounting?.store.is === 'redis' ? accounting.store.url.reveal() : 'memory'],
    ['storeFailure', accounting?.storeFailure ?? 'open'],
  ]
}

function withoutFiles(inForce: readonly string[], next: LoadedConfig): RefusedConfig | undefined {
  const errors = lostFiles(inForce, next)
  return errors.length === 0 ? undefined : { ...next, ok: false, errors }
}

/**
 * A configuration for a loopback address needs no keys. Until a restart the gateway still listens on its old address,
 * where such a configuration would let everybody in.
 */
function withoutProtection(opened: GatewayConfig, next: LoadedConfig): RefusedConfig | undefined {
  const { host } = opened.listen
  if (isLoopbackHost(host) || next.config.keys.length > 0) return undefined
  const message = `the gateway listens on ${host} until it is restarted, and clients need keys there`
  return { ...next, ok: false, errors: [{ origin: { from: 'default' }, path: 'keys', message }] }
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

/**
 * The files in force that set nothing in a newer configuration. A file can be gone or empty while somebody writes it;
 * without it the gateway would have neither its keys nor its upstreams.
 */
export function lostFiles(inForce: readonly string[], next: LoadedConfig): ConfigIssue[] {
  return inForce
    .filter((file) => !next.tellingFiles.includes(file))
    .map((file) => {
      const fate = next.files.includes(file) ? 'is empty' : 'is gone'
      const message = `${file}: ${fate}; the gateway does without it after a restart only`
      return { origin: { from: 'default' }, path: '', message }
    })
}
