import type { Client, Preparation } from './client.ts'

const proxyVariables: ReadonlySet<string> = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'])
const exceptions = ['NO_PROXY', 'no_proxy']

/** The user's own environment, with what the client needs for the gateway. */
export function clientEnvironment(
  own: NodeJS.ProcessEnv,
  { clears }: Client,
  { env, defaults }: Preparation,
  base: string,
): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(Object.entries(own).filter(([name]) => !clears.includes(name)))
  return { ...defaults, ...kept, ...pastProxies(own, new URL(base).hostname), ...env }
}

/** A proxy for the way out cannot reach a gateway on this machine, so requests to it must not go there. */
function pastProxies(own: NodeJS.ProcessEnv, host: string): NodeJS.ProcessEnv {
  const hasProxy = Object.keys(own).some((name) => proxyVariables.has(name.toUpperCase()))
  if (!hasProxy) return {}
  const named = exceptions.map((name) => own[name]).find((value) => value !== undefined && value !== '')
  const list = named === undefined ? host : `${named},${host}`
  return Object.fromEntries(exceptions.map((name) => [name, list]))
}
