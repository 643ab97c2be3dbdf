import type { AnswerTranslation, DialectId, ParserOptions } from '../../../src/index.ts'
import { translateAnswer } from '../../../src/index.ts'
import type { ConversationRequest } from '../../../src/request/conversation-request.ts'
import { decodeResponsesRequest } from '../../../src/dialects/openai-responses/request/decode.ts'
import { isRecord } from '../../support/is-record.ts'
import { countingMint } from '../openai-chat/upstream.ts'

/** One event of a response as a server sends it, without a number. */
export function resp(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

export const response = { id: 'resp_up', object: 'response', created_at: 1, model: 'up-model', output: [] }

export const created = resp('response.created', { response: { ...response, status: 'in_progress' } })

const usage = { input_tokens: 5, output_tokens: 7, total_tokens: 12 }

export function completed(output: readonly object[] = [], more: object = {}): string {
  return resp('response.completed', {
    response: { ...response, status: 'completed', output, usage, ...more },
  })
}

export function messageItem(id: string, text: string): object {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { id, type: 'message', status: 'completed', role: 'assistant', content }
}

export function callItem(id: string, call_id: string, name: string, json: string): object {
  return { id, type: 'function_call', status: 'completed', call_id, name, arguments: json }
}

/** The events of a message, as OpenAI sends them. */
export function messageEvents(index: number, id: string, ...pieces: readonly string[]): string {
  const place = { item_id: id, output_index: index, content_index: 0 }
  const text = pieces.join('')
  return [
    resp('response.output_item.added', {
      output_index: index,
      item: { ...messageItem(id, ''), status: 'in_progress', content: [] },
    }),
    resp('response.content_part.added', {
      ...place,
      part: { type: 'output_text', text: '', annotations: [] },
    }),
    ...pieces.map((delta) => resp('response.output_text.delta', { ...place, delta })),
    resp('response.output_text.done', { ...place, text }),
    resp('response.content_part.done', { ...place, part: { type: 'output_text', text, annotations: [] } }),
    resp('response.output_item.done', { output_index: index, item: messageItem(id, text) }),
  ].join('')
}

/** The events of a call of a function. */
export function callEvents(
  index: number,
  id: string,
  call: { readonly call_id: string; readonly name: string },
  ...pieces: readonly string[]
): string {
  const place = { item_id: id, output_index: index }
  const item = callItem(id, call.call_id, call.name, pieces.join(''))
  return [
    resp('response.output_item.added', {
      output_index: index,
      item: { ...item, arguments: '', status: 'in_progress' },
    }),
    ...pieces.map((delta) => resp('response.function_call_arguments.delta', { ...place, delta })),
    resp('response.function_call_arguments.done', { ...place, arguments: pieces.join('') }),
    resp('response.output_item.done', { output_index: index, item }),
  ].join('')
}

/** The stream with numbers, as most servers send it. */
export function numbered(stream: string): string {
  let number = 0
  return stream.replaceAll(/^data: \{/gm, () => `data: {"sequence_number":${number++},`)
}

export interface WayOptions {
  readonly from: DialectId
  readonly to: DialectId
  readonly wants?: 'stream' | 'whole'
  readonly delivered?: 'stream' | 'whole'
  readonly parser?: ParserOptions
  readonly request?: ConversationRequest | undefined
  readonly told?: string[]
}

export function translation(options: WayOptions): AnswerTranslation {
  const { told, request, from, to } = options
  return translateAnswer({
    from,
    to,
    delivered: options.delivered ?? 'stream',
    wants: options.wants ?? 'stream',
    parser: options.parser ?? {},
    mint: countingMint(to),
    includeUsage: true,
    request,
    watcher: { repair: (code) => told?.push(code), problem: (code) => told?.push(code) },
    onWarning: (message) => told?.push(message),
    encoding: () => ({
      id: 'resp_abc',
      model: 'asked-model',
      created: 1_700_000_000,
      inputTokens: () => 11,
      request,
      signature: (field, proof) => `ours(${field},${proof ?? ''})`,
    }),
  })
}

/** What a client gets for this body, event by event. */
export function through(body: string, options: WayOptions): string {
  const answer = translation(options)
  return (
    body
      .split(/(?<=\n\n)/)
      .map((piece) => answer.push(piece))
      .join('') + answer.end()
  )
}

/** The request of a client, read. */
export function requestOf(body: object): ConversationRequest {
  const decoded = decodeResponsesRequest({ model: 'asked-model', input: 'Hi.', stream: true, ...body })
  if ('error' in decoded) throw new Error(decoded.error.message)
  return decoded.request
}

export type Json = Readonly<Record<string, unknown>>

/** The data of the events of a stream; each event is named by its type. */
export function eventsIn(stream: string): Json[] {
  return stream
    .split('\n\n')
    .filter((block) => block !== '' && block !== 'data: [DONE]' && !block.startsWith(':'))
    .map((block) => {
      const [event = '', data = ''] = block.split('\n')
      const value: unknown = JSON.parse(data.slice('data: '.length))
      if (!isRecord(value) || event !== `event: ${String(value['type'])}`)
        throw new Error(`strange: ${block}`)
      return value
    })
}

export function typesIn(stream: string): string[] {
  return eventsIn(stream).map(({ type }) => String(type).replace('response.', ''))
}

/** The response in the last event that has one. */
export function lastResponse(stream: string): Json {
  const last = eventsIn(stream).findLast((event) => isRecord(event['response']))?.['response']
  if (!isRecord(last)) throw new Error('no response')
  return last
}

export function outputOf(stream: string): Json[] {
  const { output } = lastResponse(stream)
  return Array.isArray(output) ? output.filter(isRecord) : []
}
