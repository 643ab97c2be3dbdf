import type { FinishWord, Received } from './answer.ts'
import { isObject, type Json, textIn } from './json.ts'
import {
  checkCalls,
  checkIds,
  type FailureKind,
  jsonIn,
  must,
  normalArguments,
  type SeenFailure,
  sseEvents,
  type View,
  withoutCode,
} from './view.ts'

/** What a strict program that speaks OpenAI's responses understands. */
export function readResponse({ status, is, body }: Received): View {
  if (status !== 200) return { ...nothing, failure: failureIn(jsonIn(body)) }
  return is === 'stream' ? readStream(body) : readWhole(jsonIn(body))
}

const nothing: View = { text: '', reasoning: '', calls: [], finish: null, failure: null }

function readStream(stream: string): View {
  const reader = new EventReader()
  const events = sseEvents(stream)
  const isMarked = events.at(-1)?.data === '[DONE]'
  for (const sse of isMarked ? events.slice(0, -1) : events) {
    const data = jsonIn(sse.data)
    must(isObject(data), 'the data of an event is no object')
    must(sse.event === data['type'], `the event ${sse.event} has the type ${String(data['type'])}`)
    reader.event(data)
  }
  return reader.view()
}

interface OpenItem {
  readonly type: string
  readonly id: unknown
  readonly index: number
  readonly start: Json
  readonly parts: Json[]
  part: { readonly start: Json; text: string; at: 'text' | 'said' } | null
  json: string
}

class EventReader {
  private at: 'start' | 'created' | 'items' | 'error' | 'completed' | 'failed' = 'start'
  private number = 0
  private id: unknown
  private added = 0
  private open: OpenItem | null = null
  /** A call that was begun and never ended. */
  private half: OpenItem | null = null
  private readonly done: Json[] = []
  private readonly texts = { text: '', reasoning: '' }
  private finish: FinishWord | null = null
  private failure: SeenFailure | null = null

  event(data: Json): void {
    const type = String(data['type'])
    must(this.at !== 'completed' && this.at !== 'failed', `${type} follows the end`)
    if (!(type === 'error' && data['sequence_number'] === undefined)) {
      must(data['sequence_number'] === this.number, `event ${this.number} has another number: ${type}`)
      this.number++
    }
    if (isObject(data['response'])) this.checkResponse(data['response'], type)
    switch (type) {
      // It says nothing, and has a number.
      case 'keepalive':
        break
      case 'response.created':
        this.move('start', 'created', type)
        break
      case 'response.in_progress':
        this.move('created', 'items', type)
        break
      case 'response.output_item.added':
        this.addItem(data)
        break
      case 'response.output_item.done':
        this.endItem(data)
        break
      case 'response.content_part.added':
      case 'response.reasoning_summary_part.added':
        this.addPart(data)
        break
      case 'response.content_part.done':
      case 'response.reasoning_summary_part.done':
        this.endPart(data)
        break
      case 'response.output_text.delta':
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        this.addText(data)
        break
      case 'response.output_text.done':
      case 'response.reasoning_text.done':
      case 'response.reasoning_summary_text.done':
        this.endText(data)
        break
      case 'response.function_call_arguments.delta':
        this.call(data).json += textIn(data, 'delta') ?? ''
        break
      case 'response.function_call_arguments.done':
        must(this.call(data).json === data['arguments'], 'the arguments are repeated otherwise')
        break
      case 'response.completed':
      case 'response.incomplete':
        this.end(data)
        break
      case 'error':
        // An answer can fail at its very beginning.
        must(this.at === 'created' || this.at === 'items', `${type} comes at: ${this.at}`)
        this.at = 'error'
        this.failure = failureIn(data)
        break
      case 'response.failed':
        must(['error', 'created', 'items'].includes(this.at), `${type} comes at: ${this.at}`)
        this.fail(data)
        break
      default:
        must(false, `a strange event: ${JSON.stringify(data)}`)
    }
  }

  view(): View {
    const { at, finish, failure } = this
    must(at === 'completed' || at === 'failed', `the stream ends at: ${at}`)
    const calls = this.done.filter((item) => item['type'] === 'function_call')
    const seen = calls.map(seenCall)
    const { half } = this
    if (half !== null) seen.push({ name: textIn(half.start, 'name') ?? '', arguments: null })
    checkCalls(seen, finish, failure !== null)
    checkIds(
      calls.map((call) => call['call_id']),
      legalId,
    )
    return { ...this.texts, calls: seen, finish, failure }
  }

