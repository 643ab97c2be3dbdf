/** What became of a character. `nothing`: nobody has said so, which outside of calls means that it is markup. */
const kinds = [
  'nothing',
  'markup',
  'text',
  'reasoning',
  'name',
  'arguments',
  'stray',
  'removed',
  'repaired',
] as const

export type PaintedKind = (typeof kinds)[number]

/** Neighbours that were painted alike. `call` and `event` are -1 where there is none. */
export interface PaintedRun {
  readonly from: number
  readonly to: number
  readonly kind: PaintedKind
  readonly call: number
  readonly event: number
}

/** One colour for each character. Later paint covers earlier paint, so that what is read again is told anew. */
export class SourcePaint {
  private kinds = new Uint8Array(256)
  private calls = new Int32Array(256)
  private events = new Int32Array(256)
  /** Nothing was painted from here on. */
  private length = 0

  cover(kind: PaintedKind, from: number, to: number, call: number, event: number): void {
    if (to <= from) return
    this.reserve(to)
    this.kinds.fill(kinds.indexOf(kind), from, to)
    this.calls.fill(call, from, to)
    this.events.fill(event, from, to)
  }

  /** Changes only what has one of these kinds. */
  turn(
    of: readonly PaintedKind[],
    kind: PaintedKind,
    from: number,
    to: number,
    call: number,
    event: number,
  ): void {
    this.reserve(to)
    const codes = new Set(of.map((each) => kinds.indexOf(each)))
    for (let at = from; at < to; at++) {
      if (codes.has(this.kinds[at] ?? 0)) this.cover(kind, at, at + 1, call, event)
    }
  }

  /** Says which event tells of it, where it has one of these kinds and none does yet. */
  label(of: readonly PaintedKind[], from: number, to: number, event: number): void {
    for (let at = from; at < to; at++) {
      if (of.includes(this.kindAt(at)) && this.events[at] === -1) this.events[at] = event
    }
  }

  kindAt(at: number): PaintedKind {
    return kinds[this.kinds[at] ?? 0] ?? 'nothing'
  }

  erase(from: number): void {
    if (from >= this.length) return
    this.kinds.fill(0, from, this.length)
    this.length = from
  }

  runs(end: number): PaintedRun[] {
    this.reserve(end)
    const found: PaintedRun[] = []
    for (let from = 0, to = 0; from < end; from = to) {
      while (to < end && this.isLike(from, to)) to++
      const kind = this.kindAt(from)
      const isBare = kind === 'nothing'
      const call = isBare ? -1 : (this.calls[from] ?? -1)
      const event = isBare ? -1 : (this.events[from] ?? -1)
      found.push({ from, to, kind, call, event })
    }
    return found
  }

  private isLike(one: number, other: number): boolean {
    if (this.kinds[one] !== this.kinds[other]) return false
    const isBare = this.kinds[one] === 0
    return isBare || (this.calls[one] === this.calls[other] && this.events[one] === this.events[other])
  }

  private reserve(length: number): void {
    if (length > this.kinds.length) {
      const size = Math.max(length, 2 * this.kinds.length)
      this.kinds = grown(this.kinds, new Uint8Array(size))
      this.calls = grown(this.calls, new Int32Array(size))
      this.events = grown(this.events, new Int32Array(size))
    }
    this.length = Math.max(this.length, length)
  }
}

function grown<A extends Uint8Array | Int32Array>(old: A, larger: A): A {
  larger.set(old)
  return larger
}
