import type { IncomingHttpHeaders } from 'node:http'
import { contextIn, newSpanId, newTraceId, type TraceContext } from './trace-context.ts'
import { type EndedSpan, Span, type SpanKind } from './span.ts'
import type { Sampler } from './trace-settings.ts'

/** Begins spans. Those of traces that are not kept travel on in headers, and end nowhere. */
export class Tracer {
  private readonly sampler: Sampler
  private readonly onEnd: (span: EndedSpan) => void

  constructor(sampler: Sampler, onEnd: (span: EndedSpan) => void) {
    this.sampler = sampler
    this.onEnd = onEnd
  }

  /** The span of a request. Its trace is that of the client, where the headers of the request tell one. */
  request(name: string, headers: IncomingHttpHeaders): Span {
    const parent = contextIn(headers)
    const traceId = parent?.traceId ?? newTraceId()
    const context = {
      traceId,
      spanId: newSpanId(),
      isSampled: isSampled(this.sampler, traceId, parent),
      state: parent?.state ?? '',
    }
    return this.start(name, 'server', context, parent?.spanId ?? null)
  }

  /** A part of the work of another span. */
  child(of: Span, name: string, kind: SpanKind): Span {
    const context = { ...of.context, spanId: newSpanId() }
    return this.start(name, kind, context, of.context.spanId)
  }

  private start(name: string, kind: SpanKind, context: TraceContext, parentId: string | null): Span {
    return new Span({ name, kind, context, parentId, clock: wallClock(), onEnd: this.onEnd })
  }
}

/** The clock of the machine may be set while a span is open, and the span would end before it began. */
function wallClock(): () => number {
  const offset = Date.now() - performance.now()
  return () => offset + performance.now()
}

function isSampled({ root, parent }: Sampler, traceId: string, from: TraceContext | null): boolean {
  return parent === 'decides' && from !== null ? from.isSampled : isKept(traceId, root)
}

/** Every process that sees a trace comes to the same result: the last seven bytes of its id are compared. */
function isKept(traceId: string, ratio: number): boolean {
  return ratio >= 1 || Number.parseInt(traceId.slice(18), 16) < ratio * 2 ** 56
}
