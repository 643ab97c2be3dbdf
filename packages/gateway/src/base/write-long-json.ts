import { breathe, inTurns, TURN } from './in-turns.ts'

/** JSON that is written when it is needed, with turns for the streams of others in between. */
export class LongJson {
  readonly value: object
  private written: Promise<Buffer> | undefined

  constructor(value: object) {
    this.value = value
  }

  bytes(): Promise<Buffer> {
    // Whoever made the value has had its turn.
    return (this.written ??= breathe().then(() => writeLongJson(this.value)))
  }
}

/** The bytes of what `JSON.stringify` makes of the value. */
export function writeLongJson(value: object): Promise<Buffer> {
  return inTurns(write(value))
}

function* write(value: object): Generator<number, Buffer, void> {
  const slices: Buffer[] = []
  let text = ''
  for (const piece of piecesOf(value)) {
    text += piece
    if (text.length < TURN) continue
    slices.push(Buffer.from(text))
    yield text.length
    text = ''
  }
  slices.push(Buffer.from(text))
  return slices.length === 1 ? (slices[0] ?? Buffer.alloc(0)) : Buffer.concat(slices)
}

function* piecesOf(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length > TURN) yield* piecesOfText(value)
  else if (typeof value !== 'object' || value === null || isLight(value))
    yield JSON.stringify(value) ?? 'null'
  else if (Array.isArray(value)) yield* piecesOfList(value)
  else yield* piecesOfFields(value)
}

function* piecesOfText(text: string): Generator<string> {
  yield '"'
  for (let at = 0; at < text.length;) {
    const cut = isPairAt(text, at + TURN) ? at + TURN - 1 : at + TURN
    yield JSON.stringify(text.slice(at, cut)).slice(1, -1)
    at = cut
  }
  yield '"'
}

/** Half of a character would be written as a number. */
function isPairAt(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const behind = text.charCodeAt(at)
  return before >= 0xd800 && before <= 0xdbff && behind >= 0xdc00 && behind <= 0xdfff
}

function* piecesOfList(list: readonly unknown[]): Generator<string> {
  let before = '['
  for (const item of list) {
    yield before
    yield* piecesOf(item)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

function* piecesOfFields(fields: object): Generator<string> {
  let before = '{'
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(key)}:`
    yield* piecesOf(value)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

/** Whether it is so short that it can be written at once. */
function isLight(value: object): boolean {
  return weightUpTo(value, TURN / 4) < TURN / 4
}

/** About how many characters it has. Nothing is counted beyond the limit. */
function weightUpTo(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let weight = 2
  for (const item of Object.values(value)) {
    weight += 8 + weightUpTo(item, limit - weight)
    if (weight >= limit) return weight
  }
  return weight
}
