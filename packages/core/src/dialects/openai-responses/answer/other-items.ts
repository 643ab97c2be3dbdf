import { isJsonObject } from '../../../json/objects.ts'
import type { ItemWriter } from './items.ts'
import type { Wire } from './read-items.ts'
import type { WirePasser } from './wires.ts'

/** The items of a response that only this dialect has. They go on as they came, each under one number and one id. */
export class OtherItems {
  /** Whether an item went on otherwise than it came. */
  isEdited = false
  private readonly items: ItemWriter
  private readonly wires: WirePasser
  private readonly leaveText: () => void
  private readonly known = new Map<unknown, { readonly index: number; readonly id: unknown }>()

  /** `leaveText`: what is open ends, because another item begins. */
  constructor(items: ItemWriter, wires: WirePasser, leaveText: () => void) {
    this.items = items
    this.wires = wires
    this.leaveText = leaveText
  }

  pass(wire: Wire): void {
    const { data } = wire
    const came = isJsonObject(data['item']) ? data['item'] : null
    const key = data['output_index'] ?? data['item_id'] ?? came?.['id']
    let known = this.known.get(key)
    if (known === undefined || data['type'] === 'response.output_item.added') {
      this.leaveText()
      known = { index: this.items.takeIndex(), id: came?.['id'] ?? data['item_id'] }
      this.known.set(key, known)
    }
    const { index, id } = known
    // Some servers have another id in each event.
    const item = came === null || id === undefined ? came : { ...came, id }
    if (item !== null && data['type'] === 'response.output_item.done') this.items.done.push(item)
    const named = data['item_id'] === undefined ? {} : { item_id: id }
    const isChanged = this.wires.pass(wire, { output_index: index, ...named, ...(item !== null && { item }) })
    this.isEdited ||= isChanged
  }
}
