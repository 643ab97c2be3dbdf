import type { HasOriginal } from '../conversation.ts'
import type { JsonObject } from '../json/objects.ts'
import type { RequestTarget } from './target.ts'

export function withOriginal<T extends object>(
  thing: T,
  dialect: string,
  value: JsonObject,
): T & HasOriginal {
  const original = { dialect, value }
  // A field that is added behind a spread gives each object a hidden class of its own, and histories have thousands.
  return Object.assign({ original }, thing, { original })
}

export function originalIn({ original }: HasOriginal, dialect: string): JsonObject | undefined {
  return original?.dialect === dialect ? original.value : undefined
}

/** What the client sent, where it spoke any other dialect than this one. */
export function originalElsewhere({ original }: HasOriginal, dialect: string): JsonObject | undefined {
  return original === undefined || original.dialect === dialect ? undefined : original.value
}

/** What the client sent, for an upstream of the same dialect; undefined where their dialects differ. */
export function originalFor(
  { sameDialect }: RequestTarget,
  thing: HasOriginal,
  dialect: string,
): JsonObject | undefined {
  return sameDialect === true ? originalIn(thing, dialect) : undefined
}

/** Anthropic's mark for a prefix worth caching. Some upstreams of other dialects understand it, too. */
export function cacheControlOf({ original }: HasOriginal): unknown {
  return original?.value['cache_control'] ?? undefined
}
