import type { UpstreamCall } from '../../../answer/answer.ts'
import { neverAsItCame, type Piece } from '../../../answer/patch.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { changedWire } from './blocks.ts'
import type { Wire } from './decode.ts'

/** What the start of a call's block says. */
export function startPieces({ id, name, input }: JsonObject, { ordinal }: UpstreamCall): Piece[] {
  const [ownId, ownName] = [nonEmptyText(id), nonEmptyText(name)]
  // Many clients go by the deltas alone, and would lose an input that stands in the start.
  if (ownId === null || ownName === null || saysSomething(input)) return [neverAsItCame]
  return [{ is: 'call', index: ordinal, id: ownId, name: ownName, call: null }]
}

/** What its end says. An input without members needs no delta. */
export function stopPieces({ ordinal }: UpstreamCall, isGiven: boolean): Piece[] {
  const end: Piece = { is: 'call-end', index: ordinal }
  return isGiven ? [{ is: 'arguments', index: ordinal, json: '{}' }, end] : [end]
}

/** Clients read the input of a call without looking whether it is there. */
export function withInput(start: Wire): Wire {
  return changedWire(start, { content_block: { ...objectIn(start.data, 'content_block'), input: {} } })
}

/** An input that says something: an object with members, or the JSON text of one. */
function saysSomething(input: unknown): boolean {
  if (typeof input === 'string') return input !== ''
  return isJsonObject(input) ? Object.keys(input).length > 0 : input !== undefined && input !== null
}
