import { createSseDecoder, type SseItem } from '@dragoman/core'
import { isRecord, type JsonRecord, parsed } from '../model/json.ts'
import type { Channel, EndReason, WireCall, WireKind, WirePiece } from './protocol.ts'

/** What a model wrote, taken out of what it came in. */
export interface Wire {
  readonly is: WireKind
  readonly pieces: readonly WirePiece[]
  readonly calls: readonly WireCall[]
  readonly end: EndReason | undefined
  readonly complaints: readonly string[]
}

/** Finds out what the input is, and takes out of it what the model wrote. Plain text is in the given channel. */
export function readWire(source: string | readonly string[], channel: Channel): Wire {
  const chunks = typeof source === 'string' ? [source] : source
  const whole = chunks.join('')
  const text = whole.trimStart()
  if (/^(?:data|event|id|retry|)[^\n:]{0,20}:/.test(text) && /^data:/m.test(text)) return readStream(chunks)
  const json = text.startsWith('{') ? parsed(text) : undefined
  if (isRecord(json) && isRecord(json['upstream']) && 'dragomanRecording' in json) {
    const response = json['upstream']['response']
    return { ...readWire(typeof response === 'string' ? response : '', channel), is: 'recording' }
  }
  if (isRecord(json) && isRecord(json['error'])) {
    const said = json['error']['message']
    const complaint = `An error, and no answer: ${typeof said === 'string' ? said : JSON.stringify(json['error'])}`
    return { is: 'answer', pieces: [], calls: [], end: 'error', complaints: [complaint] }
  }
  if (isRecord(json) && answerFields.some((field) => field in json)) {
    const taken = new Taken()
    taken.add(json, 0)
    return { is: 'answer', ...taken.result() }
  }
  return { is: 'text', ...plain(chunks, channel) }
}

export function plain(chunks: readonly string[], channel: Channel): Omit<Wire, 'is'> {
  const pieces = chunks.map((text, chunk) => ({ text, channel, chunk })).filter(({ text }) => text !== '')
  return { pieces, calls: [], end: undefined, complaints: [] }
}

/** What the whole answers of the dialects have at their top. */
const answerFields = ['choices', 'candidates', 'output', 'content'] as const

function readStream(chunks: readonly string[]): Wire {
  const taken = new Taken()
  const decoder = createSseDecoder()
  for (const [index, chunk] of chunks.entries()) {
    for (const item of decoder.push(chunk)) addItem(taken, item, index)
  }
  // What is pasted often lacks the blank line that ends its last event.
  for (const item of [...decoder.push('\n\n'), ...decoder.end()]) addItem(taken, item, chunks.length - 1)
  return { is: 'event stream', ...taken.result() }
}

function addItem(taken: Taken, item: SseItem, chunk: number): void {
  if (item.kind !== 'event' || item.data === '' || item.data === '[DONE]') return
  const json = parsed(item.data)
  if (isRecord(json)) taken.add(json, chunk)
  else taken.complain(`An event is no JSON object: ${item.data.slice(0, 80)}`)
}

const ends: Readonly<Record<string, EndReason>> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  completed: 'stop',
  STOP: 'stop',
  length: 'length',
  max_tokens: 'length',
  incomplete: 'length',
  MAX_TOKENS: 'length',
  tool_calls: 'tool_calls',
  tool_use: 'tool_calls',
  error: 'error',
  failed: 'error',
}

/** Collects what the events of an answer bring, whichever of the dialects they are written in. */
class Taken {
  readonly #pieces: WirePiece[] = []
  readonly #calls = new Map<string, { id: string | null; name: string; json: string }>()
  readonly #complaints: string[] = []
  #end: EndReason | undefined
  #chunk = 0

  add(json: JsonRecord, chunk: number): void {
    this.#chunk = chunk
    for (const choice of records(json['choices'])) this.#choice(choice)
    for (const candidate of records(json['candidates'])) this.#candidate(candidate)
    for (const item of records(json['output'])) this.#item(item, textOf(item['id']))
    for (const block of records(json['content'])) this.#block(block, textOf(block['id']))
    this.#finish(json['stop_reason'])
    if (json['error'] !== undefined && json['error'] !== null) this.#finish('error')
    this.#typed(textOf(json['type']), json)
  }