  private move(from: typeof this.at, to: typeof this.at, type: string): void {
    must(this.at === from, `${type} comes at: ${this.at}`)
    this.at = to
  }

  private checkResponse(response: Json, type: string): void {
    const { id, output } = response
    this.id ??= id
    must(typeof id === 'string' && id === this.id, `${type} has the id ${String(id)}`)
    must(Array.isArray(output) || type === 'response.failed', `${type} has no output`)
  }

  private addItem({ output_index: index, item }: Json): void {
    must(this.at === 'items', `an item begins at: ${this.at}`)
    must(index === this.added, `item ${this.added} has the index ${String(index)}`)
    must(isObject(item), 'an item is no object')
    // Half a call is never ended; nothing else may be left so.
    if (this.open !== null) this.leave(this.open)
    const type = String(item['type'])
    must(typeof item['id'] === 'string' && item['id'] !== '', 'an item has no id')
    if (type === 'message') must(JSON.stringify(item['content']) === '[]', 'a message begins with content')
    else if (type === 'reasoning')
      must(JSON.stringify(item['summary']) === '[]', 'reasoning begins with text')
    else must(type === 'function_call' && item['arguments'] === '', `a strange item: ${JSON.stringify(item)}`)
    this.open = { type, id: item['id'], index: this.added++, start: item, parts: [], part: null, json: '' }
  }

  private leave(open: OpenItem): void {
    must(open.type === 'function_call', `${open.type} ${open.index} was not ended`)
    this.half = open
    this.open = null
  }

  /** The item that is open, which the event has to be about. */
  private opened(data: Json): OpenItem {
    const { open } = this
    must(open !== null && data['output_index'] === open.index, 'an event is of an item that is not open')
    must(data['item_id'] === open.id, `the id of item ${open.index} is another now`)
    return open
  }

  private call(data: Json): OpenItem {
    const open = this.opened(data)
    must(open.type === 'function_call', 'arguments in an item that is no call')
    return open
  }

  private addPart(data: Json): void {
    const open = this.opened(data)
    must(open.part === null, 'a part begins in another')
    const { part } = data
    must(isObject(part) && part['text'] === '', 'a part begins with text')
    const kinds = open.type === 'message' ? ['output_text'] : ['summary_text', 'reasoning_text']
    must(kinds.includes(String(part['type'])), `a strange part: ${String(part['type'])}`)
    must((data['content_index'] ?? data['summary_index']) === open.parts.length, 'a part has another number')
    open.part = { start: part, text: '', at: 'text' }
  }

  private addText(data: Json): void {
    const { part, type } = this.opened(data)
    must(part?.at === 'text', 'a text is in no part')
    const text = textIn(data, 'delta') ?? ''
    part.text += text
    this.texts[type === 'message' ? 'text' : 'reasoning'] += text
  }

  private endText(data: Json): void {
    const { part } = this.opened(data)
    must(part?.at === 'text', 'a text ends that has not begun')
    must(data['text'] === part.text, 'the text is repeated otherwise')
    part.at = 'said'
  }

  private endPart(data: Json): void {
    const open = this.opened(data)
    const { part } = open
    must(part?.at === 'said', 'a part ends before its text')
    must(isObject(data['part']) && data['part']['text'] === part.text, 'the part is repeated otherwise')
    open.parts.push(data['part'])
    open.part = null
  }

  private endItem({ output_index: index, item }: Json): void {
    const { open } = this
    must(open !== null && open.index === index && isObject(item), 'an item ends that is not open')
    must(item['id'] === open.id && item['type'] === open.type, 'an item ends as another')
    must(open.part === null, 'an item ends before its part')
    if (open.type === 'function_call') {
      // Arguments may come with the end alone.
      must(
        open.json === '' || item['arguments'] === open.json,
        'the arguments of a call are others at its end',
      )
      must(typeof item['arguments'] === 'string', 'arguments are no text')
      must(
        item['name'] === open.start['name'] && item['call_id'] === open.start['call_id'],
        'another call ends',
      )
      must(item['status'] === 'completed', 'a call ends that is not whole')
    } else {
      must(
        textOf(item) === open.parts.map((part) => textIn(part, 'text')).join(''),
        'the item has another text',
      )
    }
    this.done.push(item)
    this.open = null
  }

