import { encodeSse } from '@dragoman/core'
import { cutText } from './cut-text.ts'
import { isJsonObject } from './json.ts'
import type { LaidOut, Part } from './lay-out.ts'
import { seededRandom } from './random.ts'
import type { ScriptedAnswer } from './script.ts'
import type { Envelope, StreamedAnswer } from './streamed-answer.ts'

/** The answer of a server that speaks Anthropic's dialect, in one piece. */
export function messageBody(answer: ScriptedAnswer, laidOut: LaidOut, { id }: Envelope): unknown {
  return {
    ...messageHead(answer, id),
    content: laidOut.parts.map(blockOf),
    stop_reason: answer.settings.faults.includes('no-finish') ? null : stopReasons[laidOut.finishReason],
    stop_sequence: null,
    usage: usageOf(answer, laidOut),
  }
}

/** The same answer as the events of a stream. */
export function messageEvents(answer: ScriptedAnswer, laidOut: LaidOut, { id }: Envelope): StreamedAnswer {
  const head = { ...messageHead(answer, id), content: [], stop_reason: null, stop_sequence: null }
  const tells = answer.request.wantsUsage
  const usage = usageOf(answer, laidOut)
  const delta = { stop_reason: stopReasons[laidOut.finishReason], stop_sequence: null }
  return {
    opening: [
      {
        type: 'message_start',
        message: { ...head, ...(tells && { usage: { ...usage, output_tokens: 1 } }) },
      },
      { type: 'ping' },
    ].map(eventOf),
    deltas: laidOut.parts.flatMap((part, index) => blockEvents(part, index, answer)).map(eventOf),
    finish: [eventOf({ type: 'message_delta', delta, ...(tells && { usage }) })],
    usage: [],
    done: [eventOf({ type: 'message_stop' })],
  }
}

const stopReasons = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens' } as const

type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>

function eventOf(event: StreamEvent): string {
  return encodeSse({ event: event.type, data: JSON.stringify(event) })
}

type ContentBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object }

function blockOf(part: Part): ContentBlock {
  if (part.type === 'call') {
    return { type: 'tool_use', id: part.id, name: part.name, input: parsedOrEmpty(part.json) }
  }
  const { text } = part
  return part.field === 'content'
    ? { type: 'text', text }
    : { type: 'thinking', thinking: text, signature: signatureOf(text) }
}

/** Of arguments that were cut, a whole answer holds none. */
function parsedOrEmpty(json: string): object {
  try {
    const value: unknown = JSON.parse(json)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

function blockEvents(part: Part, index: number, { settings }: ScriptedAnswer): StreamEvent[] {
  const pieces = (text: string): string[] => cutText(text, settings.chunk, seededRandom(settings.seed))
  const delta = (fields: object) => ({ type: 'content_block_delta', index, delta: fields })
  const [empty, deltas] = ((): [object, object[]] => {
    const block = blockOf(part)
    switch (block.type) {
      case 'thinking':
        return [
          { type: 'thinking', thinking: '', signature: '' },
          [
            ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
            { type: 'signature_delta', signature: block.signature },
          ],
        ]
      case 'text':
        return [{ type: 'text', text: '' }, pieces(block.text).map((text) => ({ type: 'text_delta', text }))]
      case 'tool_use':
        return [
          { ...block, input: {} },
          pieces(part.type === 'call' ? part.json : '').map((json) => ({
            type: 'input_json_delta',
            partial_json: json,
          })),
        ]
    }
  })()
  const start = { type: 'content_block_start', index, content_block: empty }
  return [start, ...deltas.map(delta), { type: 'content_block_stop', index }]
}

function messageHead({ request }: ScriptedAnswer, id: string): object {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model: request.model }
}

function usageOf({ request }: ScriptedAnswer, { completionTokens }: LaidOut): object {
  return { input_tokens: Math.ceil(request.promptLength / 4), output_tokens: completionTokens }
}

/**
 * Makes the signature by which this server knows its own thoughts again. It stands for Anthropic's: it is base64 and
 * different for each text.
 */
export function signatureOf(thought: string): string {
  return Buffer.from(`simulated ${thought}`).toString('base64')
}
