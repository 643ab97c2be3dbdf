import type { Content } from '../conversation.ts'
import type { FormatId } from '../formats/format-id.ts'
import { withHistoryIds } from '../ids/history.ts'
import { decodeMessages as decodeAnthropicMessages } from './anthropic-messages/request/messages.ts'
import { systemTexts } from './anthropic-messages/request/messages.ts'
import { encodeSystem as encodeAnthropicSystem } from './anthropic-messages/request/messages.ts'
import { encodeMessages as encodeAnthropicMessages } from './anthropic-messages/request/messages.ts'
import { withoutBillingLine } from '../request/instructions.ts'
import { Notes, type RequestNote } from '../request/notes.ts'
import type { SystemText } from '../request/conversation-request.ts'
import { decoding, type Decoded } from '../request/decoding.ts'
import type { JsonObject } from '../json/objects.ts'
import { decodeMessages as decodeChatMessages } from './openai-chat/request/messages.ts'
import { encodeMessages as encodeChatMessages } from './openai-chat/request/messages.ts'
import { encodeSystem as encodeChatSystem } from './openai-chat/request/system.ts'
import type { RequestTarget } from '../request/target.ts'
import { longestToolName, shortToolNames } from '../request/tools.ts'
import { upstreamHistory } from '../request/upstream-history.ts'
import { wellFormed } from '../json/well-formed.ts'
import type { DialectId } from '../request/dialect-id.ts'

/** A conversation that belongs to no provider. It is JSON: it can be kept, and go on with any model. */
export interface History {
  readonly system: readonly SystemText[]
  readonly contents: readonly Content[]
}

/** The messages of a client, as they stand in its request. */
export interface DialectMessages {
  readonly messages: unknown
  /** Anthropic's instructions, which stand beside the messages. */
  readonly system?: unknown
}

export type DecodedHistory = Decoded<{ readonly history: History }>

/** Reads a client's messages. Tool ids become `hist_tool_…`, each used by one call and its result. */
export function decodeHistory(dialect: DialectId, given: DialectMessages): DecodedHistory {
  const { messages, system } = wellFormed({ system: undefined, ...given })
  return decoding((notes) => {
    const before =
      dialect === 'anthropic-messages' ? withoutBillingLine(systemTexts(system, 'system'), notes) : []
    const decoded =
      dialect === 'anthropic-messages'
        ? decodeAnthropicMessages(messages, [], notes)
        : decodeChatMessages(messages, notes)
    const contents = withHistoryIds(decoded.contents, ownPrefixes[dialect])
    return { history: { system: [...before, ...decoded.system], contents } }
  })
}

const ownPrefixes = { 'anthropic-messages': 'toolu_', 'openai-chat': 'call_' } as const

export interface HistoryTarget extends Pick<RequestTarget, 'foreignReasoning' | 'images'> {
  readonly dialect: DialectId
  /** Decides the style of tool ids and which reasoning is the upstream's own. */
  readonly format: FormatId
  /** The upstream's name of the model: its own reasoning goes back to it in any format. */
  readonly model?: string
}

export interface EncodedHistory {
  readonly messages: readonly JsonObject[]
  /** Anthropic's instructions. The chat dialect has them among its messages. */
  readonly system?: unknown
  readonly notes: readonly RequestNote[]
}

/** Writes a history for an upstream: repaired, with its ids and its reasoning. What the dialect said itself stays. */
export function encodeHistory(
  { system, contents }: History,
  { dialect, format, model = '', ...more }: HistoryTarget,
): EncodedHistory {
  const notes = new Notes()
  const target = { model, format, sameDialect: true, ...more }
  const names = shortToolNames([], longestToolName[dialect])
  const history = upstreamHistory(contents, target, dialect, names, notes)
  if (dialect === 'anthropic-messages') {
    const front = encodeAnthropicSystem(system, target, notes)
    const messages = encodeAnthropicMessages(history, target, notes)
    return wellFormed({ ...front, messages, notes: notes.all })
  }
  const front = encodeChatSystem(system, target, notes)
  const { messages } = encodeChatMessages(history, target, notes)
  return wellFormed({ messages: [...front, ...messages], notes: notes.all })
}
