import type { UpstreamCall, UpstreamListener } from '../upstream/client.ts'
import type { UpstreamRequest } from '../upstream/upstream-request.ts'
import type { Span } from '../observe/traces/span.ts'
import { http } from '../observe/traces/names.ts'
import { contextHeaders } from '../observe/traces/trace-context.ts'

/** Makes one call of an upstream, with what is sent and who is told. */
export type MakeCall<Request extends UpstreamRequest> = (
  request: Request,
  listener: UpstreamListener,
) => UpstreamCall

/**
 * One attempt at an upstream, as a span. The upstream is told the place in the trace; the span ends with the call, whoever
 * ends it.
 */
export function traceAttempt<Request extends UpstreamRequest>(
  span: Span,
  request: Request,
  listener: UpstreamListener,
  call: MakeCall<Request>,
): UpstreamCall {
  const headers = { ...request.headers, ...contextHeaders(span.context) }
  const made = call({ ...request, headers }, heard(span, listener))
  return {
    pause: () => made.pause(),
    resume: () => made.resume(),
    abort: () => {
      made.abort()
      span.end()
    },
  }
}

function heard(span: Span, listener: UpstreamListener): UpstreamListener {
  return {
    onHeaders: (status, headers) => {
      span.set({ [http.status]: status })
      if (status >= 300) failAttempt(span, String(status))
      listener.onHeaders(status, headers)
    },
    onData: (chunk) => listener.onData(chunk),
    onEnd: () => {
      listener.onEnd()
      span.end()
    },
    onError: (fault) => {
      failAttempt(span, fault.code)
      // The listener may make the next attempt at once, which begins when this one is over.
      span.end()
      listener.onError(fault)
    },
  }
}

/** Why an attempt failed, in a word that is one of few. */
export function failAttempt(span: Span, type: string): void {
  span.fail({ [http.errorType]: type }, type)
}
