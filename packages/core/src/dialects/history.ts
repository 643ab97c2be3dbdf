import type { Content } from '../conversation.ts'
import type { FormatId } from '../formats/format-id.ts'
import { withHistoryIds } from '../ids/history.ts'
import { wellFormed } from '../json/well-formed.ts'
import type { SystemText } from '../request/conversation-request.ts'
import { type Decoded, decoding } from '../request/decoding.ts'
import { Notes, type RequestNote } from '../request/notes.ts'
import type { RequestTarget } from '../request/target.ts'
import { shortToolNames } from '../request/tools.ts'
import { upstreamHistory } from '../request/upstream-history.ts'
import type { DialectMessages, WrittenMessages } from './dialect.ts'
import { type DialectId, dialects } from './index.ts'

/** A conversation that belongs to no provider. It is JSON: it can be kept, and go on with any model. */
export interface History {
  readonly system: readonly SystemText[]
  readonly contents: readonly Content[]
}

export type DecodedHistory = Decoded<{ readonly history: History }>

/** Reads a client's messages. Tool ids become `hist_tool_…`, one for each call and its result. */
export function decodeHistory(dialect: DialectId, given: DialectMessages): DecodedHistory {
  const { messages } = dialects[dialect].request
  const sound = wellFormed({ system: undefined, ...given })
  return decoding((notes) => {
    const { system, contents } = messages.decode(sound, notes)
    return { history: { system, contents: withHistoryIds(contents, messages.idPrefix) } }
  })
}

export interface HistoryTarget extends Pick<RequestTarget, 'foreignReasoning' | 'images'> {
  readonly dialect: DialectId
  /** Decides the style of tool ids and which reasoning is the upstream's own. */
  readonly format: FormatId
  /** The upstream's name of the model. The model gets its own reasoning back in any format. */
  readonly model?: string
}

export interface EncodedHistory extends WrittenMessages {
  readonly notes: readonly RequestNote[]
}

/**
 * Writes a history for an upstream, repaired, with its ids and its reasoning. Messages that came in its dialect stay.
 */
export function encodeHistory(
  { system, contents }: History,
  { dialect, format, model = '', ...more }: HistoryTarget,
): EncodedHistory {
  const { messages, longestToolName } = dialects[dialect].request
  const notes = new Notes()
  const target = { model, format, sameDialect: true, ...more }
  const history = upstreamHistory(contents, target, messages, shortToolNames([], longestToolName), notes)
  const written = messages.encode(system, history, target, notes)
  return wellFormed({ ...written, notes: notes.all })
}
