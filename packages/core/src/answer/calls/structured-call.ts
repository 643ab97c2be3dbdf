/** A call that comes in fields of its own, as far as it has come. */
export class StructuredCall {
  name = ''
  private upstreamId: string | null = null
  private pieces: string[] = []
  private length = 0

  get id(): string | null {
    return this.upstreamId
  }

  /** How much of its arguments nobody has taken yet. */
  get heldLength(): number {
    return this.length
  }

  /** The first id stays: some servers make another for each delta. */
  addId(id: unknown): void {
    if (typeof id === 'string' && id !== '') this.upstreamId ??= id
  }

  /** Most servers send the name once, some with each delta, some in pieces, some in growing pieces. */
  addName(name: unknown): void {
    if (typeof name === 'string') this.name = joinedName(this.name, name)
  }

  /** Text, or the value itself. */
  addArguments(given: unknown): void {
    const text = argumentsText(given)
    if (text === '') return
    this.pieces.push(text)
    this.length += text.length
  }

  peekPieces(): readonly string[] {
    return this.pieces
  }

  takePieces(): readonly string[] {
    const taken = this.pieces
    this.pieces = []
    this.length = 0
    return taken
  }
}

/** A name with what a later delta says of it: again the same, the next piece, or the name so far. */
export function joinedName(before: string, name: string): string {
  if (name === before) return before
  return before !== '' && name.startsWith(before) ? name : before + name
}

/** A name without the tokens that servers of channel formats leave behind it: `read_file<|channel|>commentary`. */
export function withoutTokens(name: string): string {
  const at = name.indexOf('<|')
  return at <= 0 ? name : name.slice(0, at).trimEnd()
}

export const cutName = 'the name of a structured call held tokens of the model; they were cut off'

/** Arguments as text, whatever they came as. */
export function argumentsText(given: unknown): string {
  if (typeof given === 'string') return given
  return given === undefined || given === null ? '' : JSON.stringify(given)
}
