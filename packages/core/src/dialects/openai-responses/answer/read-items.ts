import type { OtherCall, StructuredCall } from '../../../answer/calls/structured-call.ts'
import { nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import type { SseEvent } from '../../../sse/items.ts'
import type { ToolKind } from '../tools.ts'
import type { PartKind } from './parts.ts'

/** An event of the upstream and the JSON in it. */
export interface Wire {
  readonly event: SseEvent
  readonly data: JsonObject
}

/** An item as far as it was read. */
export type ReadItem = TextItem | CallItem | OtherItem

interface ItemState {
  readonly type: unknown
  state: 'open' | 'done'
}

export interface TextItem extends ItemState {
  readonly is: 'text' | 'reasoning'
  /** What deltas have said of each part. */
  readonly said: Map<number, string>
  last: { readonly kind: PartKind; readonly at: number } | null
}

export interface CallItem extends ItemState {
  readonly is: 'call'
  readonly kind: ToolKind['kind']
  readonly call: StructuredCall
  given: string
}

export interface OtherItem extends ItemState {
  readonly is: 'other'
  readonly call: OtherCall | null
}

/** Which item an event is about: by its place, else by its id, else the one that is open. */
export class ItemLookup {
  private readonly byIndex = new Map<number, ReadItem>()
  private readonly byId = new Map<string, ReadItem>()
  private readonly byType = new Map<unknown, { readonly items: ReadItem[]; next: number }>()
  /** Those that the whole response has named. */
  private readonly matched = new Set<ReadItem>()
  private last: ReadItem | undefined

  find(data: JsonObject): ReadItem | undefined {
    const { output_index: index } = data
    if (typeof index === 'number') return this.byIndex.get(index)
    const id = nonEmptyText(data['item_id']) ?? nonEmptyText(objectIn(data, 'item')['id'])
    const known = id === null ? this.last : this.byId.get(id)
    // Some servers make another id for each event.
    return known ?? (this.last?.state === 'open' ? this.last : undefined)
  }

  begin(data: JsonObject, came: JsonObject, open: (came: JsonObject) => ReadItem): ReadItem {
    const item = open(came)
    const { output_index: index } = data
    const id = nonEmptyText(data['item_id']) ?? nonEmptyText(came['id'])
    if (typeof index === 'number') this.byIndex.set(index, item)
    if (id !== null) this.byId.set(id, item)
    const ofType = this.byType.get(item.type)
    if (ofType === undefined) this.byType.set(item.type, { items: [item], next: 0 })
    else ofType.items.push(item)
    this.last = item
    return item
  }

  /**
   * The item of the whole response at this place, if it has come. Its id may be another than before, and its place as well
   * where the response leaves items out: what is left then is the next of its type.
   */
  findWhole(at: number, came: JsonObject): ReadItem | undefined {
    const id = nonEmptyText(came['id'])
    const named = [id === null ? undefined : this.byId.get(id), this.byIndex.get(at)]
    const found =
      named.find((item) => this.isLeft(item) && item?.type === came['type']) ?? this.nextOf(came['type'])
    if (found !== undefined) this.matched.add(found)
    return found
  }

  /** The first of its type that is left. None is looked at twice: a response may have thousands. */
  private nextOf(type: unknown): ReadItem | undefined {
    const ofType = this.byType.get(type)
    if (ofType === undefined) return undefined
    while (ofType.next < ofType.items.length && !this.isLeft(ofType.items[ofType.next])) ofType.next++
    return ofType.items[ofType.next]
  }

  private isLeft(item: ReadItem | undefined): boolean {
    return item !== undefined && !this.matched.has(item)
  }
}
