import type { RepairCode } from '../problems.ts'
import { DEEPEST } from './json-scanner.ts'
import type { StringPlace } from './python-quote.ts'

/** Where the JSON of a literal goes, piece by piece; what cannot be told yet is held back. */
export interface LiteralOutput {
  delta(json: string): void
  holdBack(): void
  release(): string
  isOver(): boolean
  repair(code: RepairCode): void
}

export type Frame =
  /** A list, and a tuple or a set as soon as it is known to be one. */
  | { is: 'array'; closer: string; count: number }
  /** `isOwn`: it has braces of its own in the JSON. */
  | { is: 'dictionary'; part: 'key' | 'value'; count: number; held: string; isOwn: boolean }
  /** A dictionary or a set: what follows the first value decides. */
  | { is: 'brace'; held: string }
  /** A tuple, or a value with parentheses around it. */
  | { is: 'parenthesis'; held: string }

/** The brackets that are open in a literal, and the JSON that is written in them. */
export class LiteralFrames {
  private readonly output: LiteralOutput
  private readonly members: { key(name: string): string } | undefined
  private readonly frames: Frame[] = []
  /** Those that keep what is written in them, for what it will be is not known yet. */
  private readonly holders: { held: string }[] = []

  constructor(output: LiteralOutput, members: { key(name: string): string } | undefined) {
    this.output = output
    this.members = members
  }

  get isEmpty(): boolean {
    return this.frames.length === 0
  }

  /** The bracket that closes the innermost frame. */
  get closer(): string | undefined {
    const frame = this.frames.at(-1)
    if (frame?.is === 'array') return frame.closer
    return frame === undefined ? undefined : frame.is === 'parenthesis' ? ')' : '}'
  }

  /** What a string that is read now stands in. */
  get stringPlace(): StringPlace {
    const frame = this.frames.at(-1)
    if (frame === undefined) return 'arguments'
    if (frame.is === 'parenthesis') return 'parentheses'
    if (frame.is === 'brace' || (frame.is === 'dictionary' && frame.part === 'key')) return 'key'
    return frame.is === 'dictionary' || frame.closer === '}'
      ? 'dictionary'
      : frame.closer === ')'
        ? 'parentheses'
        : 'list'
  }

  write(json: string): void {
    const holder = this.holders.at(-1)
    if (holder === undefined) this.output.delta(json)
    else holder.held += json
  }

  /** What was held has been written, unless a frame still holds. */
  settle(): void {
    if (this.holders.length === 0) this.output.release()
  }

  /** A bracket opens. Returns whether one may. */
  open(kind: Frame['is']): boolean {
    if (this.frames.length >= DEEPEST) return false
    const outer = this.frames.at(-1)
    if (outer === undefined && this.members !== undefined) return this.openMembers(kind)
    if (outer?.is === 'dictionary' && outer.part === 'key') return false
    // A bracket is no key, so the brace around it is a set.
    if (outer?.is === 'brace') this.becomeArray('}')
    this.beginElement()
    if (kind === 'array') {
      this.write('[')
      this.frames.push({ is: 'array', closer: ']', count: 0 })
    } else {
      this.hold(kind === 'brace' ? { is: 'brace', held: '' } : { is: 'parenthesis', held: '' })
    }
    return true
  }

  /** A string, a number or a word begins. Returns whether one may. */
  beginPlain(): boolean {
    const frame = this.frames.at(-1)
    if (frame === undefined) return this.members === undefined
    if (frame.is === 'dictionary' && frame.part === 'key') {
      frame.held = ''
      this.output.holdBack()
      this.holders.push(frame)
    } else {
      this.beginElement()
    }
    return true
  }

  /** A colon: what stands before it was a key. */
  endKey(): boolean {
    const frame = this.frames.at(-1)
    if (frame?.is === 'brace') {
      this.frames.pop()
      this.holders.pop()
      this.write(`{${keyJson(frame.held)}:`)
      this.frames.push({ is: 'dictionary', part: 'value', count: 1, held: '', isOwn: true })
      return true
    }
    if (frame?.is !== 'dictionary' || frame.part === 'value') return false
    this.holders.pop()
    const key = keyJson(frame.held)
    if (frame.isOwn) this.write(`${frame.count > 0 ? ',' : ''}${key}:`)
    else this.write(this.members?.key(keyText(key)) ?? '')
    frame.count++
    frame.part = 'value'
    return true
  }

  /** A comma. */
  separate(): boolean {
    const frame = this.frames.at(-1)
    if (frame?.is === 'brace') this.becomeArray('}')
    if (frame?.is === 'parenthesis') this.becomeArray(')')
    if (frame?.is !== 'dictionary') return true
    const isBehindValue = frame.part === 'value'
    frame.part = 'key'
    return isBehindValue
  }

  /** The closing bracket of the innermost frame, behind a value or where one could stand. Returns whether it may. */
  close(behind: 'value' | 'separator'): boolean {
    const frame = this.frames.pop()
    if (frame === undefined) return false
    if (frame.is === 'array') {
      this.write(']')
      return true
    }
    if (frame.is === 'dictionary') {
      if (frame.isOwn) this.write('}')
      return (frame.part === 'value') === (behind === 'value')
    }
    this.holders.pop()
    if (frame.is === 'parenthesis') this.write(frame.held === '' ? '[]' : frame.held)
    else this.write(frame.held === '' ? '{}' : `[${frame.held}]`)
    return true
  }

  /** `**{…}`: the members of the dictionary are members of the object that is open already. */
  private openMembers(kind: Frame['is']): boolean {
    if (kind !== 'brace') return false
    this.frames.push({ is: 'dictionary', part: 'key', count: 0, held: '', isOwn: false })
    return true
  }

  private hold(frame: Extract<Frame, { is: 'brace' | 'parenthesis' }>): void {
    this.output.holdBack()
    this.frames.push(frame)
    this.holders.push(frame)
  }

  private becomeArray(closer: string): void {
    this.frames.pop()
    const held = this.holders.pop()?.held ?? ''
    this.write(`[${held}`)
    this.frames.push({ is: 'array', closer, count: held === '' ? 0 : 1 })
  }

  /** The comma is written in front of what follows it: in Python one may stand at the end. */
  private beginElement(): void {
    const frame = this.frames.at(-1)
    if (frame?.is !== 'array') return
    if (frame.count > 0) this.write(',')
    frame.count++
  }
}

/** JSON has no keys but strings. */
function keyJson(held: string): string {
  return held.startsWith('"') ? held : JSON.stringify(held)
}

function keyText(json: string): string {
  const key: unknown = JSON.parse(json)
  return typeof key === 'string' ? key : json
}
