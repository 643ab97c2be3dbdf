import type { ConversationRequest, Failure, Usage } from '@dragoman/core'
import { estimateTokens, leastTokens } from './estimate-tokens.ts'
import type { Plan } from './plan.ts'

/** An upstream that read less than this part of what was estimated has left something out. */
const CERTAINLY_CUT = 0.5
/** In a short conversation the estimate may be wrong by more than that. */
const LEAST_JUDGED = 3000

/**
 * Some servers tell nobody that a conversation is too long: they leave out its oldest messages and answer. An agent
 * would go on without its task. So it is told what any other server would have told it.
 */
export function tooLongForSilence(request: ConversationRequest, { route, known }: Plan): Failure | null {
  const window = route.window ?? known.facts.window
  if (known.server?.tooLong !== 'silence' || window === undefined) return null
  const promptTokens = leastTokens(certainlySent(request), undefined)
  if (promptTokens <= window) return null
  return {
    kind: 'invalid-request',
    code: 'context_length_exceeded',
    message: `${known.server.title} would leave out the beginning: the conversation has about ${promptTokens} tokens, and the model's maximum context length is ${window} tokens.`,
    overflow: { what: 'prompt', promptTokens, window },
  }
}

/** Reasoning may not be sent back, and nobody knows how many tokens a picture is to this model. */
function certainlySent(request: ConversationRequest): ConversationRequest {
  const contents = request.contents.map(({ speaker, blocks }) => ({
    speaker,
    blocks: blocks.filter(({ type }) => type !== 'thinking' && type !== 'media'),
  }))
  return { ...request, contents }
}

/** Says that an answer was given to a part of the conversation only; undefined where there is no sign of it. */
export function silentCut(request: ConversationRequest, { known }: Plan, usage: Usage): string | undefined {
  const read = tokensRead(usage)
  if (known.server?.tooLong !== 'silence' || read === 0) return undefined
  const estimate = estimateTokens(certainlySent(request))
  if (estimate < LEAST_JUDGED || read >= estimate * CERTAINLY_CUT) return undefined
  return `${known.server.title} read ${read} of about ${estimate} tokens: it left out the beginning of the conversation. Give the model a larger window there.`
}

export function tokensRead({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens
}
