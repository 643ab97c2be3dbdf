import type { ModelEvent, Sink } from '../events.ts'
import type { ProblemCode, RepairCode } from '../problems.ts'
import type { CallPart, SourceObserver } from '../text/source-observer.ts'
import { type PaintedKind, SourcePaint } from './source-paint.ts'
import { SourceText } from './source-text.ts'
import type { Channel } from './text-flow.ts'

/** A stretch of the input, in UTF-16 units. */
export interface SourceRange {
  readonly from: number
  readonly to: number
}

/** Neighbouring characters that became the same. */
export interface ReadRange extends SourceRange {
  readonly kind: Exclude<PaintedKind, 'nothing' | 'stray'>
  /** The index of the call that it belongs to. */
  readonly call: number | null
  /** The event that it became, or that tells of it. */
  readonly event: number | null
}

/** What is known of a call beside its characters. */
interface MappedCall {
  readonly from: number
  to: number
  start: number | null
  delta: number | null
  /** Deltas behind the first: what came between them was told of the call. */
  readonly later: number[]
  end: number | null
}

/** Text that is not read. It came behind what ends at `at`. */
interface Aside {
  readonly at: number
  length: number
  readonly kind: 'text' | 'reasoning' | 'markup'
  readonly event: number | null
}

/** White space between what was read last and where the reader stands is looked through this far. */
const LONGEST_GAP = 16

interface Announced extends SourceRange {
  readonly codes: Set<RepairCode>
}

/**
 * Collects the events of one response, and beside them what each character of it became. Neighbouring pieces are one
 * event here, as `coalesce` makes them: where a piece ends depends on the chunks.
 */
export class SourceMap implements Sink, SourceObserver {
  readonly #events: ModelEvent[] = []
  /** The pieces of the last event, as long as it grows. */
  #pieces: string[] = []
  /** Where problems and repairs were told. */
  readonly #told = new Map<number, SourceRange>()
  readonly #calls: MappedCall[] = []
  readonly #forbidden: number[] = []
  readonly #asides: Aside[] = []
  readonly #paint = new SourcePaint()
  #announced: Announced[] = []
  readonly #source = new SourceText()
  #input: { readonly position: number } = { position: 0 }
  #call = -1
  #heading: SourceRange | undefined
  /** Where the last name of a call stands. */
  #name: SourceRange = { from: 0, to: 0 }

  watch(input: { readonly position: number }): void {
    this.#input = input
  }

  /** The events so far, neighbouring pieces joined. */
  get events(): readonly ModelEvent[] {
    this.#joinPieces()
    return this.#events
  }

  text(text: string): void {
    if (text !== '') this.#grow({ type: 'text', text }, text)
  }

  reasoning(text: string): void {
    if (text !== '') this.#grow({ type: 'reasoning', text }, text)
  }

  callStart(index: number, id: string | null, name: string): void {
    this.#callAt(index).start = this.#add({ type: 'call-start', index, id, name })
  }

  callDelta(index: number, json: string): void {
    if (json === '') return
    this.#grow({ type: 'call-delta', index, json }, json)
    const call = this.#callAt(index)
    const event = this.#events.length - 1
    call.delta ??= event
    if (event !== call.delta && event !== call.later.at(-1)) call.later.push(event)
  }

  callEnd(index: number, complete: boolean): void {
    this.#callAt(index).end = this.#add({ type: 'call-end', index, complete })
  }

  problem(code: ProblemCode, message: string, source: string): void {
    const event = this.#add({ type: 'problem', code, message, source })
    const { position } = this.#input
    this.#told.set(event, this.#placeOf(source) ?? { from: position, to: position })
  }

  repair(code: RepairCode, message: string): void {
    const event = this.#add({ type: 'repair', code, message })
    const { position } = this.#input
    if (code === 'forbidden-call') this.#forbidden.push(event)
    const range = this.#announced.find(({ codes }) => codes.has(code))
    this.#told.set(event, range ?? { from: position, to: position })
    if (range === undefined) return
    range.codes.delete(code)
    if (range.codes.size === 0) this.#announced.splice(this.#announced.indexOf(range), 1)
    this.#paint.label(['removed', 'repaired'], range.from, range.to, event)
  }

  appended(text: string): void {
    this.#source.add(text)
  }

  beside(channel: Channel | undefined, { length }: string, at: number): void {
    const kind = channel === undefined ? 'markup' : channel === 'content' ? 'text' : 'reasoning'
    const event = channel === undefined ? null : this.#events.length - 1
    const last = this.#asides.at(-1)
    if (last?.at === at && last.kind === kind && last.event === event) last.length += length
    else this.#asides.push({ at, length, kind, event })
  }

  passed(channel: Channel, from: number, to: number): void {
    const kind = channel === 'content' ? 'text' : 'reasoning'
    this.#paint.cover(kind, from, to, -1, this.#events.length - 1)
  }

