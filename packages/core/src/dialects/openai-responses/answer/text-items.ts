import { isJsonObject, nonEmptyText, objectIn, type JsonObject, wordOf } from '../../../json/objects.ts'
import { isBlank } from '../../../text/space.ts'
import type { ItemWriter, OpenText } from './items.ts'
import { partKindOf, partKindOfEvent } from './parts.ts'
import { isPlainReasoning } from './plain-reasoning.ts'
import type { Wire } from './read-items.ts'
import {
  beginsPart,
  isEnd,
  isInPart,
  isOfItem,
  isPartOfEnd,
  placeIn,
  SourceItem,
  type TextKind,
  withoutPlain,
  withTexts,
} from './source-item.ts'
import type { WirePasser } from './wires.ts'

export interface TextItemOptions {
  /** What reasoning is signed with that the upstream has not signed. `text`: the reasoning, where the client sees none. */
  readonly signature: ((text?: string) => string) | undefined
  /** `hidden`: the client wants to see none. What it gets of it is what brings it back. */
  readonly reasoning: 'shown' | 'hidden'
}

/**
 * The messages and the reasoning of a response. An item of the upstream's passes as it came while the policy says what it
 * says. Where text was held, or a call was found in it, what it says goes into items of ours.
 */
export class TextItems {
  /** Whether an item went on otherwise than it came. */
  isEdited = false
  private readonly items: ItemWriter
  private readonly wires: WirePasser
  private readonly options: TextItemOptions
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
  /** Of an item of reasoning that is hidden: what it says, and what the upstream itself wants back. */
  private unseen: { text: string; proof: JsonObject } = { text: '', proof: {} }

  constructor(items: ItemWriter, wires: WirePasser, options: TextItemOptions) {
    this.items = items
    this.wires = wires
    this.options = options
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
    const isHidden = source !== null && this.hides(source.kind)
    if (
      source === null ||
      isHidden ||
      source !== this.source ||
      !isSame ||
      source.hasDiffered ||
      this.space !== null
    ) {
      if (source !== null) this.differs(source)
      return false
    }
    if (source.state === 'waiting' && isBlank(text)) {
      source.held.push(wire)
      return true
    }
    const open = this.openSource(source)
    this.dropEarlyEnds(source, wire)
    this.flush(source)
    if (!isInPart(wire, open)) return false
    this.passInto(open, wire)
    return true
  }

  /** What an item says goes out otherwise than it came, and so does the white space of it that waits. */
  private differs(source: SourceItem): void {
    source.hasDiffered = true
    if (source.state !== 'waiting') return
    const text = this.spaceBefore(source.kind) + source.takeSpace()
    if (text !== '') this.space = { kind: source.kind, text }
  }

  /** Some servers end a part, with an empty text, before they say what is in it. */
  private dropEarlyEnds({ open, ending }: SourceItem, delta: Wire): void {
    if (open === null || ending.length === 0 || ending.some(isEnd) || !isInPart(delta, open)) return
    this.isEdited = true
    for (const wire of ending.splice(0)) if (!isOfItem(wire)) this.wires.pass(wire)
  }

  /** More deltas of the part that is open have gone on as they came. */
  passedMore(text: string): void {
    const part = this.opened?.open?.part ?? null
    if (part !== null) part.text += text
  }

  /** Any other event of an item of text. What ends it waits: text that belongs into it may still be held. */
  passOther(wire: Wire, item: object): void {
    if (isEnd(wire)) this.keepProof(objectIn(wire.data, 'item'))
    const source = this.sourceOf(item)
    if (source === null) {
      this.isEdited = true
      // Of an item that the upstream has ended and never begun, ours is all there is.
      if (isEnd(wire) && !this.begun.has(item)) this.close()
    } else if (source.state === 'waiting') {
      source.held.push(wire)
      if (isEnd(wire)) this.endUnsaid(source)
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

  /** An item that says nothing goes on at its end, unless what it said became something else. White space alone makes no item. */
  private endUnsaid(source: SourceItem): void {
    if (source.holdsSpace) this.differs(source)
    if (!source.hasDiffered) this.openSource(source)
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
    // White space cannot begin the next. Where what stands before it was said in the open item, it is said there too.
    const goesOn = isBlank(text) && waiting?.hasDiffered === true
    const isOpen = this.items.open?.is === kind && (waiting === undefined || !isOver || goesOn)
    if (!isOpen && isBlank(text)) {
      this.space = { kind, text: this.spaceBefore(kind) + text }
      return
    }
    this.isEdited = true
    const before = this.spaceBefore(kind)
    this.space = null
    if (this.hides(kind)) {
      this.hide(before + text)
      return
    }
    if (!isOpen && waiting !== undefined) {
      this.openSource(waiting)
    } else if (!isOpen) {
      this.leave()
      this.items.begin(kind)
    }
    this.items.say(before + text)
  }

  private hides(kind: TextKind): boolean {
    return kind === 'reasoning' && this.options.reasoning === 'hidden'
  }

  /** An item of ours takes the place of the upstream's, which would show what it says. */
  private hide(text: string): void {
    for (const source of this.waiting) if (source.kind === 'reasoning') source.hasDiffered = true
    if (this.items.open?.is !== 'reasoning') {
      this.leave()
      this.items.begin('reasoning')
    }
    this.unseen.text += text
  }

  private keepProof(item: JsonObject): void {
    const proof = nonEmptyText(item['encrypted_content'])
    const isOurs = this.items.open?.is === 'reasoning' && this.hides('reasoning')
    if (!isOurs || proof === null || isPlainReasoning(proof, this.unseen.text)) return
    this.unseen.proof = { encrypted_content: proof }
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
    items.close('completed', open.is === 'reasoning' ? this.sealed(open.fields) : {})
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
    } else if (open.part !== null && partKindOfEvent(wordOf(data['type']))?.is === 'delta') {
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
      } else if (partKindOfEvent(wordOf(data['type'])) === null) {
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
      ...(open.is === 'reasoning' ? this.signed(withoutPlain(came, open)) : {}),
    }
    this.items.done.push(item)
    this.items.open = null
    this.note(this.wires.pass(wire, { output_index: open.index, item }))
  }

  private sealed(fields: JsonObject): JsonObject {
    const { text, proof } = this.unseen
    this.unseen = { text: '', proof: {} }
    return { ...this.signed({ ...fields, ...proof }, text === '' ? undefined : text), ...proof }
  }

  private signed(fields: JsonObject, text?: string): JsonObject {
    const { signature } = this.options
    if (signature === undefined || nonEmptyText(fields['encrypted_content']) !== null) return {}
    return { encrypted_content: signature(text) }
  }

  private note(isChanged: boolean): void {
    this.isEdited ||= isChanged
  }
}
