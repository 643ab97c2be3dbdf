import { repairEvent } from '../../../events.ts'
import type { Failure } from '../../../answer/answer.ts'
import { isJsonObject, nonEmptyText, objectIn, parseJson, type JsonObject } from '../../../json/objects.ts'
import { createSseDecoder } from '../../../sse/decoder.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import { protocolError } from '../../../answer/faults.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import { rewriteMessageStream, type MessageRewriterOptions } from './rewrite-stream.ts'
import { withCounts } from './usage.ts'

export interface RewrittenMessage {
  /** The very value that came where nothing had to change. */
  readonly body: unknown
  /** Why this is no answer to give to a client, or null. */
  readonly failure: Failure | null
}

/** A whole message with the calls that a model wrote as text made blocks of their own: a stream put together again. */
export function rewriteMessage(body: unknown, options: MessageRewriterOptions): RewrittenMessage {
  if (!isJsonObject(body)) return { body, failure: protocolError('It is not a JSON object.') }
  if (isErrorValue(body)) return { body, failure: failureFromError(body) }
  const { content } = body
  if (!Array.isArray(content)) return { body, failure: protocolError('It has no content.') }

  const filled = filledIn(body)
  if (filled !== body) options.onRecord?.(repairEvent('filled-field'))
  const rewriter = rewriteMessageStream(options)
  const output = [...rewriter.push(asEvents(filled, content)), ...rewriter.end()].join('')
  const { failure } = rewriter
  if (failure !== null) return { body, failure }
  if (!rewriter.hasChanged) return { body: filled, failure }
  const rewritten = { ...filled, ...fromEvents(output, filled) }
  // Text that only looked like a call was held for a while, and came out as it was.
  return { body: JSON.stringify(rewritten) === JSON.stringify(body) ? body : rewritten, failure: null }
}

/** The message with what every message says at its end. */
function filledIn(body: JsonObject): JsonObject {
  const stop_reason = nonEmptyText(body['stop_reason']) ?? 'end_turn'
  const usage = withCounts(body['usage'], { input_tokens: 0, output_tokens: 0 })
  const isWhole = stop_reason === body['stop_reason'] && usage === body['usage']
  return isWhole ? body : { ...body, stop_reason, usage }
}

/** Text and signature go in deltas, where they are read; whatever else a block has stays in its start. */
function asEvents(body: JsonObject, content: readonly unknown[]): string {
  const events = content.flatMap((block, index) => {
    const { type } = isJsonObject(block) ? block : {}
    if (!isJsonObject(block) || (type !== 'text' && type !== 'thinking')) {
      return [blockStart(index, block), blockStop(index)]
    }
    const fields = [type, 'signature'].filter((field) => nonEmptyText(block[field]) !== null)
    const emptied = Object.fromEntries(fields.map((field) => [field, '']))
    return [
      blockStart(index, { ...block, ...emptied }),
      ...fields.map((field) => blockDelta(index, { type: `${field}_delta`, [field]: block[field] })),
      blockStop(index),
    ]
  })
  const delta = { stop_reason: body['stop_reason'], stop_sequence: body['stop_sequence'] }
  const end = { type: 'message_delta', delta, usage: body['usage'] }
  return [{ type: 'message_start' }, ...events, end, { type: 'message_stop' }]
    .map((data) => encodeSse({ event: data.type, data: JSON.stringify(data) }))
    .join('')
}

function blockStart(index: number, block: unknown): { type: string } & JsonObject {
  return { type: 'content_block_start', index, content_block: block }
}

function blockDelta(index: number, delta: JsonObject): { type: string } & JsonObject {
  return { type: 'content_block_delta', index, delta }
}

function blockStop(index: number): { type: string } & JsonObject {
  return { type: 'content_block_stop', index }
}

/** Blocks that were not closed are half a call; they are left out. */
function fromEvents(output: string, body: JsonObject): JsonObject {
  const content: unknown[] = []
  let stopReason = body['stop_reason']
  let block: JsonObject = {}
  let pieces: string[] = []
  const decoder = createSseDecoder()
  for (const item of [...decoder.push(output), ...decoder.end()]) {
    const data = item.kind === 'event' ? parseJson(item.data) : undefined
    if (!isJsonObject(data)) continue
    const delta = objectIn(data, 'delta')
    if (data['type'] === 'content_block_start') {
      block = objectIn(data, 'content_block')
      pieces = []
    } else if (delta['type'] === 'signature_delta') {
      block = { ...block, signature: delta['signature'] }
    } else if (data['type'] === 'content_block_delta') {
      pieces.push(nonEmptyText(delta['text'] ?? delta['thinking'] ?? delta['partial_json']) ?? '')
    } else if (data['type'] === 'content_block_stop') {
      content.push(wholeBlock(block, pieces.join('')))
    } else if (data['type'] === 'message_delta') {
      stopReason = delta['stop_reason']
    }
  }
  return { content, stop_reason: stopReason }
}

function wholeBlock(block: JsonObject, text: string): JsonObject {
  if (block['type'] === 'text') return { ...block, text }
  if (block['type'] === 'thinking') return { ...block, thinking: text }
  return text === '' ? block : { ...block, input: parseJson(text) }
}
