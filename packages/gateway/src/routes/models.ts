import type { GatewayConfig, ModelRule } from '../config/config.ts'
import { matchModel } from '../config/match-model.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

/** Names that the built-in simulator answers to, for people who look around. */
const simulated = [
  'kimi-k2',
  'kimi-k3',
  'qwen3-coder',
  'qwen3',
  'hermes-4',
  'deepseek-v3',
  'deepseek-v4',
  'standard',
]

/** The models a client may name, in the shape of its dialect. */
export async function listModels(
  config: GatewayConfig,
  upstreams: Upstreams,
  isAnthropic: boolean,
): Promise<unknown> {
  const named = config.models.map(({ match }) => match).filter((match) => !match.includes('*'))
  const names = [...new Set([...named, ...(await namesBehindPatterns(config, upstreams))])]
  if (!isAnthropic) {
    const data = names.map((id) => ({ id, object: 'model', created: 0, owned_by: 'dragoman' }))
    return { object: 'list', data }
  }
  const data = names.map((id) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: '1970-01-01T00:00:00Z',
  }))
  return { data, has_more: false, first_id: names.at(0) ?? null, last_id: names.at(-1) ?? null }
}

/** A pattern has no names of its own; where the upstream lists its models, they are those that get there. */
async function namesBehindPatterns(config: GatewayConfig, upstreams: Upstreams): Promise<string[]> {
  if (config.upstreams === 'simulator') return simulated
  const open = config.models.filter(({ match, model }) => match.includes('*') && model === null)
  const known = config.upstreams
  const lists = open.map(async ({ upstream: name }: ModelRule) => {
    const upstream = known.get(name)
    if (upstream === undefined) return []
    const names = await upstreams.models(upstream)
    return names.filter((id) => {
      const route = matchModel(config, id)
      return route?.upstream === upstream && route.model === id
    })
  })
  return (await Promise.all(lists)).flat()
}
