import type { StageId } from './api-types.ts'
import { PART_BYTES } from './stage-part.ts'

/** What was found in a file that may be a recording. The texts of its stages stay in the file: only where they lie is known. */
export interface ScannedRecording {
  readonly end: 'whole' | 'cut' | 'no JSON'
  /** Short values by their path, such as `upstream.reading.format`. */
  readonly values: ReadonlyMap<string, string | number | boolean | null>
  readonly stages: ReadonlyMap<StageId, StageSpan>
}

/** Where the text of a stage lies in the file, between its quotes. */
export interface StageSpan {
  /** Where each of its pieces begins. A piece can be read by itself: no character and no escape lies across two. */
  readonly pieces: readonly number[]
  readonly end: number
}

const stagePaths: Readonly<Record<string, StageId>> = {
  'client.request': 'client-request',
  'upstream.request': 'upstream-request',
  'upstream.response': 'upstream-response',
  'client.response': 'client-response',
}

/** The longest value that is kept, how many of them, and how deep they lie. Recordings have less. */
const LONGEST_VALUE = 16_384
const MOST_VALUES = 500
const DEEPEST = 32

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75

interface Open {
  readonly is: 'object' | 'array'
  key: string
  wants: 'key' | 'colon' | 'value' | 'comma'
}

interface OpenText {
  readonly role: 'key' | 'value'
  readonly stage: StageId | undefined
  readonly pieces: number[]
  lastPiece: number
  readonly bytes: number[]
  /** How many bytes of an escape are to come. */
  escape: number
  /** Whether half of a character was escaped, so that no piece may begin here. */
  isHalf: boolean
  code: string
}

/** Reads a recording chunk by chunk and keeps next to nothing of it, so that its size does not matter. */
export class RecordingScanner {
  private readonly values = new Map<string, string | number | boolean | null>()
  private readonly stages = new Map<StageId, StageSpan>()
  private readonly open: Open[] = []
  private text: OpenText | undefined
  private word = ''
  private offset = 0
  private state: 'before' | 'inside' | 'behind' | 'wrong' = 'before'

  push(chunk: Uint8Array): void {
    let at = 0
    while (at < chunk.length && this.state !== 'wrong') {
      at = this.text === undefined ? this.readByte(chunk, at) : this.readText(this.text, chunk, at)
    }
    this.offset += chunk.length
  }

  /** False where the bytes so far are no JSON, so that the rest need not be read. */
  get mayBeRecording(): boolean {
    return this.state !== 'wrong'
  }

  end(): ScannedRecording {
    const { text } = this
    if (text?.stage !== undefined) {
      this.stages.set(text.stage, { pieces: text.pieces, end: this.offset - partOf(text) })
    }
    const end = this.state === 'behind' ? 'whole' : this.state === 'inside' ? 'cut' : 'no JSON'
    return { end, values: this.values, stages: this.stages }
  }

