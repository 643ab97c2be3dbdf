import { createHash } from 'node:crypto'

/** A key for the configuration. Its client shows `the-key-of-NAME`. */
export function keyFor(name: string, more: object = {}): object {
  return { name, sha256: createHash('sha256').update(`the-key-of-${name}`).digest('hex'), ...more }
}

export function shows(name: string): Record<string, string> {
  return { authorization: `Bearer the-key-of-${name}` }
}
