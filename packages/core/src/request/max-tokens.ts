import type { ConversationRequest } from './conversation-request.ts'
import type { Notes } from './notes.ts'
import type { RequestTarget } from './target.ts'

/** Clients ask for what their own models can write; an upstream that can write less answers 400. */
export function limitedMaxTokens(
  { maxTokens }: ConversationRequest,
  { maxOutputTokens }: RequestTarget,
  notes: Notes,
): number | undefined {
  if (maxTokens === undefined || maxOutputTokens === undefined || maxTokens <= maxOutputTokens)
    return maxTokens
  notes.changed('max_tokens', `The upstream writes at most ${maxOutputTokens}.`)
  return maxOutputTokens
}
