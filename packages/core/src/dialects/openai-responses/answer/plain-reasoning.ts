/**
 * Whether what stands in the place of encrypted reasoning is the reasoning itself. Some servers encrypt nothing: they
 * repeat there what they said, or say it there alone. `said` is what the item says in other places.
 */
export function isPlainReasoning(encrypted: string, said: string): boolean {
  return said === '' ? !opaque.test(encrypted) : encrypted === said
}

/** Whoever encrypts writes the result in some base64, or in several of them with a mark in between. */
const opaque = /^[\w+/=.~:|-]+$/
