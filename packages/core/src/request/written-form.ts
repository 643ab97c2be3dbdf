import type { JsonObject } from '../json/objects.ts'
import type { RequestTarget } from './target.ts'

export type RequestDialect = 'anthropic-messages' | 'openai-chat'

/**
 * What a decoded thing looked like in the client's dialect. Towards an upstream of the same dialect it is written so
 * again, with the fields that the canonical form has no place for; every other dialect goes by the canonical form.
 */
export interface Written {
  readonly written?: { readonly dialect: RequestDialect; readonly value: JsonObject }
}

export function withWritten<T extends object>(
  thing: T,
  dialect: RequestDialect,
  value: JsonObject,
): T & Written {
  return { ...thing, written: { dialect, value } }
}

export function writtenIn(thing: object & Written, dialect: RequestDialect): JsonObject | undefined {
  return thing.written?.dialect === dialect ? thing.written.value : undefined
}

/** What an upstream that speaks this dialect is sent as it was; undefined where the client spoke another one. */
export function writtenFor(
  { sameDialect }: RequestTarget,
  thing: object & Written,
  dialect: RequestDialect,
): JsonObject | undefined {
  return sameDialect === true ? writtenIn(thing, dialect) : undefined
}

/** Anthropic's mark for a prefix worth caching. Upstreams of other dialects understand it too, some of them. */
export function cacheControlOf(thing: object & Written): unknown {
  return thing.written?.value['cache_control'] ?? undefined
}
