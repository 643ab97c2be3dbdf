/** Keeps what was added last: a simulator that runs for days must not fill the memory. */
export class BoundedList<Item> {
  readonly #items: Item[] = []
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get items(): readonly Item[] {
    return this.#items
  }

  add(item: Item): void {
    this.#items.push(item)
    if (this.#items.length > this.#limit) this.#items.shift()
  }
}