  removed(code: RepairCode, from: number, to: number): void {
    this.#paint.cover('removed', from, to, this.#call, -1)
    this.#announced.push({ from, to, codes: new Set([code]) })
  }

  repaired(codes: Iterable<RepairCode>, from: number, to: number, text: string): void {
    const { from: changedFrom, to: changedTo } = this.#changed(from, to, text)
    this.#paint.cover('arguments', from, to, this.#call, -1)
    this.#paint.cover('repaired', changedFrom, changedTo, this.#call, -1)
    // Where each character stands for one, those that stayed are told apart.
    if (to - from === text.length) this.#keepSame(changedFrom, changedTo, text.slice(changedFrom - from))
    this.#announced.push({ from: changedFrom, to: changedTo, codes: new Set(codes) })
  }

  became(part: CallPart, from: number, to: number): void {
    const range = part === 'name' ? this.#trimmed(from, to) : { from, to }
    if (part === 'name') this.#name = range
    this.#paint.cover(part, range.from, range.to, this.#call, -1)
  }

  headed(from: number, to: number): void {
    this.#heading = { from, to }
  }

  callBegins(index: number, at: number): void {
    this.#call = index
    this.#calls.splice(index)
    this.#calls[index] = { from: at, to: at, start: null, delta: null, later: [], end: null }
    if (this.#heading !== undefined) this.became('name', this.#heading.from, this.#heading.to)
    this.#heading = undefined
  }

  callEnds(at: number): void {
    if (this.#call < 0) return
    const call = this.#callAt(this.#call)
    call.to = at
    this.#paint.turn(['nothing'], 'markup', call.from, at, this.#call, -1)
    this.#call = -1
  }

  callFails(from: number, to: number): void {
    const index = this.#call
    this.callEnds(to)
    this.#paint.cover('removed', from, to, index, this.#events.length)
  }

  callIsNone(at: number): void {
    if (this.#call < 0) return
    const { from } = this.#callAt(this.#call)
    this.#paint.cover('markup', from, at, -1, -1)
    this.#call = -1
  }

  strayed(text: string): void {
    const { position } = this.#input
    const from = this.#calls.at(-1)?.from ?? position
    let end = position
    while (end > from && !this.#isStray(end - 1)) end--
    if (end > from) {
      this.#paint.turn(['stray'], 'markup', end, position, this.#calls.length - 1, -1)
      this.#paint.turn(['stray'], 'text', from, end, -1, this.#events.length - 1)
    } else {
      // Nobody told where it stands: then it was read last, but for white space.
      end = position
      while (end > 0 && this.#source.slice(end - 1, end).trim() === '') end--
      this.passed('content', end - text.length, end)
    }
  }

  unread(from: number): void {
    this.#paint.erase(from)
    this.#announced = this.#announced.filter((range) => range.from < from)
  }

  /** What the input up to the position became, in order and without a gap. */
  rangesTo(end: number): ReadRange[] {
    const position = Math.min(end, this.#source.length)
    const asides = this.#asides.filter(({ at }) => at <= position)
    const ranges: ReadRange[] = []
    let shift = 0
    let passed = 0
    const passAsides = (at: number): void => {
      for (let next = asides[passed]; next !== undefined && next.at <= at; next = asides[passed]) {
        passed++
        const from = next.at + shift
        shift += next.length
        ranges.push({ from, to: from + next.length, kind: next.kind, call: null, event: next.event })
      }
    }
    for (const run of this.#paint.runs(position)) {
      for (let { from } = run; from < run.to;) {
        passAsides(from)
        const to = Math.min(run.to, asides[passed]?.at ?? run.to)
        ranges.push({ ...this.#meaning(run.kind, run.call, run.event), from: from + shift, to: to + shift })
        from = to
      }
    }
    passAsides(position)
    return joined(ranges)
  }

  /** Where in the input each event comes from: a point where it adds something. */
  placesIn(ranges: readonly ReadRange[]): SourceRange[] {
    const found: (SourceRange | undefined)[] = this.events.map(() => undefined)
    for (const { from, to, kind, event, call } of ranges) {
      const isOfCall = call !== null && kind === 'markup'
      if (event === null || isOfCall) continue
      found[event] = { from: Math.min(from, found[event]?.from ?? from), to }
    }
    const inCalls = this.#placesInCalls()
    return found.map((place, event) => {
      return place ?? this.#shifted(this.#told.get(event) ?? inCalls.get(event) ?? { from: 0, to: 0 })
    })
  }

  /** Where events of calls stand for which nothing was written. */
  #placesInCalls(): Map<number, SourceRange> {
    const places = new Map<number, SourceRange>()
    for (const { from, to, start, delta, later, end } of this.#calls) {
      if (start !== null) places.set(start, { from, to: from })
      if (delta !== null) places.set(delta, { from, to: from })
      for (const event of later) places.set(event, { from: to, to })
      if (end !== null) places.set(end, { from: to, to })
    }
    return places
  }

  /** The same range, counted with the text that was not read. */
  #shifted({ from, to }: SourceRange): SourceRange {
    const shift = this.#asides.reduce((sum, { at, length }) => (at <= from ? sum + length : sum), 0)
    return { from: from + shift, to: to + shift }
  }

  #meaning(kind: PaintedKind, call: number, event: number): Omit<ReadRange, keyof SourceRange> {
    const owner = this.#calls[call]
    if (owner !== undefined && owner.start === null) {
      return { kind: 'removed', call: null, event: this.#forbidden[call] ?? null }
    }
    const known = event < 0 ? null : event
    switch (kind) {
      case 'nothing':
        return { kind: 'markup', call: null, event: null }
      case 'stray':
        return { kind: 'removed', call: call < 0 ? null : call, event: known }
      case 'name':
      case 'markup':
        return { kind, call: owner === undefined ? null : call, event: owner?.start ?? null }
      case 'arguments':
        return { kind, call: owner === undefined ? null : call, event: owner?.delta ?? owner?.start ?? null }
      default:
        return { kind, call: call < 0 ? null : call, event: known }
    }
  }

  #callAt(index: number): MappedCall {
    return (this.#calls[index] ??= { from: 0, to: 0, start: null, delta: null, later: [], end: null })
  }

  #add(event: ModelEvent): number {
    this.#joinPieces()
    return this.#events.push(event) - 1
  }

  #grow(event: ModelEvent, piece: string): void {
    const last = this.#events.at(-1)
    const isSameCall =
      !('index' in event) || (last !== undefined && 'index' in last && last.index === event.index)
    if (last?.type === event.type && isSameCall) {
      if (this.#pieces.length === 0) this.#pieces.push(pieceOf(last))
      this.#pieces.push(piece)
    } else {
      this.#add(event)
    }
  }

  #joinPieces(): void {
    const last = this.#events.at(-1)
    if (this.#pieces.length === 0 || last === undefined) return
    const whole = this.#pieces.join('')
    this.#pieces = []
    this.#events[this.#events.length - 1] =
      last.type === 'call-delta'
        ? { ...last, json: whole }
        : { ...last, ...('text' in last ? { text: whole } : {}) }
  }

  /** What of a repaired stretch is not written as before: what it begins and ends with may have stayed. */
  #changed(from: number, to: number, text: string): SourceRange {
    const source = this.#source.slice(from, to)
    const shorter = Math.min(source.length, text.length)
    let before = 0
    while (before < shorter && source.charCodeAt(before) === text.charCodeAt(before)) before++
    let behind = 0
    while (
      behind < shorter - before &&
      source.charCodeAt(source.length - behind - 1) === text.charCodeAt(text.length - behind - 1)
    ) {
      behind++
    }
    return { from: from + before, to: to - behind }
  }

  /** What a problem shows was read last, but for white space; or it is the name of the call. */
  #placeOf(source: string): SourceRange | undefined {
    const { position } = this.#input
    const before = this.#source.slice(Math.max(0, position - LONGEST_GAP), position)
    for (const to of [position, position - before.length + before.trimEnd().length]) {
      if (source !== '' && this.#source.slice(to - source.length, to) === source) {
        return { from: to - source.length, to }
      }
    }
    const { from, to } = this.#name
    return source !== '' && this.#source.slice(from, to) === source ? this.#name : undefined
  }

  #keepSame(from: number, to: number, text: string): void {
    const source = this.#source.slice(from, to)
    for (let at = 0; at < source.length; at++) {
      if (source.charCodeAt(at) !== text.charCodeAt(at)) continue
      this.#paint.cover('arguments', from + at, from + at + 1, this.#call, -1)
    }
  }

  #trimmed(from: number, to: number): SourceRange {
    const source = this.#source.slice(from, to)
    return { from: to - source.trimStart().length, to: from + source.trimEnd().length }
  }

  #isStray(at: number): boolean {
    return this.#paint.kindAt(at) === 'stray' && this.#source.slice(at, at + 1).trim() !== ''
  }
}

function pieceOf(event: ModelEvent): string {
  return event.type === 'call-delta' ? event.json : 'text' in event ? event.text : ''
}

function joined(ranges: readonly ReadRange[]): ReadRange[] {
  const all: ReadRange[] = []
  for (const range of ranges) {
    const last = all.at(-1)
    const isSame = last?.kind === range.kind && last.call === range.call && last.event === range.event
    if (last !== undefined && isSame && last.to === range.from)
      all[all.length - 1] = { ...last, to: range.to }
    else all.push(range)
  }
  return all
}
