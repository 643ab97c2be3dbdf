import { encodeSseComment } from '../../sse/encoder.ts'
import type { HttpDialect, ModelEntry, RateLimit } from '../dialect.ts'

/** Chat completions over HTTP. */
export const chatHttp: HttpDialect = {
  routes: [{ method: 'POST', path: '/v1/chat/completions', serves: 'answer' }],
  root: '/v1/chat',
  clientHeader: null,
  keepAlive: encodeSseComment('keep-alive'),
  keyHeaders: [],
  keyParameters: [],
  upstreamPath: (base) => `${base}/chat/completions`,
  headers: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  rateLimits: { read: readLimit, write: writeLimit },
  models: {
    list: (models) => ({ object: 'list', data: models.map(modelEntry) }),
    one: modelEntry,
  },
}

/** The dialect itself has no field for the window. Clients look for it under the names that servers and routers use. */
function modelEntry({ id, window, maxOutput }: ModelEntry): object {
  return {
    id,
    object: 'model',
    created: 0,
    owned_by: 'dragoman',
    ...(window === undefined
      ? {}
      : { max_model_len: window, context_length: window, context_window: window }),
    ...(maxOutput === undefined ? {} : { max_output_tokens: maxOutput, max_completion_tokens: maxOutput }),
  }
}

function readLimit(name: string, value: string, now: number): RateLimit | null {
  const [, is, unit] = /^x-ratelimit-(limit|remaining|reset)-(requests|tokens)$/.exec(name) ?? []
  if (unit !== 'requests' && unit !== 'tokens') return null
  if (is === 'limit' || is === 'remaining') return { unit, is, count: value }
  const span = milliseconds(value)
  return span === null ? null : { unit, is: 'reset', at: now + span }
}

function writeLimit(limit: RateLimit, now: number): readonly [name: string, value: string] {
  const value = limit.is === 'reset' ? `${Math.max(0, Math.ceil((limit.at - now) / 1000))}s` : limit.count
  return [`x-ratelimit-${limit.is}-${limit.unit}`, value]
}

/** The time until a limit is over, which servers write as `6m0s`. */
function milliseconds(span: string): number | null {
  const parts =
    /^(?=\d)(?:(\d{1,4})h)?(?:(\d{1,6})m)?(?:(\d{1,8}(?:\.\d+)?)s)?(?:(\d{1,9}(?:\.\d+)?)ms)?$/.exec(span)
  if (parts === null) return null
  const [hours = 0, minutes = 0, seconds = 0, rest = 0] = parts.slice(1).map((part) => Number(part ?? '0'))
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest
}