  complain(sentence: string): void {
    if (this.#complaints.length < 20) this.#complaints.push(sentence)
  }

  result(): Omit<Wire, 'is'> {
    return {
      pieces: this.#pieces,
      calls: [...this.#calls.values()],
      end: this.#end,
      complaints: this.#complaints,
    }
  }

  /** OpenAI chat. Only the first choice is read: each would be an answer of its own. */
  #choice(choice: JsonRecord): void {
    if (choice['index'] !== undefined && choice['index'] !== 0) return
    const said = [choice['delta'], choice['message']].find(isRecord) ?? {}
    this.#text(said['reasoning_content'] ?? said['reasoning'], 'reasoning')
    const content = said['content']
    if (Array.isArray(content)) for (const part of records(content)) this.#text(part['text'], 'content')
    else this.#text(content, 'content')
    for (const [position, call] of records(said['tool_calls']).entries()) {
      const given = isRecord(call['function']) ? call['function'] : {}
      this.#call(
        `chat ${typeof call['index'] === 'number' ? call['index'] : position}`,
        call['id'],
        given['name'],
        given['arguments'],
      )
    }
    this.#finish(choice['finish_reason'])
  }

  /** Gemini. */
  #candidate(candidate: JsonRecord): void {
    if (candidate['index'] !== undefined && candidate['index'] !== 0) return
    const content = isRecord(candidate['content']) ? candidate['content'] : {}
    for (const part of records(content['parts'])) {
      this.#text(part['text'], part['thought'] === true ? 'reasoning' : 'content')
      const call = part['functionCall']
      if (isRecord(call)) {
        this.#call(`gemini ${this.#calls.size}`, call['id'], call['name'], JSON.stringify(call['args'] ?? {}))
      }
    }
    this.#finish(candidate['finishReason'])
  }

  /** Anthropic messages, whole. */
  #block(block: JsonRecord, key: string): void {
    if (block['type'] === 'thinking') this.#text(block['thinking'], 'reasoning')
    else if (block['type'] === 'text') this.#text(block['text'], 'content')
    else if (block['type'] === 'tool_use') {
      this.#call(key, block['id'], block['name'], JSON.stringify(block['input'] ?? {}))
    }
  }

  /** OpenAI responses, whole. */
  #item(item: JsonRecord, key: string): void {
    if (item['type'] === 'function_call') this.#call(key, item['call_id'], item['name'], item['arguments'])
    const channel = item['type'] === 'reasoning' ? 'reasoning' : 'content'
    for (const part of [...records(item['summary']), ...records(item['content'])]) {
      this.#text(part['text'], channel)
    }
  }

  /** The events of streams that name their type. */
  #typed(type: string, json: JsonRecord): void {
    const delta = json['delta']
    switch (type) {
      case 'content_block_start': {
        const block = json['content_block']
        if (!isRecord(block)) return
        if (block['type'] === 'tool_use')
          this.#call(`block ${String(json['index'])}`, block['id'], block['name'], '')
        else this.#block(block, '')
        return
      }
      case 'content_block_delta':
        if (!isRecord(delta)) return
        this.#text(delta['text'], 'content')
        this.#text(delta['thinking'], 'reasoning')
        if (typeof delta['partial_json'] === 'string') {
          this.#call(`block ${String(json['index'])}`, undefined, undefined, delta['partial_json'])
        }
        return
      case 'message_delta':
        if (isRecord(delta)) this.#finish(delta['stop_reason'])
        return
      case 'response.output_text.delta':
        this.#text(delta, 'content')
        return
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        this.#text(delta, 'reasoning')
        return
      case 'response.output_item.added': {
        const item = json['item']
        if (isRecord(item) && item['type'] === 'function_call') this.#item(item, textOf(item['id']))
        return
      }
      case 'response.function_call_arguments.delta':
        this.#call(textOf(json['item_id']), undefined, undefined, delta)
        return
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.#finish(type.slice('response.'.length))
        return
      case 'error':
        this.#finish('error')
    }
  }

  #text(value: unknown, channel: Channel): void {
    if (typeof value !== 'string' || value === '') return
    this.#pieces.push({ text: value, channel, chunk: this.#chunk })
  }

  #call(key: string, id: unknown, name: unknown, json: unknown): void {
    const call = this.#calls.get(key) ?? { id: null, name: '', json: '' }
    if (typeof id === 'string') call.id = id
    if (typeof name === 'string') call.name = name
    if (typeof json === 'string') call.json += json
    this.#calls.set(key, call)
  }

  #finish(reason: unknown): void {
    if (typeof reason === 'string') this.#end = ends[reason] ?? this.#end
  }
}

function records(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
