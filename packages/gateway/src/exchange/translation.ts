import {
  type AnswerTranslation,
  type AnswerWatcher,
  type ConversationRequest,
  type DialectId,
  dialects,
  makeSignature,
  type MintId,
  translateAnswer,
} from '@dragoman/core'
import { estimateTokens } from './estimate-tokens.ts'
import type { Plan } from './plan.ts'

/** The parts of a plan by which an answer is read. */
export type ReadingPlan = Pick<Plan, 'upstreamDialect' | 'format' | 'parser' | 'toolNames'> &
  Partial<Pick<Plan, 'family' | 'maxTokens' | 'clientModel'>> & {
    readonly route: Pick<Plan['route'], 'model'>
  }

export interface AnswerReading {
  readonly plan: ReadingPlan
  readonly request: ConversationRequest
  readonly clientDialect: DialectId
  /** The dialect in which the client asked. It tells whether the client expects the usage. */
  readonly askedIn: DialectId
  /** Makes the part of an answer's id that is the answer's own. */
  readonly newId: () => string
  /** Seconds, as the dialects want them. */
  readonly created: number
  readonly mint: MintId
  readonly maxEventBytes: number
  readonly watcher: AnswerWatcher
  /** Takes secrets out of what the upstream says about its failure. */
  readonly redact?: ((text: string) => string) | undefined
}

/** Turns the answer of an upstream into the answer that the request asked for. */
export function openTranslation(reading: AnswerReading, delivered: 'stream' | 'whole'): AnswerTranslation {
  const { plan, request, clientDialect, askedIn, newId, created } = reading
  return translateAnswer({
    from: plan.upstreamDialect,
    to: clientDialect,
    delivered,
    wants: request.stream ? 'stream' : 'whole',
    includeUsage: request.wantsUsage === true || dialects[askedIn].answer.usageInStream === 'always',
    parser: plan.parser,
    mint: reading.mint,
    conversationIds: callIds(request),
    clientToolName: (name) => plan.toolNames.toClient(name),
    maxTokens: plan.maxTokens,
    maxEventBytes: reading.maxEventBytes,
    watcher: reading.watcher,
    redact: reading.redact,
    clientModel: plan.clientModel,
    request,
    encoding: () => ({
      id: dialects[clientDialect].answer.idPrefix + newId(),
      // The client gets back the name by which it asked.
      model: request.model,
      created,
      inputTokens: () => estimateTokens(request),
      request,
      signature: signerFor(plan),
    }),
  })
}

/** Signs reasoning with where it came from, so that it can be put back there. */
export function signerFor({
  format,
  family = format,
  route,
}: Pick<ReadingPlan, 'format' | 'family' | 'route'>): (
  field: string,
  proof: string | null,
  text?: string,
) => string {
  return (field, proof, text) =>
    makeSignature({
      format: family,
      field,
      model: route.model,
      ...(proof === null ? {} : { proof }),
      ...(text === undefined ? {} : { text }),
    })
}

function callIds({ contents }: ConversationRequest): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { blocks } of contents) {
    for (const block of blocks) if (block.type === 'tool_call') ids.add(block.id)
  }
  return ids
}
