import { sealed, unsealed } from '../../../request/envelope.ts'

/** A summary in place of a conversation, as the opaque text that a client keeps of it. */
export function makeCompaction(summary: string): string {
  return sealed(prefix, [summary])
}

/** The summary that we made; null for one that somebody else made, and only he can read. */
export function readCompaction(text: string | undefined): string | null {
  const payload = text === undefined ? undefined : unsealed(prefix, text)
  const summary: unknown = Array.isArray(payload) ? payload[0] : undefined
  return typeof summary === 'string' ? summary : null
}

const prefix = 'dragoman_summary_1_'
