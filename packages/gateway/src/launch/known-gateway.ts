import { CliError, failure } from '../terminal/cli-error.ts'
import type { TokenLimits } from './client.ts'

/** A gateway on this machine answers at once, or is none. */
const HEALTH_MS = 2000
/** The gateway may have to ask its upstreams first. */
const LIST_MS = 20_000
/** A client can do without the limits of its model, so nobody waits for them for long. */
const LIMITS_MS = 5000

/** A gateway that can be asked. */
export interface KnownGateway {
  /** Its address, without a slash at its end. */
  readonly base: string
  readonly key: string | undefined
}

/**
 * Whether a gateway of ours is at this address, ready to serve. Other servers answer `/health` in the same words;
 * only ours puts the id of the request into both headers.
 */
export async function isGatewayAt(base: string): Promise<boolean> {
  try {
    const response = await fetch(`${base}/health`, { signal: AbortSignal.timeout(HEALTH_MS) })
    const id = response.headers.get('x-request-id')
    const body: unknown = await response.json()
    return response.status === 200 && id !== null && id === response.headers.get('request-id') && isOk(body)
  } catch {
    return false
  }
}

/** The models that the gateway lists. A gateway that wants another key ends the command, or one that fails. */
export async function listedModels(gateway: KnownGateway): Promise<string[]> {
  const { status, body } = await ask(gateway, '/v1/models', LIST_MS).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw failure(`the gateway at ${gateway.base} does not answer: ${reason}`, error)
  })
  if (status === 401) throw keyNeeded(gateway)
  if (status !== 200) throw failure(`the gateway at ${gateway.base} lists no models: it answers ${status}`)
  const list = memberOf(body, 'data')
  if (!Array.isArray(list)) return []
  return list.map((model) => memberOf(model, 'id')).filter((id) => typeof id === 'string')
}

/** What the gateway tells about the room that a model has. A gateway that wants another key ends the command. */
export async function limitsOf(gateway: KnownGateway, model: string): Promise<TokenLimits> {
  const path = `/v1/models/${encodeURIComponent(model)}`
  const told = await ask(gateway, path, LIMITS_MS).catch(() => undefined)
  if (told?.status === 401) throw keyNeeded(gateway)
  if (told?.status !== 200) return { window: null, maxOutput: null }
  return {
    window: firstCount(told.body, ['context_length', 'context_window', 'max_model_len']),
    maxOutput: firstCount(told.body, ['max_output_tokens']),
  }
}

async function ask(
  { base, key }: KnownGateway,
  path: string,
  longest: number,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = new Headers(key === undefined ? {} : { authorization: `Bearer ${key}` })
  const response = await fetch(`${base}${path}`, { headers, signal: AbortSignal.timeout(longest) })
  return { status: response.status, body: await response.json() }
}

function keyNeeded({ base, key }: KnownGateway): Error {
  const message = key === undefined ? 'wants a key' : 'refuses the key'
  const hint = 'Put it into a variable and name that with --key-env, or set DRAGOMAN_API_KEY.'
  return new CliError(1, `the gateway that runs at ${base} ${message}.`, hint)
}

function isOk(body: unknown): boolean {
  return memberOf(body, 'status') === 'ok'
}

function firstCount(body: unknown, names: readonly string[]): number | null {
  const counts = names.map((name) => memberOf(body, name))
  return counts.find((count): count is number => Number.isInteger(count) && Number(count) > 0) ?? null
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}
