import type { FinishWord, Received } from './answer.ts'
import { isObject, type Json, parseJson, textIn } from './json.ts'
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

/** What a strict program that speaks Anthropic's dialect understands. */
export function readMessage({ status, is, body }: Received): View {
  if (status !== 200) return { ...nothing, failure: failureIn(jsonIn(body)) }
  return is === 'stream' ? readStream(body) : readWhole(body)
}

const nothing: View = { text: '', reasoning: '', calls: [], finish: null, failure: null }

function readStream(stream: string): View {
  const reader = new EventReader()
  for (const sse of sseEvents(stream)) {
    const data = jsonIn(sse.data)
    must(isObject(data), 'the data of an event is no object')
    must(sse.event === data['type'], `the event ${sse.event} has the type ${String(data['type'])}`)
    if (sse.event !== 'ping') reader.event(data)
  }
  return reader.view()
}

type Block = {
  readonly type: unknown
  text: string
  readonly call: { readonly id: unknown; readonly name: string } | null
}

class EventReader {
  private at: 'start' | 'message' | 'block' | 'finished' | 'stopped' | 'failed' = 'start'
  private readonly blocks: Block[] = []
  private finish: FinishWord | null = null
  private failure: SeenFailure | null = null

  event(data: Json): void {
    must(this.at !== 'stopped' && this.at !== 'failed', `${String(data['type'])} follows the end`)
    switch (data['type']) {
      case 'message_start':
        this.move('start', 'message', data)
        break
      case 'content_block_start':
        this.move('message', 'block', data)
        this.open(data)
        break
      case 'content_block_delta':
        this.move('block', 'block', data)
        this.delta(data)
        break
      case 'content_block_stop':
        this.move('block', 'message', data)
        this.stop(data)
        break
      case 'message_delta':
        this.move('message', 'finished', data)
        this.finish = finishOf(isObject(data['delta']) ? data['delta']['stop_reason'] : undefined)
        break
      case 'message_stop':
        this.move('finished', 'stopped', data)
        break
      case 'error':
        must(this.at !== 'finished', 'a failure follows the finish')
        this.at = 'failed'
        this.failure = failureIn(data)
        break
      default:
        must(false, `a strange event: ${JSON.stringify(data)}`)
    }
  }

  view(): View {
    const { at, finish, failure } = this
    must(at === 'stopped' || at === 'failed', `the stream ends at: ${at}`)
    const calls = this.blocks.flatMap(({ call, text }) => (call === null ? [] : [{ ...call, json: text }]))
    const seen = calls.map(({ name, json }) => ({
      name,
      arguments: normalArguments(json === '' ? '{}' : json),
    }))
    checkCalls(seen, finish, failure !== null)
    checkIds(
      calls.map(({ id }) => id),
      legalId,
    )
    return { text: this.joined('text'), reasoning: this.joined('thinking'), calls: seen, finish, failure }
  }

  private move(from: typeof this.at, to: typeof this.at, data: Json): void {
    must(this.at === from, `${String(data['type'])} comes at: ${this.at}`)
    this.at = to
  }

  private open({ index, content_block: block }: Json): void {
    must(index === this.blocks.length, `block ${this.blocks.length} has the index ${String(index)}`)
    must(isObject(block), 'a block is no object')
    const { type } = block
    must(type === 'text' || type === 'thinking' || type === 'tool_use', `a strange block: ${String(type)}`)
    if (type !== 'tool_use') {
      this.blocks.push({ type, text: textIn(block, type) ?? '', call: null })
      return
    }
    must(JSON.stringify(block['input']) === '{}', 'the start of a call has an input')
    this.blocks.push({ type, text: '', call: { id: block['id'], name: textIn(block, 'name') ?? '' } })
  }

  private delta({ index, delta }: Json): void {
    const block = this.blocks.at(-1)
    must(block !== undefined && index === this.blocks.length - 1, 'a delta is of a block that is not open')
    must(isObject(delta), 'a delta is no object')
    const type = String(delta['type'])
    if (type === 'signature_delta' && block.type === 'thinking') return
    const field = type === 'input_json_delta' ? 'partial_json' : type.replace('_delta', '')
    must(
      field === (block.type === 'tool_use' ? 'partial_json' : block.type),
      `${type} in a block of ${String(block.type)}`,
    )
    block.text += textIn(delta, field) ?? ''
  }

  private stop({ index }: Json): void {
    const block = this.blocks.at(-1)
    must(index === this.blocks.length - 1, 'the end of a block that is not open')
    must(block?.type !== 'text' || block.text.trim() !== '', 'a block of text says nothing')
  }

  private joined(type: string): string {
    return this.blocks.map((block) => (block.type === type ? block.text : '')).join('')
  }
}

const legalId = /^[a-zA-Z0-9_-]{1,64}$/

function readWhole(text: string): View {
  const body = parseJson(text)
  must(isObject(body) && body['type'] === 'message' && body['role'] === 'assistant', 'this is no message')
  const { content } = body
  must(Array.isArray(content), 'a message has no content')
  const blocks = content.filter(isObject)
  must(blocks.length === content.length, 'a block is no object')
  const joined = (type: string): string =>
    blocks.map((block) => (block['type'] === type ? (textIn(block, type) ?? '') : '')).join('')
  must(
    blocks.every((block) => block['type'] !== 'text' || String(block['text']).trim() !== ''),
    'a block of text says nothing',
  )
  const tools = blocks.filter((block) => block['type'] === 'tool_use')
  const calls = tools.map((tool) => ({
    name: textIn(tool, 'name') ?? '',
    arguments: isObject(tool['input']) ? JSON.stringify(tool['input']) : null,
  }))
  const finish = finishOf(body['stop_reason'])
  checkCalls(calls, finish, false)
  checkIds(
    tools.map((tool) => tool['id']),
    legalId,
  )
  return { text: joined('text'), reasoning: joined('thinking'), calls, finish, failure: null }
}

function finishOf(word: unknown): FinishWord {
  const found = stopMeanings.get(word)
  must(found !== undefined, `the stop reason is ${JSON.stringify(word)}`)
  return found
}

const stopMeanings: ReadonlyMap<unknown, FinishWord> = new Map<unknown, FinishWord>([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'content-filter'],
  ['stop_sequence', 'stop-sequence'],
  ['pause_turn', 'pause'],
])

function failureIn(body: unknown): SeenFailure {
  must(isObject(body) && body['type'] === 'error', `an error has no type: ${JSON.stringify(body)}`)
  const { error } = body
  must(isObject(error), `an error is no object: ${JSON.stringify(body)}`)
  const { message: text, type } = error
  must(typeof text === 'string' && text !== '', `an error has no message: ${JSON.stringify(body)}`)
  must(typeof type === 'string' && type !== '', `an error has no type: ${JSON.stringify(body)}`)
  return { kind: failureKinds.get(type) ?? 'upstream', message: withoutCode(text) }
}

const failureKinds: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ['invalid_request_error', 'invalid request'],
  ['request_too_large', 'invalid request'],
  ['authentication_error', 'authentication'],
  ['permission_error', 'permission'],
  ['not_found_error', 'not found'],
  ['rate_limit_error', 'rate limit'],
  ['overloaded_error', 'overloaded'],
  ['timeout_error', 'timeout'],
])