  private end({ type, response }: Json): void {
    must(this.at === 'items', `${String(type)} comes at: ${this.at}`)
    if (this.open !== null) this.leave(this.open)
    must(isObject(response), 'the end has no response')
    this.at = 'completed'
    must(JSON.stringify(response['output']) === JSON.stringify(this.done), 'the end has other items')
    const calls = this.done.some((item) => item['type'] === 'function_call')
    must(
      response['status'] === undefined || `response.${textIn(response, 'status')}` === type,
      'another status',
    )
    this.finish = finishOf(String(type).replace('response.', ''), response, calls)
  }

  private fail({ response }: Json): void {
    this.at = 'failed'
    if (this.open !== null && this.open.type === 'function_call') this.half = this.open
    must(isObject(response) && response['status'] === 'failed', 'a failure has another status')
    this.failure ??= failureIn(response)
    must(isObject(response['error']), 'a failure has no error')
  }
}

const legalId = /^[^]{1,64}$/

function readWhole(body: unknown): View {
  must(isObject(body) && body['object'] === 'response', 'this is no response')
  const { output } = body
  must(Array.isArray(output), 'a response has no output')
  const items = output.filter(isObject)
  must(items.length === output.length, 'an item is no object')
  const calls = items.filter((item) => item['type'] === 'function_call')
  const joined = (type: string): string =>
    items.map((item) => (item['type'] === type ? textOf(item) : '')).join('')
  const seen = calls.map(seenCall)
  const finish = finishOf(textIn(body, 'status') ?? 'completed', body, calls.length > 0)
  checkCalls(seen, finish, false)
  checkIds(
    calls.map((call) => call['call_id']),
    legalId,
  )
  return { text: joined('message'), reasoning: joined('reasoning'), calls: seen, finish, failure: null }
}

function seenCall(item: Json): { readonly name: string; readonly arguments: string | null } {
  const json = textIn(item, 'arguments') ?? ''
  return { name: textIn(item, 'name') ?? '', arguments: normalArguments(json) }
}

/** What the parts of an item say. */
function textOf(item: Json): string {
  const lists = item['type'] === 'message' ? [item['content']] : [item['summary'], item['content']]
  return lists
    .flatMap((list: unknown): unknown[] => (Array.isArray(list) ? list : []))
    .map((part) => (isObject(part) ? (textIn(part, 'text') ?? '') : ''))
    .join('')
}

function finishOf(status: string, response: Json, hasCalls: boolean): FinishWord {
  if (status === 'completed') return hasCalls ? 'tool-calls' : 'stop'
  must(status === 'incomplete', `the status is ${status}`)
  const details = response['incomplete_details']
  const reason = isObject(details) ? details['reason'] : undefined
  must(reason === 'max_output_tokens' || reason === 'content_filter', `it is incomplete: ${String(reason)}`)
  return reason === 'max_output_tokens' ? 'length' : 'content-filter'
}

/** The error of a body, or of an event: some programs read the event's own fields. */
function failureIn(body: unknown): SeenFailure {
  must(isObject(body), 'an error is no object')
  const { error } = body
  must(isObject(error), `an error is no object: ${JSON.stringify(body)}`)
  const { message, type, code } = error
  must(typeof message === 'string' && message !== '', `an error has no message: ${JSON.stringify(body)}`)
  must(typeof (code ?? '') === 'string', `the code of an error is no text: ${JSON.stringify(body)}`)
  return { kind: failureKinds.get(type) ?? 'upstream', message: withoutCode(message) }
}

const failureKinds: ReadonlyMap<unknown, FailureKind> = new Map<unknown, FailureKind>([
  ['invalid_request_error', 'invalid request'],
  ['authentication_error', 'authentication'],
  ['permission_error', 'permission'],
  ['not_found_error', 'not found'],
  ['rate_limit_error', 'rate limit'],
  ['overloaded_error', 'overloaded'],
  ['timeout', 'timeout'],
])
