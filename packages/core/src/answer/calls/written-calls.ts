import { CallArguments } from './arguments.ts'
import { equalJsonTexts } from '../../json/objects.ts'
import type { StructuredCall } from './structured-call.ts'

/** The calls that a model wrote in its text, to tell whether a structured call says the same once more. */
export class WrittenCalls {
  private readonly calls: WrittenCall[] = []

  begin(name: string): void {
    this.calls.push({ name, pieces: [], length: 0 })
  }

  add(json: string): void {
    const call = this.calls.at(-1)
    if (call === undefined) return
    call.length += json.length
    // Kept for the comparison alone; without a bound an endless call would fill the memory.
    if (call.length <= longestCompared) call.pieces.push(json)
  }

  /** The call at hand did not become whole. Returns its name. */
  drop(): string {
    return this.calls.pop()?.name ?? ''
  }

  /** Whether one of the calls equals this one; each is found once. */
  takeTwinOf(call: StructuredCall): boolean {
    const json = wholeArguments(call)
    const at = this.calls.findIndex(
      ({ name, pieces, length }) =>
        name === call.name && (length > longestCompared || equalJsonTexts(pieces.join(''), json)),
    )
    if (at === -1) return false
    this.calls.splice(at, 1)
    return true
  }
}

interface WrittenCall {
  readonly name: string
  readonly pieces: string[]
  length: number
}

const longestCompared = 4_194_304

/** The arguments as they would be sent on, without taking them from the call. */
function wholeArguments(call: StructuredCall): string {
  const read = new CallArguments({ problem: () => undefined, repair: () => undefined })
  const json = call.peekPieces().map((piece) => read.push(piece))
  const end = read.end(false)
  return json.join('') + (typeof end === 'string' ? '' : end.rest)
}
