import { nonEmptyText, objectIn, type JsonObject, wordOf } from '../../../json/objects.ts'
import { type OpenText, wholeText } from './items.ts'
import { partKindOf, partKindOfEvent } from './parts.ts'
import { isPlainReasoning } from './plain-reasoning.ts'
import type { Wire } from './read-items.ts'

export type TextKind = 'text' | 'reasoning'

/** An item of text that the upstream has begun, on its way to the client. */
export class SourceItem {
  readonly kind: TextKind
  readonly item: object
  /** `waiting`: its events are held until it says anything. `split`: what it says is in items of ours. */
  state: 'waiting' | 'open' | 'split' = 'waiting'
  /** Whether a text of it was held or came out otherwise. */
  hasDiffered = false
  readonly held: Wire[]
  /** What ends it, which waits. */
  readonly ending: Wire[] = []
  open: OpenText | null = null

  constructor(kind: TextKind, item: object, added: Wire) {
    this.kind = kind
    this.item = item
    this.held = [added]
  }

  /** Whether texts wait. They are white space. */
  get holdsSpace(): boolean {
    return this.held.some((event) => deltaIn(event) !== null)
  }

  /** Takes the texts out of what waits. They are white space. */
  takeSpace(): string {
    const events = this.held.splice(0)
    this.held.push(...events.filter((event) => deltaIn(event) === null))
    return events.flatMap((event) => deltaIn(event) ?? []).join('')
  }
}

function deltaIn({ data }: Wire): string | null {
  return partKindOfEvent(wordOf(data['type']))?.is === 'delta' ? nonEmptyText(data['delta']) : null
}

/** The fields that say where an event belongs. Some servers leave them out, and clients go by them. */
export function placeIn({ index, id, part }: OpenText): JsonObject {
  const place = { item_id: id, output_index: index }
  return part === null ? place : { ...place, [part.kind.indexField]: part.at }
}

/** The item as the upstream ended it, with the texts that the client was given. */
export function withTexts(came: JsonObject, open: OpenText): JsonObject {
  const whole = wholeText({ ...open, fields: came })
  const lists = (['content', 'summary'] as const).flatMap((list) => {
    const given: unknown = came[list]
    const said = open.lists[list]
    if (!Array.isArray(given) || given.length !== said.length) return []
    return [[list, given.map((part: unknown, at) => withText(objectIn({ part }, 'part'), said[at]))]]
  })
  return { ...whole, ...Object.fromEntries(lists) }
}

/** The item without reasoning in the place of a proof: sent back, only the server that wrote it would understand it. */
export function withoutPlain(came: JsonObject, { lists }: OpenText): JsonObject {
  const encrypted = nonEmptyText(came['encrypted_content'])
  const said = [...lists.content, ...lists.summary].map(({ text }) => nonEmptyText(text) ?? '').join('')
  return encrypted !== null && isPlainReasoning(encrypted, said) ? { ...came, encrypted_content: null } : came
}

function withText(part: JsonObject, said: JsonObject = {}): JsonObject {
  const field = partKindOf(said['type'])?.textField
  return field === undefined ? part : { ...part, [field]: said[field] }
}

export function isInPart({ data }: Wire, { part }: OpenText): boolean {
  const kind = partKindOfEvent(wordOf(data['type']))?.kind
  if (part === null || kind?.type !== part.kind.type) return false
  return (data[kind.indexField] ?? part.at) === part.at
}

export function isOfItem({ data }: Wire): boolean {
  return data['output_index'] !== undefined || data['item_id'] !== undefined || data['item'] !== undefined
}

export function isEnd({ data }: Wire): boolean {
  return data['type'] === 'response.output_item.done'
}

export function beginsPart({ data }: Wire): boolean {
  return (
    data['type'] === 'response.content_part.added' || data['type'] === 'response.reasoning_summary_part.added'
  )
}

export function isPartOfEnd({ data }: Wire): boolean {
  return wordOf(data['type']).endsWith('.done')
}
