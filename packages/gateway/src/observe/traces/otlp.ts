import type { AttributeValue, EndedSpan, SpanKind } from './span.ts'

/** Who sends the spans. */
export interface Sender {
  readonly resource: ReadonlyMap<string, AttributeValue>
  readonly scope: { readonly name: string; readonly version: string }
}

/** The numbers that the protocol has for the kinds of spans, and for a span that failed. */
const kinds: Readonly<Record<SpanKind, number>> = { server: 2, client: 3 }
const FAILED = 2

/** The bit that says that this process knows whether the parent is in another one, and the bit that says it is. */
const HAS_IS_REMOTE = 0x100
const IS_REMOTE = 0x200

/** A span as JSON text in the form of OTLP: ids in hexadecimal digits, 64-bit integers as texts. */
export function encodeSpan(span: EndedSpan): string {
  const { context, parentId, name, kind, start, end, attributes, events, droppedEvents, failure } = span
  const remote = kind === 'server' && parentId !== null ? IS_REMOTE : 0
  return JSON.stringify({
    traceId: context.traceId,
    spanId: context.spanId,
    ...(context.state === '' ? {} : { traceState: context.state }),
    ...(parentId === null ? {} : { parentSpanId: parentId }),
    flags: (context.isSampled ? 1 : 0) | HAS_IS_REMOTE | remote,
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end),
    attributes: keyValues(attributes),
    events: events.map((event) => ({
      timeUnixNano: nanoseconds(event.at),
      name: event.name,
      attributes: keyValues(event.attributes),
    })),
    ...(droppedEvents === 0 ? {} : { droppedEventsCount: droppedEvents }),
    status: failure === null ? {} : { code: FAILED, message: failure },
  })
}

/** The body of a request to a collector. */
export function encodeBatch({ resource, scope }: Sender, spans: readonly string[]): string {
  const from = JSON.stringify({ attributes: keyValues(resource) })
  const by = JSON.stringify(scope)
  return `{"resourceSpans":[{"resource":${from},"scopeSpans":[{"scope":${by},"spans":[${spans.join(',')}]}]}]}`
}

function keyValues(attributes: ReadonlyMap<string, AttributeValue>): object[] {
  return [...attributes].map(([key, value]) => ({ key, value: anyValue(value) }))
}

function anyValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  }
  return { arrayValue: { values: value.map(anyValue) } }
}

/** The product would have more digits than a number holds, so the milliseconds and their fraction are written apart. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms)
  const fraction = Math.min(999_999, Math.round((ms - whole) * 1e6))
  return `${whole}${String(fraction).padStart(6, '0')}`
}
