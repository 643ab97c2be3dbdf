/** Numbers and writes the events of a stream. Numbers go up by one, whoever the events come from. */
export class EventWriter {
  private readonly write: (text: string) => void
  private last: number | null = null

  constructor(write: (text: string) => void) {
    this.write = write
  }

  /** An event of ours. `fields` is the inside of a JSON object: to build an object for each delta would cost more. */
  emit(type: string, fields: string): void {
    this.write(this.made(type, fields))
  }

  /** The text of such an event, which has its number from now on. */
  made(type: string, fields: string): string {
    const rest = fields === '' ? '' : `,${fields}`
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.next(0)}${rest}}\n\n`
  }

  /** The number of the event that is written next; null where none has one yet. */
  get upcoming(): number | null {
    return this.last === null ? null : this.last + 1
  }

  /** So many events of the upstream have gone on under their own numbers. */
  skip(count: number): void {
    if (this.last !== null) this.last += count
  }

  /** The number of the event that is written next, which has it from now on. `first`: where nothing was written before it. */
  next(first: number): number {
    this.last = this.last === null ? first : this.last + 1
    return this.last
  }
}

/** The members of an object, to be put between others. */
export function inside(fields: object): string {
  return JSON.stringify(fields).slice(1, -1)
}
