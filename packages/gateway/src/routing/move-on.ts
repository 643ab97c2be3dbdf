import type { Failure, FailureKind } from '@dragoman/core'
import type { FaultCode } from '../upstream/upstream-fault.ts'

/** A request that failed at one upstream while its client had heard nothing of an answer. */
export interface FailedCall {
  readonly failure: Failure
  /** The status of the upstream's refusal, where it refused. */
  readonly status?: number
  /** Why the call failed, where it did. */
  readonly fault?: FaultCode
}

/** The statuses of an upstream that cannot answer now. All others say something about the request, or about the key. */
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 529])

/** `no-room` is the fault of this process, and what is no HTTP is the fault of the configuration. */
const passingFaults: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'unreachable',
  'tls',
  'closed',
  'connect-timeout',
  'headers-timeout',
  'idle-timeout',
  'cut',
])

/** Failures of an answer that had begun to come, by their codes. */
const brokenAnswers: ReadonlyMap<string, string> = new Map([
  ['upstream_empty', 'empty'],
  ['upstream_truncated', 'cut'],
  ['upstream_idle_timeout', 'idle-timeout'],
])

/** What an error in the place of an answer may mean, where another upstream may fare better. */
const passingKinds: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'rate-limit',
  'overloaded',
  'timeout',
  'upstream',
])

/** What a model made of the conversation, or what the account of the gateway lacks, is no better at the next upstream. */
const lastingCodes =
  /content_?(?:filter|policy)|safety|moderation|authentication|permission|api_key|credential|tool_call|tool_arguments|protocol_error|upstream_limit|out_of_connections|redirect/i

/** Why a request may be tried at another upstream, in a word; null where it may not be. */
export function causeToMoveOn({ failure, status, fault }: FailedCall): string | null {
  const { kind, code, overflow, upstreamType = '' } = failure
  if (fault !== undefined) return passingFaults.has(fault) ? fault : null
  // Some servers report what is wrong with a request as a failure of their own.
  const isAboutRequest = overflow !== undefined || lastingCodes.test(code) || lastingCodes.test(upstreamType)
  if (isAboutRequest) return null
  if (status !== undefined && status >= 300) {
    const isMisreported = status >= 500 && !passingKinds.has(kind)
    return passingStatuses.has(status) && !isMisreported ? `status-${status}` : null
  }
  return brokenAnswers.get(code) ?? (passingKinds.has(kind) ? 'first-event' : null)
}

/** How useful a failure is to a client: what tells it to wait comes first, what nobody can act on last. */
const usefulness: readonly FailureKind[] = ['rate-limit', 'overloaded', 'timeout', 'upstream']

/** Of the failures of several upstreams, the one that the client is told; of equals the first, which is its own upstream's. */
export function mostUseful<Failed extends { readonly failure: Failure; readonly cause: string | null }>(
  failed: readonly [Failed, ...Failed[]],
): Failed {
  const [first, ...others] = failed
  return others.reduce((best, each) => (rankOf(each) < rankOf(best) ? each : best), first)
}

function rankOf({ failure, cause }: { readonly failure: Failure; readonly cause: string | null }): number {
  const rank = usefulness.indexOf(failure.kind)
  // A fallback that refuses the request says nothing about the upstream that was meant, which may take it later.
  return cause === null || rank === -1 ? usefulness.length : rank
}
