import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { isBlank } from '../../../text/space.ts'
import { type ItemWriter, type OpenText, wholeText } from './items.ts'
import { partKindOf, partKindOfEvent } from './parts.ts'
import type { Wire } from './read-items.ts'
import type { WirePasser } from './wires.ts'

export type TextKind = 'text' | 'reasoning'

/**
 * The messages and the reasoning of a response. An item of the upstream's passes as it came while the policy says what it
 * says. Where text was held, or a call was found in it, what it says goes into items of ours.
 */
export class TextItems {
  /** Whether an item went on otherwise than it came. */
  isEdited = false
  private readonly items: ItemWriter
  private readonly wires: WirePasser
  private readonly signature: (() => string) | undefined
  /** The item that the upstream has begun last. */
  private source: SourceItem | null = null
  /** Those before it of which text may still be held. */
  private earlier: SourceItem[] = []
  /** The one whose item is open. */
  private opened: SourceItem | null = null
  /** The items that the upstream has begun. */
  private readonly begun = new WeakSet<object>()
  /** White space that gets no item of its own. */
  private space: { readonly kind: TextKind; readonly text: string } | null = null

  /** `signature`: what reasoning is signed with that the upstream has not signed. */
  constructor(items: ItemWriter, wires: WirePasser, signature: (() => string) | undefined) {
    this.items = items
    this.wires = wires
    this.signature = signature
  }

  /** The upstream begins an item. */
  begin(added: Wire, kind: TextKind, item: object): void {
    if (this.source?.state === 'waiting') this.earlier.push(this.source)
    this.source = new SourceItem(kind, item, added)
    this.begun.add(item)
  }

  /** Passes a delta on, if the policy says the same. The answer is whether it may. */
  passDelta(wire: Wire, item: object, text: string, isSame: boolean): boolean {
    const source = this.sourceOf(item)
    if (source === null || source !== this.source || !isSame || source.hasDiffered || this.space !== null) {
      if (source !== null) source.hasDiffered = true
      return false
    }
    if (source.state === 'waiting' && isBlank(text)) {
      source.held.push(wire)
      return true
    }
    const open = this.openSource(source)
    this.flush(source)
    if (!isInPart(wire, open)) return false
    this.passInto(open, wire)
    return true
  }

  /** More deltas of the part that is open have gone on as they came. */
  passedMore(text: string): void {
    const part = this.opened?.open?.part ?? null
    if (part !== null) part.text += text
  }

  /** Any other event of an item of text. What ends it waits: text that belongs into it may still be held. */
  passOther(wire: Wire, item: object): void {
    const source = this.sourceOf(item)
    if (source === null) {
      this.isEdited = true
      // Of an item that the upstream has ended and never begun, ours is all there is.
      if (isEnd(wire) && !this.begun.has(item)) this.close()
    } else if (source.state === 'waiting') {
      source.held.push(wire)
      // An item that says nothing goes on at its end, unless what it said became something else.
      if (isEnd(wire) && !source.hasDiffered) this.openSource(source)
    } else if (isPartOfEnd(wire) || source.ending.length > 0) {
      if (beginsPart(wire)) {
        this.flush(source)
        this.passInto(this.openSource(source), wire)
      } else {
        source.ending.push(wire)
      }
    } else {
      this.passInto(this.openSource(source), wire)
    }
  }

  /** An event beside the items keeps its place among those that wait. */
  passBeside(wire: Wire): void {
    const { source, opened } = this
    if (source?.state === 'waiting') source.held.push(wire)
    else if (opened !== null && opened.ending.length > 0) opened.ending.push(wire)
    else this.wires.pass(wire)
  }

  /** Writes text that the policy made. */
  say(kind: TextKind, text: string): void {
    const waiting = this.waiting.find((each) => each.kind === kind)
    // Text behind the end of an item belongs to the next, even if it was held there.
    const isOver = this.opened === null || this.opened.ending.some(isEnd)
    const isOpen = this.items.open?.is === kind && (waiting === undefined || !isOver)
    if (!isOpen && isBlank(text)) {
      this.space = { kind, text: this.spaceBefore(kind) + text }
      return
    }
    this.isEdited = true
    const before = this.spaceBefore(kind)
    this.space = null
    if (!isOpen && waiting !== undefined) {
      this.openSource(waiting)
    } else if (!isOpen) {
      this.leave()
      this.items.begin(kind)
    }
    this.items.say(before + text)
  }

  /** Something else begins: the text before it is over. */
  leave(): void {
    this.space = null
    this.close()
    for (const source of this.waiting) if (source.hasDiffered) this.drop(source)
    this.earlier = this.earlier.filter(({ state }) => state === 'waiting')
  }

  /**
   * Nothing follows, and the answer is no whole one. What the upstream has ended is whole all the same; whatever else is open
   * stays so.
   */
  stop(): void {
    if (this.opened !== null) this.flush(this.opened)
    for (const source of this.waiting) this.drop(source)
  }

  /** Ends the item that is open, as the upstream ended it where it did. */
  close(): void {
    const { opened, items } = this
    this.opened = null
    if (opened !== null) this.flush(opened)
    const { open } = items
    if (open === null || open.is === 'call') {
      items.close()
      return
    }
    this.isEdited = true
    items.close('completed', open.is === 'reasoning' ? this.signed(open.fields) : {})
    if (opened !== null) opened.state = 'split'
  }

  private sourceOf(item: object): SourceItem | null {
    const { source } = this
    const found = [source, this.opened, ...this.earlier].find((each) => each?.item === item) ?? null
    return found?.state === 'split' ? null : found
  }

