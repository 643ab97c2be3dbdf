import { encodeSse } from '@dragoman/core'
import type { Envelope } from './chat-completion.ts'
import { cutText, tokensOf } from './cut-text.ts'
import { seededRandom } from './random.ts'
import type { ScriptedAnswer } from './script.ts'

/** The answer of a server that speaks Anthropic's dialect, in one piece. */
export function messageBody(answer: ScriptedAnswer, { id }: Envelope): unknown {
  return { ...messageHead(answer, id), content: contentOf(answer), ...endOf(answer), usage: usageOf(answer) }
}

/** The same answer as the events of a stream. */
export function messageEvents(answer: ScriptedAnswer, { id }: Envelope): string[] {
  const { stop_reason, stop_sequence } = endOf(answer)
  const start = { ...messageHead(answer, id), content: [], stop_reason: null, stop_sequence: null }
  return [
    { type: 'message_start', message: { ...start, usage: { ...usageOf(answer), output_tokens: 1 } } },
    { type: 'ping' },
    ...contentOf(answer).flatMap((block, index) => blockEvents(block, index, answer)),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: usageOf(answer) },
    { type: 'message_stop' },
  ].map((event) => encodeSse({ event: event.type, data: JSON.stringify(event) }))
}

interface StreamEvent {
  readonly type: string
  readonly index: number
}

type ContentBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object }

function contentOf({ thought, text, calls }: ScriptedAnswer): ContentBlock[] {
  return [
    ...(thought === ''
      ? []
      : [{ type: 'thinking', thinking: thought, signature: signatureOf(thought) } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }) as const),
  ]
}

function blockEvents(block: ContentBlock, index: number, { settings }: ScriptedAnswer): StreamEvent[] {
  const pieces = (text: string): string[] => cutText(text, settings.chunk, seededRandom(settings.seed))
  const delta = (fields: object) => ({ type: 'content_block_delta', index, delta: fields })
  const [empty, deltas] = ((): [object, object[]] => {
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
          pieces(JSON.stringify(block.input)).map((json) => ({
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

function endOf({ calls }: ScriptedAnswer): { readonly stop_reason: string; readonly stop_sequence: null } {
  return { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null }
}

function usageOf({ request, thought, text, calls }: ScriptedAnswer): object {
  const written = thought + text + JSON.stringify(calls)
  return { input_tokens: Math.ceil(request.promptLength / 4), output_tokens: tokensOf(written).length }
}

/**
 * Makes the signature by which this server knows its own thoughts again. It stands for Anthropic's: it is base64 and
 * different for each text.
 */
export function signatureOf(thought: string): string {
  return Buffer.from(`simulated ${thought}`).toString('base64')
}
