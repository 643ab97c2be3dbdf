import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { CompactionWish, ConversationRequest } from '../../../request/conversation-request.ts'
import { sealed, unsealed } from '../../../request/envelope.ts'
import type { AskedAt } from '../../dialect.ts'

/** The item with which a client asks for a summary of all that stands before it. */
export const trigger: JsonObject = { type: 'compaction_trigger' }

/** What a client wants that asks for a summary, by the last of its items or by where it asks; null for all others. */
export function compactionWish(
  items: readonly JsonObject[],
  asked: AskedAt | undefined,
): CompactionWish | null {
  if (asked?.path.endsWith('/responses/compact') === true) {
    return { gets: 'history', kept: items.flatMap(keptMessage) }
  }
  return items.at(-1)?.['type'] === trigger['type'] ? { gets: 'item' } : null
}

/** What users said goes on word for word. All else is in the summary, that of an earlier compaction too. */
function keptMessage(item: JsonObject): JsonObject[] {
  const { type = 'message', role, content } = item
  if (type !== 'message' || role !== 'user') return []
  const text = nonEmptyText(content)
  const parts: unknown = text === null ? content : [{ type: 'input_text', text }]
  // Clients that read a list cannot read a text in its place.
  if (!Array.isArray(parts) || !parts.every(isJsonObject)) return []
  return [{ ...item, type: 'message', content: parts }]
}

/**
 * The request for the summary itself: a model that had tools would go on working in place of it, and one that had to write
 * JSON would write no summary.
 */
export function summaryRequest(request: ConversationRequest, wish: CompactionWish): ConversationRequest {
  return {
    ...request,
    tools: [],
    toolChoice: { type: 'none' },
    parallelToolCalls: undefined,
    outputFormat: undefined,
    stream: wish.gets === 'item' && request.stream,
    compacts: wish,
  }
}

/** What the item means to a model that does not know it. */
export const summaryWish =
  'Write a summary of the conversation so far, to go on from it without the rest: what the user wants, what was done and decided, the names of files and other facts that are still needed, and what comes next. Write nothing but the summary.'

/** What a model reads that goes on from a summary. */
export function withHeading(summary: string): string {
  return `The conversation before this was replaced by a summary of it. Go on from there.\n\n${summary}`
}

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