  /** The items that wait, in order. */
  private get waiting(): readonly SourceItem[] {
    const all = this.source === null ? this.earlier : [...this.earlier, this.source]
    return all.filter(({ state }) => state === 'waiting')
  }

  private spaceBefore(kind: TextKind): string {
    return this.space?.kind === kind ? this.space.text : ''
  }

  /** The events that wait do not go on. */
  private drop(source: SourceItem): void {
    source.state = 'split'
    this.isEdited = true
    for (const wire of source.held.splice(0)) if (!isOfItem(wire)) this.wires.pass(wire)
  }

  /** Begins an item that waits, with what it has held. */
  private openSource(source: SourceItem): OpenText {
    if (source.open !== null) return source.open
    this.close()
    const [added, ...rest] = source.held.splice(0)
    const index = this.items.takeIndex()
    const fields = objectIn(added?.data ?? {}, 'item')
    const id = nonEmptyText(fields['id']) ?? `item_${index}`
    const open: OpenText = {
      is: source.kind,
      index,
      id,
      fields: { ...fields, id },
      lists: { content: [], summary: [] },
      part: null,
    }
    source.open = open
    source.state = 'open'
    this.opened = source
    this.items.open = open
    if (added !== undefined) this.note(this.wires.pass(added, { output_index: index, item: open.fields }))
    for (const wire of rest) {
      if (!isOfItem(wire)) this.passBeside(wire)
      else if (isPartOfEnd(wire)) source.ending.push(wire)
      else this.passInto(open, wire)
    }
    return open
  }

  private passInto(open: OpenText, wire: Wire): void {
    const { data } = wire
    if (beginsPart(wire)) {
      const part = objectIn(data, 'part')
      const kind = partKindOf(part['type'])
      if (kind !== null) {
        const at = open.lists[kind.list].length
        open.part = { kind, at, fields: part, text: nonEmptyText(part[kind.textField]) ?? '' }
      }
    } else if (open.part !== null && partKindOfEvent(String(data['type']))?.is === 'delta') {
      open.part.text += nonEmptyText(data['delta']) ?? ''
    }
    this.note(this.wires.pass(wire, placeIn(open)))
  }

  /** Passes on what the upstream ended the item with, or a part of it, with the text that the client was given. */
  private flush(source: SourceItem): void {
    const { open } = source
    if (open === null) return
    for (const wire of source.ending.splice(0)) {
      const { data } = wire
      if (!isOfItem(wire)) {
        this.wires.pass(wire)
      } else if (isEnd(wire)) {
        this.end(open, wire)
        source.state = 'split'
      } else if (open.part === null) {
        this.isEdited = true
      } else if (isJsonObject(data['part'])) {
        const { part } = open
        const whole = { ...data['part'], [part.kind.textField]: part.text }
        open.lists[part.kind.list].push(whole)
        open.part = null
        this.note(this.wires.pass(wire, { ...placeIn(open), part: whole }))
      } else if (partKindOfEvent(String(data['type'])) === null) {
        this.wires.pass(wire, placeIn(open))
      } else {
        const { kind, text } = open.part
        this.note(this.wires.pass(wire, { ...placeIn(open), [kind.textField]: text }))
      }
    }
  }

  private end(open: OpenText, wire: Wire): void {
    this.items.endPart()
    const came = objectIn(wire.data, 'item')
    const item = {
      ...withTexts(came, open),
      id: open.id,
      ...(open.is === 'reasoning' ? this.signed(came) : {}),
    }
    this.items.done.push(item)
    this.items.open = null
    this.note(this.wires.pass(wire, { output_index: open.index, item }))
  }

  private signed(fields: JsonObject): JsonObject {
    if (this.signature === undefined || nonEmptyText(fields['encrypted_content']) !== null) return {}
    return { encrypted_content: this.signature() }
  }

  private note(isChanged: boolean): void {
    this.isEdited ||= isChanged
  }
}

/** An item of text that the upstream has begun, on its way to the client. */
class SourceItem {
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
}

/** The fields that say where an event belongs. Some servers leave them out, and clients go by them. */
function placeIn({ index, id, part }: OpenText): JsonObject {
  const place = { item_id: id, output_index: index }
  return part === null ? place : { ...place, [part.kind.indexField]: part.at }
}

/** The item as the upstream ended it, with the texts that the client was given. */
function withTexts(came: JsonObject, open: OpenText): JsonObject {
  const whole = wholeText({ ...open, fields: came })
  const lists = (['content', 'summary'] as const).flatMap((list) => {
    const given: unknown = came[list]
    const said = open.lists[list]
    if (!Array.isArray(given) || given.length !== said.length) return []
    return [[list, given.map((part: unknown, at) => withText(objectIn({ part }, 'part'), said[at]))]]
  })
  return { ...whole, ...Object.fromEntries(lists) }
}

function withText(part: JsonObject, said: JsonObject = {}): JsonObject {
  const field = partKindOf(said['type'])?.textField
  return field === undefined ? part : { ...part, [field]: said[field] }
}

function isInPart({ data }: Wire, { part }: OpenText): boolean {
  const kind = partKindOfEvent(String(data['type']))?.kind
  return part !== null && kind?.type === part.kind.type
}

function isOfItem({ data }: Wire): boolean {
  return data['output_index'] !== undefined || data['item_id'] !== undefined || data['item'] !== undefined
}

function isEnd({ data }: Wire): boolean {
  return data['type'] === 'response.output_item.done'
}

function beginsPart({ data }: Wire): boolean {
  return (
    data['type'] === 'response.content_part.added' || data['type'] === 'response.reasoning_summary_part.added'
  )
}

function isPartOfEnd({ data }: Wire): boolean {
  return String(data['type']).endsWith('.done')
}
