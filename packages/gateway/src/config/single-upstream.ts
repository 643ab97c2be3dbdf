import type { Environment } from './interpolate.ts'
import type { ConfigIssue } from './origin.ts'
import { said, variableSaid, type ConfigFlags, type Said } from './overlays.ts'
import { settingsFrom, withEntry, noSettings, type SettingMap } from './setting-tree.ts'
import { isOpenRouter, withVersionPath } from './upstream-url.ts'

/** The one upstream that the command line or the environment names, as settings that replace all others. */
export interface SingleUpstream {
  readonly settings: SettingMap
  readonly issues: readonly ConfigIssue[]
  readonly warnings: readonly ConfigIssue[]
}

/** What flags or else variables set for the one upstream. */
export interface SaidUpstream {
  readonly upstream: Said | undefined
  readonly keyVariable: Said | undefined
  readonly model: Said | undefined
  readonly format: Said | undefined
}

export function readSaidUpstream(flags: ConfigFlags, env: Environment): SaidUpstream {
  return {
    upstream: said('upstream', flags, env),
    keyVariable: said('upstream-key-env', flags, env),
    model: said('model', flags, env),
    format: said('format', flags, env),
  }
}

export function singleUpstream(
  given: SaidUpstream,
  env: Environment,
  files: { readonly nameUpstreams: boolean },
  isOwnAddress: (url: string) => boolean,
): SingleUpstream {
  if (given.upstream !== undefined) return upstreamAt(given.upstream, 'upstream', given, env)
  if (files.nameUpstreams) return nothing(uselessWithoutUpstream(given))

  const common = variableSaid(env, 'OPENAI_BASE_URL')
  if (common === undefined) return simulator(given)
  if (isOwnAddress(common.text)) {
    // People set this variable for their clients, to the address of the gateway. If the gateway followed it, it would
    // call itself.
    const message = 'is the address of the gateway itself and is not used as its upstream'
    const own = simulator(given)
    return { ...own, warnings: [...own.warnings, { origin: common.origin, path: '', message }] }
  }
  return upstreamAt(common, 'openai', given, env)
}

function upstreamAt(upstream: Said, name: string, given: SaidUpstream, env: Environment): SingleUpstream {
  const { text, origin } = upstream
  const url = withVersionPath(text)
  const { key, issues } = keyFor(upstream, given.keyVariable, env)
  const base = settingsFrom(origin, { url })
  const server =
    key === undefined
      ? base
      : withEntry(base, 'apiKey', {
          kind: 'value',
          value: key.text,
          origin: key.origin,
          written: `\${${key.variable}}`,
          variables: [key.variable],
        })
  const upstreams: SettingMap = withEntry({ ...noSettings, origin }, name, server)
  return {
    settings: withEntry(modelsFor(name, upstream, given), 'upstreams', upstreams),
    issues,
    warnings: [],
  }
}

function simulator(given: SaidUpstream): SingleUpstream {
  const { model, format, keyVariable } = given
  const first = model ?? format
  const settings = first === undefined ? noSettings : modelsFor('simulator', first, given)
  const issues = keyVariable === undefined ? [] : uselessWithoutUpstream({ ...nobody, keyVariable })
  return { settings, issues, warnings: [] }
}

function modelsFor(name: string, { origin }: Said, { model, format }: SaidUpstream): SettingMap {
  let rule = settingsFrom(origin, { match: '*', upstream: name })
  if (model) rule = withEntry(rule, 'model', { kind: 'value', value: model.text, origin: model.origin })
  if (format) rule = withEntry(rule, 'format', { kind: 'value', value: format.text, origin: format.origin })
  return withEntry({ ...noSettings, origin }, 'models', { kind: 'list', items: [rule], origin })
}

interface Key extends Said {
  readonly variable: string
}

/**
 * A key that is set in the environment for everybody goes to its owner alone. Any other server gets a key only where
 * the configuration names it.
 */
function keyFor(
  upstream: Said,
  named: Said | undefined,
  env: Environment,
): { key: Key | undefined; issues: readonly ConfigIssue[] } {
  const keyOf = (variable: string): Key | undefined => {
    const text = env[variable]
    return text === undefined || text === ''
      ? undefined
      : { text, origin: { from: 'environment', name: variable }, variable }
  }
  if (named !== undefined) {
    const key = keyOf(named.text)
    const message = `the environment variable ${named.text} is not set`
    return { key, issues: key === undefined ? [{ origin: named.origin, path: '', message }] : [] }
  }
  const { origin, text } = upstream
  const isCommon = origin.from === 'environment' && origin.name === 'OPENAI_BASE_URL'
  const own = isCommon ? keyOf('OPENAI_API_KEY') : undefined
  return { key: own ?? (isOpenRouter(text) ? keyOf('OPENROUTER_API_KEY') : undefined), issues: [] }
}

function uselessWithoutUpstream({ keyVariable, model, format }: SaidUpstream): ConfigIssue[] {
  return [keyVariable, model, format].flatMap((given) =>
    given === undefined
      ? []
      : [{ origin: given.origin, path: '', message: 'has no effect without --upstream; set it in the file' }],
  )
}

const nobody: SaidUpstream = {
  upstream: undefined,
  keyVariable: undefined,
  model: undefined,
  format: undefined,
}

function nothing(issues: readonly ConfigIssue[]): SingleUpstream {
  return { settings: noSettings, issues, warnings: [] }
}
