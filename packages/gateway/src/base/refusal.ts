import type { Failure, FailureKind } from '@dragoman/core'

/** A failure as the answer to a request. */
export interface Refusal {
  readonly failure: Failure
  /** The HTTP status, where the kind of the failure alone does not tell it. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export function refusal(
  status: number,
  kind: FailureKind,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Refusal {
  return { status, failure: { kind, code, message }, headers }
}

/** The failure that a client is told for a bug of ours. Only the log says what went wrong. */
export const internalFailure: Failure = {
  kind: 'internal',
  code: 'internal_error',
  message: 'Something went wrong in the gateway.',
}
