import { hostedServers } from './hosted.ts'
import { selfHostedServers } from './self-hosted.ts'
import type { KnownModel, ModelFacts, Server, ServerTakes, TakesException } from './server.ts'

/** Every kind of server that something is known of. */
export const servers: readonly Server[] = [...selfHostedServers, ...hostedServers]

/** The names of the kinds, as the configuration has them. */
export const serverIds: readonly string[] = servers.map(({ id }) => id)

export function serverById(id: string): Server | undefined {
  return servers.find((server) => server.id === id)
}

/** The server whose vendor answers at this address; undefined for every other address. */
export function serverAt(url: string): Server | undefined {
  const { hostname } = new URL(url)
  return hostedServers.find(({ hosts }) => hosts?.test(hostname) === true)
}

/** What a server takes in a request for this model. Every kind of server left unknown takes what no server refuses. */
export function takesOf(server: Server | undefined, model: string, version?: string): ServerTakes {
  if (server === undefined) return {}
  const fitting = (server.exceptions ?? []).filter((exception) => fits(exception, model, version))
  return fitting.length === 0
    ? server.takes
    : Object.assign({}, server.takes, ...fitting.map(({ takes }) => takes))
}

/** What is known by its name of a model whose server tells nothing. */
export function factsByName(server: Server | undefined, model: string): ModelFacts {
  const known = server?.knownModels?.find(({ names }) => names.test(model))
  if (known === undefined) return {}
  const { names: _, ...facts }: KnownModel = known
  return facts
}

/** Whether a name in the list of a server means this model there. */
export function isSameModel(server: Server | undefined, listed: string, model: string): boolean {
  if (listed === model) return true
  const namesOf = (name: string) => [name, ...(server?.aliasesOf?.(name) ?? [])]
  const names = new Set(namesOf(model))
  return namesOf(listed).some((name) => names.has(name))
}

/** Whether a server of this version can be kept from reading calls itself. An unknown version is taken for a new one. */
export function textCallsOf(server: Server | undefined, version?: string): Server['textCalls'] {
  const way = server?.textCalls
  if (way === undefined || way.by === 'prompt' || way.until === undefined) return way
  return version !== undefined && isBefore(version, way.until) ? way : undefined
}

function fits({ models, since, until }: TakesException, model: string, version: string | undefined): boolean {
  if (models !== undefined && !models.test(model)) return false
  if (version === undefined) return since === undefined || until !== undefined
  return (
    (since === undefined || !isBefore(version, since)) && (until === undefined || isBefore(version, until))
  )
}

/** Versions are compared number by number: 0.9 comes before 0.10. */
function isBefore(version: string, other: string): boolean {
  const [mine, theirs] = [version, other].map(numbersIn)
  for (const [at, number] of (theirs ?? []).entries()) {
    const own = mine?.[at] ?? 0
    if (own !== number) return own < number
  }
  return false
}

function numbersIn(version: string): number[] {
  return (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number)
}
