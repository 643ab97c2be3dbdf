/** A call of the history that nothing has answered yet. */
interface OpenCall {
  readonly id: string
  readonly name: string
  /** Calls of one step of the model have one number. */
  readonly step: number
}

/**
 * The ids of calls and responses. Half of the clients of the dialect send none: then a response answers a call of its name
 * that has no answer yet, first in the newest step, in order within it. By order alone, one response that is missing would
 * make all others slip; by name alone, two calls of one tool would be mixed up.
 */
export class CallIds {
  readonly #given: ReadonlySet<string>
  #open: OpenCall[] = []
  /** The newest call of each name, answered or not. */
  readonly #newest = new Map<string, string>()
  readonly #called = new Set<string>()
  #step = 0
  #made = 0

  /** `given`: every id that the client sends. */
  constructor(given: ReadonlySet<string>) {
    this.#given = given
  }

  beginStep(): void {
    this.#step++
  }

  call(given: string | null, name: string): string {
    const id = given ?? this.#make()
    this.#open.push({ id, name, step: this.#step })
    this.#newest.set(name, id)
    this.#called.add(id)
    return id
  }

  /** The ids of the calls that these answer, which came together. Those that name a call have the first choice. */
  answer(responses: readonly { readonly id: string | null; readonly name: string }[]): string[] {
    const known = responses.map(({ id }) => {
      if (id === null || !this.#called.has(id)) return null
      this.#take((call) => call.id === id)
      return id
    })
    return responses.map(({ id, name }, at) => known[at] ?? this.#byName(name) ?? id ?? this.#make())
  }

  #byName(name: string): string | null {
    const call = this.#take((each) => name === '' || each.name === name)
    return call?.id ?? this.#newest.get(name) ?? null
  }

  /** Takes the first such call of the newest step that has one. */
  #take(isMeant: (call: OpenCall) => boolean): OpenCall | undefined {
    const step = this.#open.findLast(isMeant)?.step
    const taken = this.#open.find((call) => call.step === step && isMeant(call))
    if (taken !== undefined) this.#open = this.#open.filter((call) => call !== taken)
    return taken
  }

  /** The same at each request of a conversation that grows, so that what an upstream has cached of it stays. */
  #make(): string {
    for (;;) {
      const id = `call_${this.#made++}`
      if (!this.#given.has(id)) return id
    }
  }
}
