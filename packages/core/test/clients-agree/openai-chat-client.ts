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

/** What a strict program that speaks the chat dialect understands. */
export function readChat({ status, is, body }: Received): View {
  if (status !== 200) return { ...nothing, failure: failureIn(jsonIn(body)) }
  return is === 'stream' ? readStream(body) : readWhole(body)
}

const nothing: View = { text: '', reasoning: '', calls: [], finish: null, failure: null }

function readStream(stream: string): View {
  const reader = new ChunkReader()
  for (const sse of sseEvents(stream)) {
    if (sse.data === '[DONE]') reader.done()
    else reader.chunk(jsonIn(sse.data))
  }
  return reader.view()
}

class ChunkReader {
  private at: 'start' | 'message' | 'finished' | 'done' | 'failed' = 'start'
  private text = ''
  private readonly reasoning = new Map<string, string>()
  private readonly calls: { readonly id: unknown; readonly name: string; json: string }[] = []
  private finish: FinishWord | null = null
  private failure: SeenFailure | null = null

  done(): void {
    must(this.at === 'finished', `[DONE] comes at: ${this.at}`)
    this.at = 'done'
  }

  chunk(value: unknown): void {
    must(this.at !== 'done' && this.at !== 'failed', 'a chunk follows the end')
    must(isObject(value), 'a chunk is no object')
    if (value['error'] !== undefined) {
      this.at = 'failed'
      this.failure = failureIn(value)
      return
    }
    const { choices } = value
    must(Array.isArray(choices), 'a chunk has no choices')
    for (const choice of choices) this.choice(choice)
  }

  view(): View {
    const { at, text, finish, failure } = this
    must(at === 'done' || at === 'failed', `the stream ends at: ${at}`)
    must(failure === null || finish === null, 'a failure follows the finish')
    const calls = this.calls.map(({ name, json }) => ({ name, arguments: normalArguments(json) }))
    checkCalls(calls, finish, failure !== null)
    checkIds(
      this.calls.map(({ id }) => id),
      legalId,
    )
    return { text, reasoning: oneReasoning(this.reasoning), calls, finish, failure }
  }

  private choice(choice: unknown): void {
    must(isObject(choice) && choice['index'] === 0, 'a choice that nobody asked for')
    must(this.at !== 'finished', 'a delta follows the finish')
    const { delta } = choice
    must(isObject(delta), 'a choice has no delta')
    if (this.at === 'start') must(delta['role'] === 'assistant', 'the first delta has no role')
    this.at = 'message'
    this.text += contentText(delta['content'])
    addReasoning(this.reasoning, delta)
    const { tool_calls: entries = [] } = delta
    must(Array.isArray(entries), 'tool_calls is no list')
    for (const entry of entries) this.entry(entry)
    must(!isSaid(delta['function_call']), 'a call comes in function_call')
    if (choice['finish_reason'] === null || choice['finish_reason'] === undefined) return
    this.finish = finishOf(choice['finish_reason'])
    this.at = 'finished'
  }

  private entry(entry: unknown): void {
    must(isObject(entry) && isObject(entry['function']), 'an entry of tool_calls has no function')
    const { index, function: fn } = entry
    const known = typeof index === 'number' ? this.calls[index] : undefined
    const json = fn['arguments'] ?? ''
    must(typeof json === 'string', 'arguments are no text')
    if (known !== undefined) {
      must(!isSaid(fn['name']) || fn['name'] === known.name, 'a call changes its name')
      known.json += json
      return
    }
    must(index === this.calls.length, `call ${this.calls.length} has the index ${String(index)}`)
    must(entry['type'] === 'function', 'the first delta of a call has no type')
    this.calls.push({ id: entry['id'], name: textIn(fn, 'name') ?? '', json })
  }
}

/** The dialect names no bounds, and an id goes back to the server that made it: there must be one. */
const legalId = /./

function readWhole(text: string): View {
  const body = jsonIn(text)
  must(isObject(body) && Array.isArray(body['choices']), 'a completion has no choices')
  const choice: unknown = body['choices'][0]
  must(isObject(choice) && isObject(choice['message']), 'a completion has no message')
  const { message } = choice
  must(message['role'] === 'assistant', 'the message has no role')
  must(!isSaid(message['function_call']), 'a call comes in function_call')
  const { tool_calls: entries = [] } = message
  must(Array.isArray(entries), 'tool_calls is no list')
  const calls = entries.map((entry: unknown) => {
    must(isObject(entry) && isObject(entry['function']), 'a call has no function')
    must(entry['type'] === 'function', 'a call has no type')
    const json = textIn(entry['function'], 'arguments')
    must(json !== null, 'arguments are no text')
    return {
      id: entry['id'],
      name: textIn(entry['function'], 'name') ?? '',
      arguments: normalArguments(json),
    }
  })
  const finish = finishOf(choice['finish_reason'])
  const seen = calls.map(({ name, arguments: json }) => ({ name, arguments: json }))
  checkCalls(seen, finish, false)
  checkIds(
    calls.map(({ id }) => id),
    legalId,
  )
  const reasoning = new Map<string, string>()
  addReasoning(reasoning, message)
  return {
    text: contentText(message['content']),
    reasoning: oneReasoning(reasoning),
    calls: seen,
    finish,
    failure: null,
  }
}

/** A text, nothing, or parts of which each is a text. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (content === null || content === undefined) return ''
  must(Array.isArray(content), 'content is neither text nor parts')
  return content.map((part: unknown) => (isObject(part) ? (textIn(part, 'text') ?? '') : '')).join('')
}

function addReasoning(fields: Map<string, string>, said: Json): void {
  for (const field of ['reasoning_content', 'reasoning', 'reasoning_text', 'reasoning_details']) {
    const text = contentText(said[field])
    if (text !== '') fields.set(field, (fields.get(field) ?? '') + text)
  }
}

/** A client reads the one field that it knows, so that each field with a text must hold the whole. */
function oneReasoning(fields: ReadonlyMap<string, string>): string {
  const texts = new Set(fields.values())
  must(texts.size < 2, `the fields of the reasoning differ: ${JSON.stringify([...fields])}`)
  return [...texts].join('')
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function finishOf(word: unknown): FinishWord {
  const found = finishMeanings.get(word)
  must(found !== undefined, `the finish reason is ${JSON.stringify(word)}`)
  return found
}

const finishMeanings: ReadonlyMap<unknown, FinishWord> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['content_filter', 'content-filter'],
])

function failureIn(body: unknown): SeenFailure {
  const error = isObject(body) ? body['error'] : undefined
  must(isObject(error), `an error is no object: ${JSON.stringify(body)}`)
  const { message, type, code } = error
  must(typeof message === 'string' && message !== '', `an error has no message: ${JSON.stringify(body)}`)
  must(typeof type === 'string' && type !== '', `an error has no type: ${JSON.stringify(body)}`)
  must(typeof code === 'string' || typeof code === 'number', `an error has no code: ${JSON.stringify(body)}`)
  return { kind: failureKinds.get(type) ?? 'upstream', message: withoutCode(message) }
}

const failureKinds: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ['invalid_request_error', 'invalid request'],
  ['authentication_error', 'authentication'],
  ['permission_error', 'permission'],
  ['not_found_error', 'not found'],
  ['rate_limit_error', 'rate limit'],
  ['overloaded_error', 'overloaded'],
  ['timeout', 'timeout'],
])
