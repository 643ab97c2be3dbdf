import { countOf, isJsonObject } from '../../json/objects.ts'
import { encodeSse } from '../../sse/encoder.ts'
import type { HttpDialect, ModelEntry, RateLimit } from '../dialect.ts'

/** Anthropic's messages over HTTP. */
export const anthropicHttp: HttpDialect = {
  routes: [
    { method: 'POST', path: '/v1/messages', serves: 'answer' },
    {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      serves: 'token-count',
      body: (tokens) => ({ input_tokens: tokens }),
      read: (answer) => (isJsonObject(answer) ? (countOf(answer, 'input_tokens') ?? undefined) : undefined),
    },
  ],
  root: '/v1/messages',
  clientHeader: 'anthropic-version',
  keepAlive: encodeSse({ event: 'ping', data: '{"type":"ping"}' }),
  keyHeaders: ['x-api-key'],
  keyParameters: [],
  upstreamPath: (base) => `${base}/messages`,
  headers: (key) => ({
    'anthropic-version': '2023-06-01',
    ...(key === undefined ? {} : { 'x-api-key': key }),
  }),
  rateLimits: { read: readLimit, write: writeLimit },
  models: {
    list: (models) => ({
      data: models.map(modelEntry),
      has_more: false,
      first_id: models.at(0)?.id ?? null,
      last_id: models.at(-1)?.id ?? null,
    }),
    one: modelEntry,
  },
}

function modelEntry({ id, window, maxOutput }: ModelEntry): object {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: '1970-01-01T00:00:00Z',
    ...(window === undefined ? {} : { max_input_tokens: window }),
    ...(maxOutput === undefined ? {} : { max_tokens: maxOutput }),
  }
}

function readLimit(name: string, value: string): RateLimit | null {
  const [, unit, is] = /^anthropic-ratelimit-(requests|tokens)-(limit|remaining|reset)$/.exec(name) ?? []
  if (unit !== 'requests' && unit !== 'tokens') return null
  if (is === 'limit' || is === 'remaining') return { unit, is, count: value }
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : { unit, is: 'reset', at }
}

function writeLimit(limit: RateLimit): readonly [name: string, value: string] {
  const value = limit.is === 'reset' ? new Date(limit.at).toISOString() : limit.count
  return [`anthropic-ratelimit-${limit.unit}-${limit.is}`, value]
}
