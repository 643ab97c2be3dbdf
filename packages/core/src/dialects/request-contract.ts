import type { FormatId } from '../formats/format-id.ts'
import type { JsonObject } from '../json/objects.ts'
import type { ConversationRequest, SystemText } from '../request/conversation-request.ts'
import type { DecodedMessages, DecodedRequest } from '../request/decoding.ts'
import type { Notes } from '../request/notes.ts'
import type { EncodedRequest, Target } from '../request/target.ts'
import type { HistoryDialect, UpstreamHistory } from '../request/upstream-history.ts'

/** How requests are read and written in one dialect. */
export interface RequestDialect {
  /** Reads the body of a client's request. */
  decode(body: unknown): DecodedRequest
  /** Writes the body for an upstream. */
  encode(request: ConversationRequest, target: Target): EncodedRequest
  readonly messages: MessageCodec
  /**
   * The format that decides ids and reasoning where the configuration names none: servers of such a dialect check them
   * by its rules, whatever model runs there. Null where the model decides.
   */
  readonly format: FormatId | null
  /**
   * Which of the fields that we only pass on may come from clients that need a key. An upstream can have fields that
   * change its templates, its routing or where it fetches from; whoever pays for it decides about those.
   */
  readonly passedFields: readonly string[]
  readonly longestToolName: number
}

/** The messages of a dialect without the request around them: what a kept history is read from and written as. */
export interface MessageCodec extends HistoryDialect {
  /** How the dialect's own tool ids begin. */
  readonly idPrefix: string
  decode(given: DialectMessages, notes: Notes): DecodedMessages
  encode(
    system: readonly SystemText[],
    history: UpstreamHistory,
    target: Target,
    notes: Notes,
  ): WrittenMessages
}

/** The messages of a client, as they stand in its request. */
export interface DialectMessages {
  readonly messages: unknown
  /** Anthropic's instructions, which stand beside the messages. */
  readonly system?: unknown
}

export interface WrittenMessages {
  readonly messages: readonly JsonObject[]
  /** Anthropic's instructions. The chat dialect has them among its messages. */
  readonly system?: unknown
}
