import type { ProblemCode, RepairCode } from './problems.ts'

/** What a model's output means, in order. The one vocabulary between decoder, parser and encoder. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** `id` is what the model wrote (`functions.get_weather:0`), or null: the parser mints nothing. */
  | { readonly type: 'call-start'; readonly index: number; readonly id: string | null; readonly name: string }
  | { readonly type: 'call-delta'; readonly index: number; readonly json: string }
  | { readonly type: 'call-end'; readonly index: number; readonly complete: boolean }
  | {
      readonly type: 'problem'
      readonly code: ProblemCode
      readonly message: string
      readonly source: string
    }
  | { readonly type: 'repair'; readonly code: RepairCode; readonly message: string }

/**
 * Where a stage writes. The hot path calls these methods and allocates no event objects;
 * `push(x): y[]` is the collecting wrapper that users see.
 */
export interface Sink {
  text(text: string): void
  reasoning(text: string): void
  callStart(index: number, id: string | null, name: string): void
  callDelta(index: number, json: string): void
  callEnd(index: number, complete: boolean): void
  problem(code: ProblemCode, message: string, source: string): void
  repair(code: RepairCode, message: string): void
}

/** A sink that turns each method call into an event object. */
export class EventCollector implements Sink {
  /** Most chunks make one event, and a list that grows has room for sixteen more: that would cost as much as the event. */
  private first: ModelEvent | undefined
  private others: ModelEvent[] = []

  text(text: string): void {
    if (text !== '') this.add({ type: 'text', text })
  }

  reasoning(text: string): void {
    if (text !== '') this.add({ type: 'reasoning', text })
  }

  callStart(index: number, id: string | null, name: string): void {
    this.add({ type: 'call-start', index, id, name })
  }

  callDelta(index: number, json: string): void {
    if (json !== '') this.add({ type: 'call-delta', index, json })
  }

  callEnd(index: number, complete: boolean): void {
    this.add({ type: 'call-end', index, complete })
  }

  problem(code: ProblemCode, message: string, source: string): void {
    this.add({ type: 'problem', code, message, source })
  }

  repair(code: RepairCode, message: string): void {
    this.add({ type: 'repair', code, message })
  }

  /** What was written since the last call. */
  take(): ModelEvent[] {
    const { first, others } = this
    if (first === undefined) return []
    this.first = undefined
    if (others.length === 0) return [first]
    this.others = []
    return [first, ...others]
  }

  private add(event: ModelEvent): void {
    if (this.first === undefined) this.first = event
    else this.others.push(event)
  }
}

/** Writes events to a sink as if they happened now. */
export function replay(events: readonly ModelEvent[], sink: Sink): void {
  for (const event of events) {
    switch (event.type) {
      case 'text':
        sink.text(event.text)
        break
      case 'reasoning':
        sink.reasoning(event.text)
        break
      case 'call-start':
        sink.callStart(event.index, event.id, event.name)
        break
      case 'call-delta':
        sink.callDelta(event.index, event.json)
        break
      case 'call-end':
        sink.callEnd(event.index, event.complete)
        break
      case 'problem':
        sink.problem(event.code, event.message, event.source)
        break
      case 'repair':
        sink.repair(event.code, event.message)
    }
  }
}

/** The same events with neighbouring pieces of one kind joined: equal for every chunking of one input. */
export function coalesce(events: readonly ModelEvent[]): ModelEvent[] {
  const joined: ModelEvent[] = []
  for (const event of events) {
    const last = joined.at(-1)
    if (last?.type === 'text' && event.type === 'text') {
      joined[joined.length - 1] = { type: 'text', text: last.text + event.text }
    } else if (last?.type === 'reasoning' && event.type === 'reasoning') {
      joined[joined.length - 1] = { type: 'reasoning', text: last.text + event.text }
    } else if (last?.type === 'call-delta' && event.type === 'call-delta' && last.index === event.index) {
      joined[joined.length - 1] = { type: 'call-delta', index: last.index, json: last.json + event.json }
    } else {
      joined.push(event)
    }
  }
  return joined
}
