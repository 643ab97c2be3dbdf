import {
  type Content,
  type ConversationRequest,
  type Failure,
  type FinishReason,
  type FormatId,
  formatTagOf,
  makeSignature,
} from '@dragoman/core'
import type { GatewayConfig } from '../../config/config.ts'
import type { ModelRoute } from '../../config/match-model.ts'
import { createAnswerDecoder } from '../../exchange/pipeline.ts'
import { type Plan, planRequest } from '../../exchange/plan.ts'
import { redactFailure, type Redactor } from '../../security/redact.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import type { ChatEvent } from '../chat-event.ts'
import { AnswerCollector, type AnswerEnd } from './answer-collector.ts'
import { mintWith, takenIds } from './history-id.ts'
import { UpstreamAnswer } from './upstream-answer.ts'

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
  const plan = planRequest(request, 'openai-chat', route, upstream, world.config)
  if (signal.aborted) return { end: { is: 'stopped' }, content: null, kept: null }
  show({ type: 'start', model: request.model, upstream: upstream.name, format: plan.format })
  const received = new Received()
  return new Promise((resolve) => {
    const collector: AnswerCollector = new AnswerCollector({
      show: (event) => {
        if (!signal.aborted) show(event)
      },
      toolNames: plan.toolNames,
      signature: signerFor(plan),
      onEnd: (end) => finish(end),
    })
    const answer: UpstreamAnswer = new UpstreamAnswer({
      send: (listener) => world.upstreams.call(plan, listener),
      open: (source) => {
        received.source = source
        const decoding = {
          plan,
          mint: mintWith(world.newId),
          conversationIds: takenIds(request.contents),
          maxEventBytes: world.config.limits.lineBytes,
        }
        return createAnswerDecoder(decoding, source, collector)
      },
      responseBytes: world.config.limits.responseBytes,
      finishGrace: plan.route.timeouts.finishGrace,
      onData: (chunk) => received.add(chunk),
      sink: collector,
    })
    const onAbort = (): void => {
      answer.abort()
      finish({ is: 'stopped' })
    }
    const finish = (end: AnswerEnd | { readonly is: 'stopped' }): void => {
      signal.removeEventListener('abort', onAbort)
      const content = contentOf(collector, end.is === 'finished')
      const told =
        end.is === 'failed' ? { is: end.is, failure: redactFailure(end.failure, world.redact) } : end
      resolve({ end: told, content, kept: received.answer(plan, content, collector.remarks) })
    }
    signal.addEventListener('abort', onAbort)
    answer.start()
  })
}

/** The calls of an answer that is not complete are not carried out, so they are left out of the history. */
function contentOf(collector: AnswerCollector, isWhole: boolean): Content | null {
  const blocks = collector.blocks.filter(({ type }) => isWhole || type !== 'tool_call')
  return blocks.length === 0 ? null : { speaker: 'ai', blocks }
}

/** Reasoning with Anthropic's own signature keeps it, as the upstream accepts no other. */
function signerFor({
  upstreamDialect,
  format,
  route,
}: Plan): (field: string, proof: string | null) => string {
  return (field, proof) => {
    if (upstreamDialect === 'anthropic-messages' && proof !== null) return proof
    return makeSignature({ format, field, model: route.model, ...(proof === null ? {} : { proof }) })
  }
}

/** The answer in the form in which it came, as far as it is kept. */
class Received {
  source: 'sse' | 'json' = 'json'
  private readonly chunks: Buffer[] = []
  private size = 0

  add(chunk: Buffer): void {
    if (this.size < KEPT_BYTES) this.chunks.push(chunk)
    this.size += chunk.length
  }

  answer(plan: Plan, became: Content | null, remarks: readonly string[]): KeptAnswer | null {
    if (this.size === 0) return null
    return {
      model: plan.route.model,
      format: formatOf(plan, became),
      source: this.source,
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
  readonly source: 'sse' | 'json'
  /** The body of the answer, as the upstream sent it. */
  readonly received: string
  /** Whether `received` is only the beginning. */
  readonly isCut: boolean
  readonly became: Content | null
  /** Describes what was wrong with the answer and what was repaired. */
  readonly remarks: readonly string[]
}
