import type { Content } from '../../../conversation.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { shortBeginning } from '../../../request/history-repair.ts'
import { type Notes, notUnderstood } from '../../../request/notes.ts'
import { cacheControlOf, originalFor, originalIn } from '../../../request/original.ts'
import type { RequestTarget } from '../../../request/target.ts'
import type { UpstreamHistory } from '../../../request/upstream-history.ts'
import type { MessageCodec } from '../../dialect.ts'
import { decodeContents } from './contents.ts'
import { encodeMedia } from './media.ts'
import { contentPlaces } from './places.ts'
import { encodeResponse } from './results.ts'
import { encodeStep } from './step.ts'
import { decodeSystem, encodeSystem } from './system.ts'

/** The contents of Gemini's dialect, with the instructions beside them. */
export const geminiMessages: MessageCodec = {
  id: 'gemini',
  reasoning: 'unsigned',
  inARow: 'join',
  idPrefix: 'call_',
  places: contentPlaces,
  decode({ messages, system }, notes) {
    return { system: decodeSystem(system, 'system'), contents: decodeContents(messages, notes) }
  },
  encode(system, history, target, notes) {
    const { systemInstruction } = encodeSystem(system, target, notes)
    const messages = encodeContents(history, target, notes)
    return systemInstruction === undefined ? { messages } : { system: systemInstruction, messages }
  },
}

interface OpenContent {
  readonly role: 'user' | 'model'
  readonly parts: JsonObject[]
  readonly fields: Record<string, unknown>
}

/** The roles alternate and the user begins; all results of a step stand in one content, and what the user says behind them. */
export function encodeContents(
  { contents, ids }: UpstreamHistory,
  target: RequestTarget,
  notes: Notes,
): JsonObject[] {
  const written: OpenContent[] = []
  if (contents[0]?.speaker !== 'human') {
    const { role, content } = shortBeginning(notes)
    written.push({ role, parts: [{ text: content }], fields: {} })
  }
  let withoutId: ReadonlySet<string> = new Set()
  for (const content of contents) {
    noteCacheMarks(content, notes)
    const role = content.speaker === 'ai' ? 'model' : 'user'
    const parts: JsonObject[] = []
    if (role === 'model') {
      const step = encodeStep(content, ids, target, notes)
      withoutId = step.withoutId
      parts.push(...step.parts)
    } else {
      parts.push(...userParts(content, { ids, withoutId }, target, notes))
    }
    const last = written.at(-1)
    const open: OpenContent = last?.role === role ? last : { role, parts: [], fields: {} }
    if (open !== last && parts.length > 0) written.push(open)
    open.parts.push(...parts)
    Object.assign(open.fields, fieldsOf(content, target, notes))
  }
  return written.map(closed)
}

function closed({ role, parts, fields }: OpenContent): JsonObject {
  return { role, parts, ...fields }
}

function userParts(
  { blocks }: Content,
  { ids, withoutId }: { readonly ids: UpstreamHistory['ids']; readonly withoutId: ReadonlySet<string> },
  target: RequestTarget,
  notes: Notes,
): JsonObject[] {
  const responses: JsonObject[] = []
  // Between the responses nothing may stand.
  const shown: JsonObject[] = []
  for (const block of blocks) {
    const original = originalFor(target, block, 'gemini')
    if (block.type === 'tool_response') {
      const [response = {}, ...more] = encodeResponse(block, !withoutId.has(block.callId), ids, target, notes)
      responses.push(response)
      shown.push(...more)
    } else if (block.type === 'media') {
      shown.push(original ?? encodeMedia(block, target, notes))
    } else if (block.type === 'text' && (original !== undefined || block.text !== '')) {
      shown.push(original ?? { text: block.text })
    }
  }
  return [...responses, ...shown]
}

/** The fields that the client's content had beside role and parts, as far as they are allowed. */
function fieldsOf(content: Content, { allowedFields }: RequestTarget, notes: Notes): JsonObject {
  const fields = Object.entries(originalIn(content, 'gemini') ?? {}).filter(([field]) => {
    const isAllowed = allowedFields?.includes(field) !== false
    if (!isAllowed) notes.dropped(`contents.${field}`, notUnderstood)
    return isAllowed
  })
  return Object.fromEntries(fields)
}

function noteCacheMarks({ blocks }: Content, notes: Notes): void {
  if (blocks.some((block) => cacheControlOf(block) !== undefined)) {
    notes.dropped('cache_control', notUnderstood)
  }
}