  /** A byte outside of texts. */
  private readByte(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] ?? 0
    const character = String.fromCharCode(byte)
    if (byte === QUOTE) this.beginText(this.offset + at + 1)
    else if (character === '{' || character === '[') this.beginInner(character === '{' ? 'object' : 'array')
    else if (character === '}' || character === ']') this.endInner()
    else if (character === ':') this.expect('colon', 'value')
    else if (character === ',') this.endItem()
    else if (!isSpace(byte)) this.addToWord(character)
    else this.endWord()
    return at + 1
  }

  private beginText(start: number): void {
    const { inner } = this
    if (inner === undefined || (inner.wants !== 'key' && inner.wants !== 'value')) {
      this.state = 'wrong'
      return
    }
    const role = inner.wants
    const stage = role === 'value' ? stagePaths[this.path()] : undefined
    this.text = {
      role,
      stage,
      pieces: [start],
      lastPiece: start,
      bytes: [],
      escape: 0,
      isHalf: false,
      code: '',
    }
  }

  /** Goes to the end of the text, or of the chunk. Returns where it got to. */
  private readText(text: OpenText, chunk: Uint8Array, from: number): number {
    let at = from
    while (at < chunk.length) {
      if (text.escape === 0 && chunk[at] === QUOTE) {
        this.endText(text, this.offset + at)
        return at + 1
      }
      const mayPiece = text.stage === undefined ? chunk.length : text.lastPiece + PART_BYTES - this.offset
      const isPlain = text.escape === 0 && !text.isHalf
      const to = isPlain ? plainEnd(chunk, at, Math.min(mayPiece, chunk.length)) : at
      if (to > at) keepBytes(text, chunk, at, to)
      else {
        const byte = chunk[at] ?? 0
        if (text.stage === undefined) keepBytes(text, chunk, at, at + 1)
        else if (at >= mayPiece && mayBeginPiece(text, byte)) {
          text.lastPiece = this.offset + at
          text.pieces.push(text.lastPiece)
        }
        takeByte(text, byte)
      }
      at = Math.max(to, at + 1)
    }
    return chunk.length
  }

  private endText({ role, stage, pieces, bytes }: OpenText, end: number): void {
    this.text = undefined
    const { inner } = this
    if (inner === undefined) return
    if (role === 'key') {
      inner.key = unescaped(Buffer.from(bytes).toString('utf8'))
      inner.wants = 'colon'
      return
    }
    if (stage !== undefined) this.stages.set(stage, { pieces, end })
    else this.keep(unescaped(Buffer.from(bytes).toString('utf8')))
    inner.wants = 'comma'
  }

  private beginInner(is: Open['is']): void {
    const { inner } = this
    const mayBegin =
      inner === undefined ? this.state === 'before' && is === 'object' : inner.wants === 'value'
    if (!mayBegin || this.open.length >= DEEPEST) {
      this.state = 'wrong'
      return
    }
    this.state = 'inside'
    this.open.push({ is, key: '', wants: is === 'object' ? 'key' : 'value' })
  }

  private endInner(): void {
    this.endWord()
    if (this.open.pop() === undefined) this.state = 'wrong'
    else if (this.inner === undefined) this.state = 'behind'
    else this.inner.wants = 'comma'
  }

  private endItem(): void {
    this.endWord()
    this.expect('comma', this.inner?.is === 'array' ? 'value' : 'key')
  }

  private expect(wanted: Open['wants'], next: Open['wants']): void {
    if (this.inner?.wants === wanted) this.inner.wants = next
    else this.state = 'wrong'
  }

  private addToWord(character: string): void {
    if (this.inner?.wants !== 'value' || this.word.length > 64) this.state = 'wrong'
    else this.word += character
  }

  private endWord(): void {
    if (this.word === '' || this.inner === undefined) return
    const value = words.get(this.word) ?? (this.word === 'null' ? null : Number(this.word))
    this.word = ''
    this.keep(value)
    this.inner.wants = 'comma'
  }

  private keep(value: string | number | boolean | null): void {
    const isInArray = this.open.some(({ is }) => is === 'array')
    if (!isInArray && this.values.size < MOST_VALUES) this.values.set(this.path(), value)
  }

  private path(): string {
    return this.open.map(({ key }) => key).join('.')
  }

  private get inner(): Open | undefined {
    return this.open.at(-1)
  }
}

const words: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

/**
 * Up to where, from here on, stands nothing that has to be looked at byte by byte: escapes of two bytes are among it, and
 * that is nearly all of a recorded stream. At most `limit`, or one byte more.
 */
function plainEnd(chunk: Uint8Array, from: number, limit: number): number {
  let at = from
  while (at < limit) {
    const byte = chunk[at]
    if (byte === QUOTE) break
    if (byte !== BACKSLASH) at++
    else if (at + 1 < chunk.length && chunk[at + 1] !== LETTER_U) at += 2
    else break
  }
  return at
}

function keepBytes({ stage, bytes }: OpenText, chunk: Uint8Array, from: number, to: number): void {
  if (stage !== undefined) return
  for (let at = from; at < to && bytes.length < LONGEST_VALUE; at++) bytes.push(chunk[at] ?? 0)
}

function takeByte(text: OpenText, byte: number): void {
  if (text.escape === 0) {
    text.isHalf = false
    if (byte !== BACKSLASH) return
    text.escape = 1
    text.code = ''
    return
  }
  text.escape--
  if (text.code === '') {
    if (byte !== LETTER_U) return
    text.escape = 4
  }
  text.code += String.fromCharCode(byte)
  if (text.escape === 0) text.isHalf = /^ud[89ab]/i.test(text.code)
}

function mayBeginPiece({ escape, isHalf }: OpenText, byte: number): boolean {
  return escape === 0 && !isHalf && !(byte >= 0x80 && byte < 0xc0)
}

/** How many bytes at the end of a text that was cut off are half an escape. */
function partOf({ escape, code }: OpenText): number {
  return escape === 0 ? 0 : code.length + 1
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}

/** The text that stands between the quotes of a JSON string. Where it is none, it is shown as it is. */
export function unescaped(json: string): string {
  try {
    return String(JSON.parse(`"${json}"`))
  } catch {
    return json
  }
}
