import type { TraceContext } from './trace-context.ts'

export type AttributeValue = string | number | boolean | readonly string[]

/** An attribute that is undefined or null is left out. */
export type Attributes = Readonly<Record<string, AttributeValue | null | undefined>>

export type SpanKind = 'server' | 'client'

/** What a span was when it ended. */
export interface EndedSpan {
  readonly context: TraceContext
  readonly parentId: string | null
  readonly name: string
  readonly kind: SpanKind
  /** Milliseconds since 1970, with fractions. */
  readonly start: number
  readonly end: number
  readonly attributes: ReadonlyMap<string, AttributeValue>
  readonly events: readonly SpanEvent[]
  readonly droppedEvents: number
  /** Why it failed, or null. */
  readonly failure: string | null
}

export interface SpanEvent {
  readonly name: string
  readonly at: number
  readonly attributes: ReadonlyMap<string, AttributeValue>
}

export interface SpanStart {
  readonly name: string
  readonly kind: SpanKind
  readonly context: TraceContext
  readonly parentId: string | null
  readonly clock: () => number
  readonly onEnd: (span: EndedSpan) => void
}

/** The most events that one span has. A model that writes thousands of broken calls must not fill the memory. */
const MOST_EVENTS = 128

/** One stretch of work. What is told of it after its end is not heard. */
export class Span {
  readonly context: TraceContext
  private readonly begun: SpanStart
  private readonly startedAt: number
  private readonly attributes = new Map<string, AttributeValue>()
  private readonly events: SpanEvent[] = []
  private droppedEvents = 0
  private failure: string | null = null
  private state: 'open' | 'ended' = 'open'
  private name: string

  constructor(begun: SpanStart) {
    this.begun = begun
    this.name = begun.name
    this.context = begun.context
    this.startedAt = begun.clock()
  }

  rename(name: string): void {
    this.name = name
  }

  set(attributes: Attributes): void {
    for (const [name, value] of given(attributes)) this.attributes.set(name, value)
  }

  /** What these attributes said turned out to count for nothing. */
  forget(names: readonly string[]): void {
    for (const name of names) this.attributes.delete(name)
  }

  event(name: string, attributes: Attributes = {}): void {
    if (!this.context.isSampled || this.state === 'ended') return
    if (this.events.length >= MOST_EVENTS) this.droppedEvents++
    else this.events.push({ name, at: this.begun.clock(), attributes: new Map(given(attributes)) })
  }

  /** `message` is shown beside the span. The first failure counts: what follows mostly follows from it. */
  fail(attributes: Attributes, message: string): void {
    if (this.failure !== null) return
    this.failure = message
    this.set(attributes)
  }

  end(): void {
    if (this.state === 'ended') return
    this.state = 'ended'
    const { begun, name, attributes, events, droppedEvents, failure, context } = this
    const { kind, parentId, clock, onEnd } = begun
    if (!context.isSampled) return
    onEnd({
      context,
      parentId,
      name,
      kind,
      start: this.startedAt,
      end: clock(),
      attributes,
      events,
      droppedEvents,
      failure,
    })
  }
}

function given(attributes: Attributes): [string, AttributeValue][] {
  return Object.entries(attributes).flatMap(([name, value]): [string, AttributeValue][] =>
    value === null || value === undefined ? [] : [[name, value]],
  )
}
