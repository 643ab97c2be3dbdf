import { readFile } from 'node:fs/promises'

/** For files, and for connections that are no client's. */
const OTHER_DESCRIPTORS = 64

/**
 * How many clients may be connected. Each may need a connection to an upstream too; without any descriptor left, no
 * request could be answered, no recording written, and the process would spin on connections that it cannot take.
 */
export async function connectionLimit(): Promise<number> {
  // Only Linux tells. Elsewhere the system itself refuses connections.
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const descriptors = /^Max open files +(\d+)/m.exec(limits)?.[1]
  if (descriptors === undefined) return Infinity
  return Math.max(1, Math.floor((Number(descriptors) - OTHER_DESCRIPTORS) / 2))
}
