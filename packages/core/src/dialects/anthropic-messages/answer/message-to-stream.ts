import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { encodeSse } from '../../../sse/encoder.ts'

/** The event stream of a whole message, for a client that streams: each text and each input in one delta. */
export function streamOfMessage(message: JsonObject): string {
  const { content } = message
  const blocks: JsonObject[] = Array.isArray(content) ? content.filter(isJsonObject) : []
  return [startOf(message), ...blocks.map(blockEvents), endOf(message), event('message_stop', {})].join('')
}

function startOf(message: JsonObject): string {
  const usage = usageOf(message)
  const { output_tokens: written } = usage
  // A stream begins with the count of its first token. Clients that add the counts of start and end would count
  // the whole answer twice.
  const begun = typeof written === 'number' ? Math.min(written, 1) : written
  return event('message_start', {
    message: {
      ...message,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: begun },
    },
  })
}

function endOf(message: JsonObject): string {
  const delta = {
    stop_reason: message['stop_reason'] ?? null,
    stop_sequence: message['stop_sequence'] ?? null,
    ...presentIn(message, ['container', 'stop_details']),
  }
  const beside = presentIn(message, ['context_management'])
  return event('message_delta', { delta, usage: usageOf(message), ...beside })
}

/** Clients read these two counts without looking whether they are there, and fail where they are not. */
function usageOf(message: JsonObject): JsonObject {
  const usage = objectIn(message, 'usage')
  return {
    ...usage,
    input_tokens: usage['input_tokens'] ?? 0,
    output_tokens: usage['output_tokens'] ?? 0,
  }
}

function presentIn(message: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(
    fields.filter((field) => message[field] !== undefined).map((field) => [field, message[field]]),
  )
}

function blockEvents(block: JsonObject, index: number): string {
  const { start, deltas } = inPieces(block)
  return [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ].join('')
}

interface Pieces {
  readonly start: JsonObject
  readonly deltas: readonly JsonObject[]
}

/** What clients take from deltas goes there; whatever else a block has stands in its start. */
function inPieces(block: JsonObject): Pieces {
  switch (block['type']) {
    case 'text':
      return textInPieces(block)
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [...textDelta(block, 'thinking'), ...textDelta(block, 'signature')],
      }
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return {
        start: { ...block, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input'] ?? {}) }],
      }
    default:
      return { start: block, deltas: [] }
  }
}

function textInPieces(block: JsonObject): Pieces {
  const { citations } = block
  const start = { ...block, text: '' }
  const deltas = textDelta(block, 'text')
  if (!Array.isArray(citations)) return { start, deltas }
  const cited = citations.map((citation: unknown) => ({ type: 'citations_delta', citation }))
  return { start: { ...start, citations: [] }, deltas: [...deltas, ...cited] }
}

/** Strict clients refuse an empty delta. */
function textDelta(block: JsonObject, field: 'text' | 'thinking' | 'signature'): JsonObject[] {
  const text = nonEmptyText(block[field])
  return text === null ? [] : [{ type: `${field}_delta`, [field]: text }]
}

function event(type: string, fields: JsonObject): string {
  return encodeSse({ event: type, data: JSON.stringify({ type, ...fields }) })
}
