/** Numbers and writes the events of a stream. Numbers go up by one, whoever the events come from. */
export class EventWriter {
  private readonly write: (text: string) => void
  private last = -1
  private shift = 0

  constructor(write: (text: string) => void) {
    this.write = write
  }

  /** An event of ours. `fields` is the inside of a JSON object: to build an object for each delta would cost more. */
  emit(type: string, fields: string): void {
    this.write(this.made(type, fields))
  }

  /** The text of such an event, which has its number from now on. */
  made(type: string, fields: string): string {
    this.last++
    this.shift++
    const rest = fields === '' ? '' : `,${fields}`
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.last}${rest}}\n\n`
  }

  /** The number under which an event of the upstream goes on that came with this one. */
  numberOf(came: number): number {
    const number = Math.max(came + this.shift, this.last + 1)
    this.last = number
    return number
  }

  /** An event of the upstream does not go on. */
  leaveOut(): void {
    this.shift--
  }
}

/** The members of an object, to be put between others. */
export function inside(fields: object): string {
  return JSON.stringify(fields).slice(1, -1)
}
