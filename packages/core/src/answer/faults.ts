import type { Failure } from './answer.ts'

export const truncated: Failure = {
  kind: 'upstream',
  code: 'upstream_truncated',
  message: 'The upstream closed the stream before its answer was complete.',
}

export const emptyAnswer: Failure = {
  kind: 'upstream',
  code: 'upstream_empty',
  message: 'The upstream sent no answer.',
}

/** Why a stream that was closed without an end is no answer. Foreign lines make no event: those of a page, say. */
export function missingEnd(hasEvents: boolean, hasForeignLines: boolean): Failure {
  if (hasEvents) return truncated
  return hasForeignLines ? protocolError('It is no event stream.') : emptyAnswer
}

export function protocolError(what: string): Failure {
  const message = `The answer of the upstream is malformed. ${what}`
  return { kind: 'upstream', code: 'upstream_protocol_error', message }
}

export function limitError(limit: number): Failure {
  const message = `An event of the upstream is longer than ${limit} bytes.`
  return { kind: 'upstream', code: 'upstream_limit', message }
}
