import {
  type Content,
  type ConversationRequest,
  defaultDialect,
  dialects,
  type Failure,
  type FinishReason,
  type FormatId,
  formatTagOf,
} from '@dragoman/core'
import type { GatewayConfig } from '../../config/config.ts'
import type { ModelRoute } from '../../config/match-model.ts'
import { Negotiation } from '../../exchange/negotiation.ts'
import { type Plan, planRequest } from '../../exchange/plan.ts'
import { callWhenWritten } from '../../exchange/written-plan.ts'
import { withLesson } from '../../upstream/known-upstream.ts'
import { signerFor } from '../../exchange/translation.ts'
import { UpstreamAnswer } from '../../exchange/upstream-answer.ts'
import { redactFailure, type Redactor } from '../../security/redact.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import type { ChatEvent } from '../chat-event.ts'
import { AnswerCollector } from './answer-collector.ts'
import { collectAnswer } from './collected-answer.ts'
import { mintWith, takenIds } from './history-id.ts'

/** How many bytes of an answer are kept, to be shown as they came. */
const KEPT_BYTES = 1024 * 1024

export interface ModelWorld {
  readonly config: GatewayConfig
  readonly upstreams: Upstreams
  readonly redact: Redactor
  readonly newId: () => string
}

export interface AskedAnswer {
  readonly end:
    | { readonly is: 'finished'; readonly reason: FinishReason }
    | { readonly is: 'failed'; readonly failure: Failure }
    | { readonly is: 'stopped' }
  /** The content of the answer so far, or null where there is none. */
  readonly content: Content | null
  /** The tool in whose call the answer was cut off, or null. */
  readonly cutCall: string | null
  readonly kept: KeptAnswer | null
}

/** Sends the conversation as the gateway would, and shows the answer as it comes. */
export async function askModel(
  request: ConversationRequest,
  route: ModelRoute,
  world: ModelWorld,
  show: (event: ChatEvent) => void,
  signal: AbortSignal,
): Promise<AskedAnswer> {
  const upstream = await world.upstreams.resolve(route.upstream)
  // The chat acts as a client of this dialect that sets no token limit. Upstreams that demand a limit get the
  // default.
  const negotiation = new Negotiation({
    request,
    plan: (asked, lesson) => {
      const known = withLesson(world.upstreams.about(upstream, route.model), lesson)
      return planRequest(asked, defaultDialect, route, upstream, world.config, { known })
    },
    learn: (lesson, lasting) => world.upstreams.learn(upstream, route.model, lesson, lasting),
    now: () => Math.floor(Date.now() / 1000),
    onPlan: () => {},
    onSecondThought: () => {},
  })
  const { plan } = negotiation
  if (signal.aborted) return { end: { is: 'stopped' }, content: null, cutCall: null, kept: null }
  show({ type: 'start', model: request.model, upstream: upstream.name, format: plan.format })
  const received = new Received()
  const collector = new AnswerCollector({
    show: (event) => {
      if (!signal.aborted) show(event)
    },
    signature: signatures(plan),
  })
  const end = await new Promise<AskedAnswer['end']>((resolve, reject) => {
    const over = (how: AskedAnswer['end']): void => {
      signal.removeEventListener('abort', stop)
      resolve(how)
    }
    const answer = new UpstreamAnswer(
      {
        callUpstream: (listener, connection) =>
          callWhenWritten(
            negotiation.plan,
            (written) => world.upstreams.call(written, listener, connection),
            reject,
          ),
        reconsider: (refused) => negotiation.reconsider(refused),
        open: (delivered) => {
          received.delivered = delivered
          const { plan: carried } = negotiation
          return collectAnswer(
            {
              dialect: carried.upstreamDialect,
              parser: carried.parser,
              mint: mintWith(world.newId),
              conversationIds: takenIds(request.contents),
              clientToolName: (name) => carried.toolNames.toClient(name),
              maxTokens: carried.maxTokens,
              maxEventBytes: world.config.limits.lineBytes,
              collector,
              onChunk: (chunk) => received.add(chunk),
            },
            delivered,
          )
        },
        // All of it is kept in memory, although it is shown as it comes.
        wants: 'whole',
        responseBytes: world.config.limits.responseBytes,
        finishGrace: () => plan.route.timeouts.finishGrace,
        observer: { bug: reject },
      },
      {
        begin: () => {},
        take: () => {},
        end: () => over(endOf(collector, world.redact)),
        refuse: (failure) => over({ is: 'failed', failure: redactFailure(failure, world.redact) }),
      },
    )
    const stop = (): void => {
      answer.abort()
      over({ is: 'stopped' })
    }
    signal.addEventListener('abort', stop)
    answer.start()
  })
  world.upstreams.refresh(upstream, route.model)
  const content = contentOf(collector, end.is === 'finished')
  const kept = received.answer(negotiation.plan, content, collector.remarks)
  return { end, content, cutCall: collector.cutCall, kept }
}

/** An answer that failed after its beginning was shown has ended too. */
function endOf({ failure, reason }: AnswerCollector, redact: Redactor): AskedAnswer['end'] {
  if (failure !== null) return { is: 'failed', failure: redactFailure(failure, redact) }
  return { is: 'finished', reason: reason ?? 'stop' }
}

/** The calls of an answer that is not complete are not carried out, so they are left out of the history. */
function contentOf(collector: AnswerCollector, isWhole: boolean): Content | null {
  const blocks = collector.blocks.filter(({ type }) => isWhole || type !== 'tool_call')
  return blocks.length === 0 ? null : { speaker: 'ai', blocks }
}

/** Reasoning with a signature of the upstream's own keeps it, as the upstream accepts no other. */
function signatures(plan: Plan): (field: string, proof: string | null) => string {
  const { proofIsSignature } = dialects[plan.upstreamDialect].answer
  const sign = signerFor(plan)
  return (field, proof) => (proofIsSignature && proof !== null ? proof : sign(field, proof))
}

/** The answer in the form in which it came, as far as it is kept. */
class Received {
  delivered: 'stream' | 'whole' = 'whole'
  private readonly chunks: Uint8Array[] = []
  private size = 0

  add(chunk: Uint8Array): void {
    if (this.size < KEPT_BYTES) this.chunks.push(chunk)
    this.size += chunk.length
  }

  answer(plan: Plan, became: Content | null, remarks: readonly string[]): KeptAnswer | null {
    if (this.size === 0) return null
    return {
      model: plan.route.model,
      format: formatOf(plan, became),
      delivered: this.delivered,
      received: Buffer.concat(this.chunks).toString('utf8'),
      isCut: this.size > KEPT_BYTES,
      became,
      remarks,
    }
  }
}

/**
 * The format in which the answer was written. Its ids may be in the style of another model, which made earlier calls.
 */
function formatOf(plan: Plan, became: Content | null): FormatId {
  const call = became?.blocks.findLast((block) => block.type === 'tool_call')
  if (call === undefined) return plan.formatFrom === 'history' ? 'standard' : plan.format
  const tag = formatTagOf(call.id)
  return tag === null || tag === 'std' ? 'standard' : tag
}

/** One answer in two forms: as the upstream sent it, and as it was understood. */
export interface KeptAnswer {
  readonly model: string
  /** `standard` where the calls were structured. */
  readonly format: FormatId
  readonly delivered: 'stream' | 'whole'
  /** The body of the answer, as the upstream sent it. */
  readonly received: string
  /** Whether `received` is only the beginning. */
  readonly isCut: boolean
  readonly became: Content | null
  /** Describes what was wrong with the answer and what was repaired. */
  readonly remarks: readonly string[]
}
