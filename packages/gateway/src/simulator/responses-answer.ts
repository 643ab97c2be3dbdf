import { encodeSse } from '@dragoman/core'
import { cutText } from './cut-text.ts'
import type { LaidOut, Part } from './lay-out.ts'
import { seededRandom } from './random.ts'
import type { ResponsesManners } from './responses-manners.ts'
import type { ScriptedAnswer } from './script.ts'
import type { Envelope, StreamedAnswer } from './streamed-answer.ts'

/** The answer of a server of open models that speaks OpenAI's responses, in one piece. */
export function responseBody(answer: ScriptedAnswer, laidOut: LaidOut, envelope: Envelope): unknown {
  const ended = endOf(answer, laidOut)
  const status = answer.settings.faults.includes('no-finish') ? 'in_progress' : ended.status
  return responseOf({ answer, laidOut, envelope }, status, itemsOf(answer, laidOut, envelope))
}

/** The same answer as the events of a stream. */
export function responseEvents(answer: ScriptedAnswer, laidOut: LaidOut, envelope: Envelope): StreamedAnswer {
  const { lacks = [], itemsDone } = mannersOf(answer)
  const said = { answer, laidOut, envelope }
  const items = itemsOf(answer, laidOut, envelope)
  const begun = responseOf(said, 'in_progress', [])
  const ended = endOf(answer, laidOut)
  const written = items.flatMap((item, index) => itemEvents(item, index, answer))
  const events =
    itemsDone === undefined
      ? written
      : [...written.filter((event) => !isItemDone(event)), ...written.filter(isItemDone)]
  let sequence = 0
  const eventOf = (event: StreamEvent): string => {
    const numbered = Object.entries({ ...event, sequence_number: sequence++ })
    const fields = Object.fromEntries(numbered.filter(([name]) => !lacks.includes(name)))
    return encodeSse({ event: event.type, data: JSON.stringify(fields) })
  }
  return {
    opening: ['response.created', 'response.in_progress'].map((type) => eventOf({ type, response: begun })),
    deltas: events.map(eventOf),
    finish: [eventOf({ type: ended.event, response: responseOf(said, ended.status, items) })],
    usage: [],
    done: [],
  }
}

function isItemDone({ type }: StreamEvent): boolean {
  return type === 'response.output_item.done'
}

/** The events with which a response fails after it has begun. */
export function responseFailure(type: string, message: string): string {
  const error = { code: type, message }
  const response = { id: 'resp_failed', object: 'response', status: 'failed', error, output: [] }
  return [
    { type: 'error', ...error, param: null },
    { type: 'response.failed', response },
  ]
    .map((event) => encodeSse({ event: event.type, data: JSON.stringify(event) }))
    .join('')
}

type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>

interface Said {
  readonly answer: ScriptedAnswer
  readonly laidOut: LaidOut
  readonly envelope: Envelope
}

type Status = 'completed' | 'incomplete'

type Item =
  | {
      readonly id: string
      readonly type: 'reasoning'
      readonly summary: readonly ItemPart[]
      readonly content?: readonly ItemPart[]
      readonly encrypted_content?: string
    }
  | {
      readonly id: string
      readonly type: 'message'
      readonly status: Status
      readonly role: 'assistant'
      readonly content: readonly ItemPart[]
    }
  | {
      readonly id: string
      readonly type: 'function_call'
      readonly status: Status
      readonly call_id: string
      readonly name: string
      readonly arguments: string
    }

type ItemPart =
  | { readonly type: 'reasoning_text' | 'summary_text'; readonly text: string }
  | { readonly type: 'output_text'; readonly text: string; readonly annotations: readonly [] }

function mannersOf({ responses = {} }: ScriptedAnswer): ResponsesManners {
  return responses
}

function endOf(answer: ScriptedAnswer, { finishReason }: LaidOut): { event: string; status: Status } {
  const { incomplete } = mannersOf(answer)
  if (finishReason !== 'length' || incomplete === 'never') {
    return { event: 'response.completed', status: 'completed' }
  }
  const event = incomplete === 'in-completed' ? 'response.completed' : 'response.incomplete'
  return { event, status: 'incomplete' }
}

function itemsOf(answer: ScriptedAnswer, laidOut: LaidOut, { id }: Envelope): Item[] {
  const { status } = endOf(answer, laidOut)
  return laidOut.parts.map((part, at) => {
    const isLast = at === laidOut.parts.length - 1
    return itemOf(part, { id: `${id}${at}`, status: isLast ? status : 'completed' }, mannersOf(answer))
  })
}

