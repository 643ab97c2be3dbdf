import { encodeSse } from '@dragoman/core'
import type { Envelope } from './chat-completion.ts'
import { cutText, tokensOf } from './cut-text.ts'
import { seededRandom } from './random.ts'
import type { ScriptedAnswer } from './script.ts'

/** The answer of a server of open models that speaks OpenAI's responses, in one piece. */
export function responseBody(answer: ScriptedAnswer, envelope: Envelope): unknown {
  return responseOf(answer, envelope, 'completed', itemsOf(answer, envelope))
}

/** The same answer as the events of a stream. */
export function responseEvents(answer: ScriptedAnswer, envelope: Envelope): string[] {
  const items = itemsOf(answer, envelope)
  const begun = responseOf(answer, envelope, 'in_progress', [])
  const events: StreamEvent[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, index) => itemEvents(item, index, answer)),
    { type: 'response.completed', response: responseOf(answer, envelope, 'completed', items) },
  ]
  return events.map((event, number) =>
    encodeSse({ event: event.type, data: JSON.stringify({ ...event, sequence_number: number }) }),
  )
}

type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>

type Item =
  | { readonly id: string; readonly type: 'reasoning'; readonly summary: []; readonly content: Part[] }
  | {
      readonly id: string
      readonly type: 'message'
      readonly status: 'completed'
      readonly role: 'assistant'
      readonly content: Part[]
    }
  | {
      readonly id: string
      readonly type: 'function_call'
      readonly status: 'completed'
      readonly call_id: string
      readonly name: string
      readonly arguments: string
    }

type Part =
  | { readonly type: 'reasoning_text'; readonly text: string }
  | { readonly type: 'output_text'; readonly text: string; readonly annotations: [] }

function itemsOf({ thought, text, calls }: ScriptedAnswer, { id }: Envelope): Item[] {
  const reasoning: Item[] =
    thought === ''
      ? []
      : [
          {
            id: `rs_${id}`,
            type: 'reasoning',
            summary: [],
            content: [{ type: 'reasoning_text', text: thought }],
          },
        ]
  const message: Item[] =
    text === ''
      ? []
      : [
          {
            id: `msg_${id}`,
            type: 'message',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]
  const called = calls.map((call, at): Item => ({
    id: `fc_${id}${at}`,
    type: 'function_call',
    status: 'completed',
    call_id: call.id,
    name: call.name,
    arguments: call.json ?? JSON.stringify(call.arguments),
  }))
  return [...reasoning, ...message, ...called]
}

function itemEvents(item: Item, index: number, { settings }: ScriptedAnswer): StreamEvent[] {
  const pieces = (text: string): string[] => cutText(text, settings.chunk, seededRandom(settings.seed))
  const place = { item_id: item.id, output_index: index }
  const done = { type: 'response.output_item.done', output_index: index, item }
  const added = (empty: object): StreamEvent => ({
    type: 'response.output_item.added',
    output_index: index,
    item: { ...item, ...empty },
  })
  if (item.type === 'function_call') {
    const type = 'response.function_call_arguments'
    return [
      added({ arguments: '', status: 'in_progress' }),
      ...pieces(item.arguments).map((delta) => deltaOf(`${type}.delta`, place, delta)),
      { type: `${type}.done`, ...place, arguments: item.arguments, name: item.name },
      done,
    ]
  }
  const parts = item.content.flatMap((part, at) => {
    const within = { ...place, content_index: at }
    return [
      { type: 'response.content_part.added', ...within, part: { ...part, text: '' } },
      ...pieces(part.text).map((delta) => deltaOf(`response.${part.type}.delta`, within, delta)),
      { type: `response.${part.type}.done`, ...within, text: part.text },
      { type: 'response.content_part.done', ...within, part },
    ]
  })
  return [added({ content: [], ...('status' in item && { status: 'in_progress' }) }), ...parts, done]
}

function deltaOf(type: string, place: object, delta: string): StreamEvent {
  return { type, ...place, delta }
}

function responseOf(
  answer: ScriptedAnswer,
  { id, created }: Envelope,
  status: 'in_progress' | 'completed',
  output: readonly Item[],
): object {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    status,
    error: null,
    incomplete_details: null,
    model: answer.request.model,
    output,
    usage: status === 'completed' ? usageOf(answer) : null,
  }
}

function usageOf({ request, thought, text, calls }: ScriptedAnswer): object {
  const input = Math.ceil(request.promptLength / 4)
  const output = tokensOf(thought + text + JSON.stringify(calls)).length
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: tokensOf(thought).length },
    total_tokens: input + output,
  }
}
