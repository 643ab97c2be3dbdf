import type { Failure } from '@dragoman/core'
import type { FailedCall } from '../routing/move-on.ts'
import type { RateLimits } from '../upstream/rate-limits.ts'

/** Other upstreams for a request, as long as its client has heard nothing of an answer. */
export interface Elsewhere {
  /** Whether another upstream could be asked now. Only then is anything of an answer held back. */
  readonly isThere: boolean
  /** The client is about to be told the beginning of an answer: the request stays where it is. */
  answered(): void
  /** `moved`: the next call goes to another upstream. Otherwise this is the failure that the client is told. */
  moveOn(failed: FailedCall, limits: RateLimits | undefined): MovedOn
}

export type MovedOn =
  | { readonly is: 'moved' }
  | { readonly is: 'final'; readonly failure: Failure; readonly limits: RateLimits | undefined }