function itemOf(
  part: Part,
  { id, status }: { readonly id: string; readonly status: Status },
  { reasoning = 'raw' }: ResponsesManners,
): Item {
  if (part.type === 'call') {
    const { id: callId, name, json } = part
    return { id: `fc_${id}`, type: 'function_call', status, call_id: callId, name, arguments: json }
  }
  const { text } = part
  if (part.field === 'content') {
    const content = [{ type: 'output_text', text, annotations: [] }] as const
    return { id: `msg_${id}`, type: 'message', status, role: 'assistant', content }
  }
  const item = { id: `rs_${id}`, type: 'reasoning' } as const
  if (reasoning === 'raw') return { ...item, summary: [], content: [{ type: 'reasoning_text', text }] }
  const kept = reasoning === 'summary' ? `gAAAA${Buffer.from(text).toString('base64')}` : text
  return { ...item, summary: [{ type: 'summary_text', text }], encrypted_content: kept }
}

function itemEvents(item: Item, index: number, answer: ScriptedAnswer): StreamEvent[] {
  const place = { item_id: item.id, output_index: index }
  const done = { type: 'response.output_item.done', output_index: index, item }
  const added = (empty: object): StreamEvent => ({
    type: 'response.output_item.added',
    output_index: index,
    item: { ...item, ...empty },
  })
  switch (item.type) {
    case 'function_call':
      return [added({ arguments: '', status: 'in_progress' }), ...argumentEvents(item, place, answer), done]
    case 'message':
      return [
        added({ content: [], status: 'in_progress' }),
        ...item.content.flatMap((part, at) =>
          partEvents(part, { ...place, content_index: at }, 'response.content_part', answer),
        ),
        done,
      ]
    case 'reasoning': {
      const { reasoningPart = 'response.content_part' } = mannersOf(answer)
      const { content } = item
      if (content === undefined) {
        return [
          added({ summary: [], encrypted_content: '' }),
          ...summaryEvents(item.summary, place, answer),
          done,
        ]
      }
      return [
        added({ content: [] }),
        ...content.flatMap((part, at) =>
          partEvents(part, { ...place, content_index: at }, reasoningPart, answer),
        ),
        done,
      ]
    }
  }
}

/** What was cut is not said to be done. */
function argumentEvents(
  { arguments: json, name, status }: Extract<Item, { type: 'function_call' }>,
  place: object,
  answer: ScriptedAnswer,
): StreamEvent[] {
  const type = 'response.function_call_arguments'
  return [
    ...deltas(`${type}.delta`, place, json, answer),
    ...(status === 'completed' ? [{ type: `${type}.done`, ...place, arguments: json, name }] : []),
  ]
}

function partEvents(part: ItemPart, place: object, prefix: string, answer: ScriptedAnswer): StreamEvent[] {
  return [
    { type: `${prefix}.added`, ...place, part: { ...part, text: '' } },
    ...deltas(`response.${part.type}.delta`, place, part.text, answer),
    { type: `response.${part.type}.done`, ...place, text: part.text },
    { type: `${prefix}.done`, ...place, part },
  ]
}

function summaryEvents(summary: readonly ItemPart[], place: object, answer: ScriptedAnswer): StreamEvent[] {
  const type = 'response.reasoning_summary'
  const isAnnounced = mannersOf(answer).reasoning === 'summary'
  return summary.flatMap((part, at) => {
    const within = { ...place, summary_index: at }
    const about = (what: string, told: ItemPart): StreamEvent[] =>
      isAnnounced ? [{ type: `${type}_part.${what}`, ...within, part: told }] : []
    return [
      ...about('added', { ...part, text: '' }),
      ...deltas(`${type}_text.delta`, within, part.text, answer),
      { type: `${type}_text.done`, ...within, text: part.text },
      ...about('done', part),
    ]
  })
}

function deltas(type: string, place: object, text: string, { settings }: ScriptedAnswer): StreamEvent[] {
  const pieces = cutText(text, settings.chunk, seededRandom(settings.seed))
  return pieces.map((delta) => Object.assign({ type }, place, { delta }))
}

function responseOf(
  { answer, laidOut, envelope: { id, created } }: Said,
  status: Status | 'in_progress',
  output: readonly Item[],
): object {
  const tellsUsage = status !== 'in_progress' && answer.request.wantsUsage
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    model: answer.request.model,
    output,
    usage: tellsUsage ? usageOf(answer, laidOut) : null,
  }
}

function usageOf({ request }: ScriptedAnswer, { completionTokens, reasoningTokens }: LaidOut): object {
  const input = Math.ceil(request.promptLength / 4)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: input + completionTokens,
  }
}
