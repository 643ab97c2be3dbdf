import { isLoopbackHost } from './addresses.ts'
import type { GatewayConfig } from './config.ts'
import type { LoadedConfig, LoadResult, RefusedConfig } from './load.ts'
import type { ConfigIssue } from './origin.ts'

export interface ConfigWatcherOptions {
  readonly initial: LoadedConfig
  readonly load: () => Promise<LoadResult>
  /** The new configuration is in force for what begins from now on. */
  readonly onChange: (loaded: LoadedConfig, change: ConfigChange) => void
  /** The file is wrong, gone or empty, or cannot be read: the old configuration stays. */
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
  let files = initial.tellingFiles
  let cancelDelay: (() => void) | undefined
  let isStopped = false
  // One after the other: of two at once, the older file could be the last to arrive.
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

/** Some of what the server was opened with cannot be changed while it is open. */
function keysThatNeedRestart(opened: GatewayConfig, next: GatewayConfig): readonly string[] {
  const before = new Map(openedWith(opened))
  return openedWith(next).flatMap(([key, value]) => (before.get(key) === value ? [] : [key]))
}

function openedWith({ listen, limits }: GatewayConfig): readonly (readonly [key: string, value: unknown])[] {
  return [
    ['listen.host', listen.host],
    ['listen.port', listen.port],
    ['limits.headerBytes', limits.headerBytes],
  ]
}

function withoutFiles(inForce: readonly string[], next: LoadedConfig): RefusedConfig | undefined {
  const errors = lostFiles(inForce, next)
  return errors.length === 0 ? undefined : { ...next, ok: false, errors }
}

/**
 * A configuration for a loopback address needs no keys, but the address is the old one until a restart: taken
 * over without keys, it would let everybody in.
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
 * The files that are in force and say nothing in a configuration that was read after them. A file can be gone, or
 * empty, while somebody writes it; taken over like that, the gateway would do without its keys and its upstreams.
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
