import { parsed } from '../model/json.ts'
import type { Delivered, OutputTrace, WireCallPiece, WirePiece } from './protocol.ts'

type Events = OutputTrace['events']

/**
 * Finds in the bytes of an answer what it says, and for each stretch the event of the model's output that it comes from. A
 * client gets text, reasoning and arguments in the order of the events, so that counting characters finds them; where the
 * gateway wrote something else, as for a tool that it names otherwise, the stretch comes from no event.
 */
export function deliveredIn(
  chunks: readonly string[],
  stretches: readonly (WirePiece | WireCallPiece)[],
  events: Events,
): Delivered[] {
  const origins = new Origins(events)
  const places = new Places(chunks)
  const delivered: Delivered[] = []
  const add = (place: Place | undefined, kind: Delivered['kind'], event: number | null): void => {
    if (place !== undefined) delivered.push({ ...place, kind, event })
  }
  for (const stretch of stretches) {
    if (stretch.channel === 'call') {
      const { call, name, text, chunk } = stretch
      if (name !== null) add(places.ofString(chunk, name), 'name', origins.ofName(call, name))
      if (text === '') continue
      add(places.ofString(chunk, text) ?? places.ofJson(chunk, text), 'arguments', origins.ofJson(call, text))
    } else {
      const { channel, text, chunk } = stretch
      const kind = channel === 'content' ? 'text' : 'reasoning'
      add(places.ofString(chunk, text), kind, origins.ofText(kind, text))
    }
  }
  return delivered
}

interface Place {
  readonly from: number
  readonly to: number
}

/** Looks for values in chunks, each behind the one before it. */
class Places {
  readonly #chunks: readonly string[]
  readonly #starts: number[] = []
  #chunk = -1
  #at = 0

  constructor(chunks: readonly string[]) {
    this.#chunks = chunks
    let start = 0
    for (const { length } of chunks) {
      this.#starts.push(start)
      start += length
    }
  }

  /** The value of a field, without its quotes. */
  ofString(chunk: number, value: string): Place | undefined {
    const written = JSON.stringify(value)
    const text = this.#enter(chunk)
    let at = text.indexOf(written, this.#at)
    // A name of a field may be the same word, and may stand before it.
    while (at >= 0 && !/:\s*$/.test(text.slice(Math.max(0, at - 3), at))) at = text.indexOf(written, at + 1)
    return at < 0 ? undefined : this.#found(at + 1, written.length - 2)
  }

  /** A value that was not written as a string. */
  ofJson(chunk: number, json: string): Place | undefined {
    const at = this.#enter(chunk).indexOf(json, this.#at)
    return at < 0 ? undefined : this.#found(at, json.length)
  }

  #enter(chunk: number): string {
    if (chunk !== this.#chunk) this.#at = 0
    this.#chunk = chunk
    return this.#chunks[chunk] ?? ''
  }

  #found(at: number, length: number): Place {
    this.#at = at + length
    const from = (this.#starts[this.#chunk] ?? 0) + at
    return { from, to: from + length }
  }
}

/** White space may be left out on the way: what follows is looked for this far. */
const FAR = 200

/** What a part of the output says, and the events that say it. */
class Said {
  readonly #pieces: string[] = []
  readonly #starts: number[] = []
  readonly #events: number[] = []
  #length = 0
  #text: string | undefined
  #at = 0
  #event = 0

  add(text: string, event: number): void {
    this.#pieces.push(text)
    this.#starts.push(this.#length)
    this.#events.push(event)
    this.#length += text.length
  }

  get first(): number | undefined {
    return this.#events[0]
  }

  /** The event that says this next, or null. */
  next(text: string): number | null {
    this.#text ??= this.#pieces.join('')
    const at = this.#text.startsWith(text, this.#at)
      ? this.#at
      : this.#text.slice(this.#at, this.#at + FAR + text.length).indexOf(text) + this.#at
    if (at < this.#at) return null
    this.#at = at + text.length
    while ((this.#starts[this.#event + 1] ?? Number.POSITIVE_INFINITY) <= at) this.#event++
    return this.#events[this.#event] ?? null
  }

  /** The first event, where all of them together say this with other spaces. */
  asJson(json: string): number | null {
    const written = compact(json)
    const isSame = written !== undefined && written === compact(this.#pieces.join(''))
    return isSame ? (this.first ?? null) : null
  }
}

function compact(json: string): string | undefined {
  const value = parsed(json)
  return value === undefined ? undefined : JSON.stringify(value)
}

interface CallOrigin {
  readonly name: string
  readonly start: number
  readonly json: Said
}

/** Finds events by what the client got of them, in order. */
class Origins {
  readonly #said = { text: new Said(), reasoning: new Said() }
  readonly #calls: CallOrigin[] = []
  /** The calls of the client, by their places. Those that did not count have none. */
  readonly #taken = new Map<number, CallOrigin>()
  #next = 0

  constructor(events: Events) {
    for (const [index, event] of events.entries()) {
      if (event.type === 'text' || event.type === 'reasoning') this.#said[event.type].add(event.text, index)
      else if (event.type === 'call-start')
        this.#calls.push({ name: event.name, start: index, json: new Said() })
      else if (event.type === 'call-delta') {
        const call = this.#calls.at(-1)
        // A problem may stand between two deltas. The source tells the arguments of a call apart from others, not these.
        if (call !== undefined) call.json.add(event.json, call.json.first ?? index)
      }
    }
  }

  ofText(kind: 'text' | 'reasoning', text: string): number | null {
    return this.#said[kind].next(text)
  }

  ofName(call: number, name: string): number | null {
    for (let at = this.#next; at < this.#calls.length; at++) {
      const origin = this.#calls[at]
      if (origin?.name !== name) continue
      this.#next = at + 1
      this.#taken.set(call, origin)
      return origin.start
    }
    return null
  }

  ofJson(call: number, json: string): number | null {
    const said = this.#taken.get(call)?.json
    return said?.next(json) ?? said?.asJson(json) ?? null
  }
}
