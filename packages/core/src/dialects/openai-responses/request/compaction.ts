import type { JsonObject } from '../../../json/objects.ts'
import { sealed, unsealed } from '../../../request/envelope.ts'

/** Whether the request ends in the item with which a client asks for a summary. */
export function asksForSummary(items: readonly JsonObject[]): boolean {
  return items.at(-1)?.['type'] === 'compaction_trigger'
}

/** What the item means to a model that does not know it. */
export const summaryWish =
  'Write a summary of the conversation so far, to go on from it without the rest: what the user wants, what was done and decided, the names of files and other facts that are still needed, and what comes next. Write nothing but the summary.'

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
