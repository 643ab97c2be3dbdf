import { createAnswerGlance, createSseDecoder, type AnswerGlance, type SseItem } from '@dragoman/core'
import { isRecord, type JsonRecord, parsed } from '../model/json.ts'
import type { Channel, EndReason, WireCall, WireCallPiece, WireKind, WirePiece } from './protocol.ts'

/** What a model wrote, taken out of what it came in. */
export interface Wire {
  readonly is: WireKind
  readonly pieces: readonly WirePiece[]
  /** The pieces and those of calls, in the order in which they came. */
  readonly stretches: readonly (WirePiece | WireCallPiece)[]
  readonly calls: readonly WireCall[]
  readonly end: EndReason | undefined
  readonly complaints: readonly string[]
}

/**
 * Finds out what the input is, and takes out of it what the model wrote. Plain text is in the given channel. `isEnded`: whether
 * nothing follows, so that the last event of a stream has to be whole.
 */
export function readWire(source: string | readonly string[], channel: Channel, isEnded = true): Wire {
  const chunks = typeof source === 'string' ? [source] : source
  const whole = chunks.join('')
  const text = whole.trimStart()
  if (/^(?:data|event|id|retry|)[^\n:]{0,20}:/.test(text) && /^data:/m.test(text))
    return readStream(chunks, isEnded)
  const json = text.startsWith('{') ? parsed(text) : undefined
  if (isRecord(json) && isRecord(json['upstream']) && 'dragomanRecording' in json) {
    const response = json['upstream']['response']
    return { ...readWire(typeof response === 'string' ? response : '', channel), is: 'recording' }
  }
  if (isRecord(json) && isRecord(json['error'])) {
    const said = json['error']['message']
    const complaint = `An error, and no answer: ${typeof said === 'string' ? said : JSON.stringify(json['error'])}`
    return { is: 'answer', pieces: [], stretches: [], calls: [], end: 'error', complaints: [complaint] }
  }
  if (json === undefined && /^\{\s*"dragomanRecording"/.test(text)) {
    const complaints = ['This recording is cut off, or is no JSON. It is read as text.']
    return { is: 'text', ...plain(chunks, channel), complaints }
  }
  const taken = new Taken()
  if (isRecord(json) && taken.add(json, 0) === 'known') return { is: 'answer', ...taken.result() }
  return { is: 'text', ...plain(chunks, channel) }
}

export function plain(chunks: readonly string[], channel: Channel): Omit<Wire, 'is'> {
  const pieces = chunks.map((text, chunk) => ({ text, channel, chunk })).filter(({ text }) => text !== '')
  return { pieces, stretches: pieces, calls: [], end: undefined, complaints: [] }
}

function readStream(chunks: readonly string[], isEnded: boolean): Wire {
  const taken = new Taken()
  const decoder = createSseDecoder()
  for (const [index, chunk] of chunks.entries()) {
    for (const item of decoder.push(chunk)) addItem(taken, item, index)
  }
  // What is pasted often lacks the blank line that ends its last event.
  const last = isEnded ? [...decoder.push('\n\n'), ...decoder.end()] : []
  for (const item of last) addItem(taken, item, chunks.length - 1)
  return { is: 'event stream', ...taken.result() }
}

function addItem(taken: Taken, item: SseItem, chunk: number): void {
  if (item.kind !== 'event' || item.data === '' || item.data === '[DONE]') return
  const json = parsed(item.data)
  if (isRecord(json)) taken.add(json, chunk)
  else taken.complain(`An event is no JSON object: ${item.data.slice(0, 80)}`)
}

/** Collects what the events of an answer bring, whichever of the dialects they are written in. */
class Taken {
  readonly #glance = createAnswerGlance()
  readonly #pieces: WirePiece[] = []
  readonly #stretches: (WirePiece | WireCallPiece)[] = []
  readonly #complaints: string[] = []
  #hasFailed = false

  add(json: JsonRecord, chunk: number): 'known' | 'unknown' {
    const added = this.#glance.add(json)
    for (const glanced of added ?? []) {
      if (glanced.channel === 'call') {
        this.#stretches.push({ ...glanced, chunk })
      } else {
        const piece = { text: glanced.text, channel: glanced.channel, chunk }
        this.#pieces.push(piece)
        this.#stretches.push(piece)
      }
    }
    if (json['type'] === 'error' || (json['error'] !== undefined && json['error'] !== null))
      this.#hasFailed = true
    return added === null ? 'unknown' : 'known'
  }

  complain(sentence: string): void {
    if (this.#complaints.length < 20) this.#complaints.push(sentence)
  }

  result(): Omit<Wire, 'is'> {
    return {
      pieces: this.#pieces,
      stretches: this.#stretches,
      calls: this.#glance.calls,
      end: this.#hasFailed ? 'error' : endFor(this.#glance.end),
      complaints: this.#complaints,
    }
  }
}

/** What the parser is told of an end, as the gateway tells it. */
function endFor(end: AnswerGlance['end']): EndReason | undefined {
  switch (end) {
    case null:
      return undefined
    case 'length':
      return 'length'
    case 'tool-calls':
      return 'tool_calls'
    case 'error':
    case 'content-filter':
      return 'error'
    default:
      return 'stop'
  }
}
