import type { Environment } from './interpolate.ts'
import type { Origin } from './origin.ts'
import { joinLayers, noSettings, settingsFrom, type SettingMap } from './setting-tree.ts'

/** The options of the command line that concern the configuration, as they were typed. */
export type ConfigFlags = Readonly<Partial<Record<ConfigFlag, string>>>

export type ConfigFlag =
  | 'config'
  | 'port'
  | 'host'
  | 'upstream'
  | 'upstream-key-env'
  | 'model'
  | 'format'
  | 'record'
  | 'log-level'

/** A text from the command line or the environment, and which of the two it came from. */
export interface Said {
  readonly text: string
  readonly origin: Origin
}

/**
 * The value of an option or, where it is not given, of the variable of the same name: DRAGOMAN_LOG_LEVEL for
 * --log-level.
 */
export function said(option: ConfigFlag, flags: ConfigFlags, env: Environment): Said | undefined {
  return flagSaid(option, flags) ?? variableSaid(env, variableOf(option))
}

/** An empty variable counts as unset, as many tools unset a variable by emptying it. */
export function variableSaid(env: Environment, name: string): Said | undefined {
  const text = env[name]
  return text === undefined || text === '' ? undefined : { text, origin: { from: 'environment', name } }
}

export function flagSettings(flags: ConfigFlags): SettingMap {
  return joinLayers(overlays.map((overlay) => settingOf(overlay, flagSaid(overlay.option, flags))))
}

export function variableSettings(env: Environment): SettingMap {
  return joinLayers(
    overlays.map((overlay) => settingOf(overlay, variableSaid(env, variableOf(overlay.option)))),
  )
}

/** The value of a variable that other programs use as well. It is no more than a default. */
export function commonVariableSettings(env: Environment): SettingMap {
  return settingOf(port, variableSaid(env, 'PORT'))
}

interface Overlay {
  readonly option: ConfigFlag
  readonly section: string
  readonly key: string
  readonly type: 'text' | 'number'
}

const port: Overlay = { option: 'port', section: 'listen', key: 'port', type: 'number' }

const overlays: readonly Overlay[] = [
  port,
  { option: 'host', section: 'listen', key: 'host', type: 'text' },
  { option: 'record', section: 'record', key: 'dir', type: 'text' },
  { option: 'log-level', section: 'log', key: 'level', type: 'text' },
]

function flagSaid(option: ConfigFlag, flags: ConfigFlags): Said | undefined {
  const text = flags[option]
  return text === undefined ? undefined : { text, origin: { from: 'flag', name: option } }
}

function variableOf(option: ConfigFlag): string {
  return `DRAGOMAN_${option.toUpperCase().replaceAll('-', '_')}`
}

function settingOf({ section, key, type }: Overlay, given: Said | undefined): SettingMap {
  if (given === undefined) return noSettings
  const { text, origin } = given
  const value = type === 'number' && /^\d+$/.test(text) ? Number(text) : text
  return settingsFrom(origin, { [section]: { [key]: value } })
}
