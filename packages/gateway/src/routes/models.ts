import type { GatewayConfig } from '../config/config.ts'

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
export function listModels(config: GatewayConfig, isAnthropic: boolean): unknown {
  const named = config.models.map(({ match }) => match).filter((match) => !match.includes('*'))
  const names = config.upstreams === 'simulator' ? [...new Set([...named, ...simulated])] : named
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
