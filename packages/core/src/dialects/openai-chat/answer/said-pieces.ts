import type { StructuredCall } from '../../../answer/calls/structured-call.ts'
import { neverAsItCame, type Piece, SaidArguments } from '../../../answer/patch.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import { functionOf } from './choice.ts'
import type { SaidDelta } from './delta.ts'

/**
 * What the deltas of a choice say, in the words of the policy: a delta whose pieces the policy makes in the same words may
 * pass as it came. A delta that lacks something which clients need says what the policy never says.
 */
export class SaidPieces {
  /** The calls of which an entry has come. */
  private readonly begun = new WeakSet<StructuredCall>()
  private readonly arguments = new SaidArguments()

  /** `calls` are those that the entries belong to. `isWaiting`: an event before this one waits for it. */
  of(said: SaidDelta, calls: readonly (StructuredCall | null)[], isWaiting: boolean): Piece[] {
    const pieces: Piece[] = said.texts.map(({ is, text }) => ({ is, text }))
    if (said.functionCall !== null) pieces.push(neverAsItCame)
    for (const [at, entry] of (said.toolCalls ?? []).entries()) {
      const call = calls[at] ?? null
      // A call that is of no function goes on as it came, and so does what is no entry at all.
      if (call === null || !isJsonObject(entry))
        pieces.push({ is: 'other', item: entry, index: indexIn(entry) })
      else pieces.push(...this.entryPieces(entry, call, isWaiting))
    }
    return pieces
  }

  private entryPieces(entry: JsonObject, call: StructuredCall, isWaiting: boolean): Piece[] {
    const fn = functionOf(entry)
    const [name, id] = [nonEmptyText(fn?.['name']), nonEmptyText(entry['id'])]
    const given = fn?.['arguments'] ?? ''
    const { index } = entry
    if (typeof index !== 'number' || typeof given !== 'string') return [neverAsItCame]
    const pieces: Piece[] = []
    if (!this.begun.has(call)) {
      this.begun.add(call)
      const isWhole = nonEmptyText(entry['type']) !== null && typeof fn?.['arguments'] === 'string'
      if (id === null || name === null || !isWhole) return [neverAsItCame]
      pieces.push({ is: 'call', index, id, name, call: null })
    } else if (name !== null || (id !== null && id !== call.id)) {
      return [neverAsItCame]
    }
    const json = this.arguments.textOf(given, call)
    if (json !== '') pieces.push({ is: 'arguments', index, json })
    // The client does not know the call yet: even a delta that says nothing would make one of it.
    const isUntold = call.index === null && !isWaiting
    return pieces.length === 0 && isUntold ? [neverAsItCame] : pieces
  }
}

function indexIn(entry: unknown): number | null {
  const index = isJsonObject(entry) ? entry['index'] : null
  return typeof index === 'number' ? index : null
}

/** The entries of a delta by the index that the client knows their call by. */
export function entriesByIndex(
  { toolCalls }: SaidDelta,
  calls: readonly (StructuredCall | null)[],
): ReadonlyMap<number, JsonObject> {
  if (toolCalls === null) return noEntries
  const entries = new Map<number, JsonObject>()
  for (const [at, entry] of toolCalls.entries()) {
    const index = calls[at]?.index ?? null
    if (index !== null && isJsonObject(entry)) entries.set(index, entry)
  }
  return entries
}

const noEntries: ReadonlyMap<number, JsonObject> = new Map()
