import {
  type DialectId,
  type Failure,
  mintToolId,
  type ParserOptions,
  translateAnswer,
} from '../../../src/index.ts'
import type { ConversationRequest } from '../../../src/request/conversation-request.ts'
import { makeSignature } from '../../../src/request/reasoning-signature.ts'

/** A chunk of an answer, as an event. */
export function content(parts: readonly object[], more: object = {}, around: object = {}): string {
  const candidate = { content: { parts, role: 'model' }, ...more, index: 0 }
  const chunk = { candidates: [candidate], ...around, modelVersion: 'up-model', responseId: 'up' }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

export const counted = {
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, thoughtsTokenCount: 3, totalTokenCount: 16 },
}

export function finished(finishReason: string, more: object = {}): string {
  return content([], { finishReason, ...more }, counted)
}

export interface Asked {
  readonly from: DialectId
  readonly to: DialectId
  readonly wants?: 'stream' | 'whole'
  readonly delivered?: 'stream' | 'whole'
  readonly parser?: ParserOptions
  readonly request?: ConversationRequest
  readonly conversationIds?: ReadonlySet<string>
  readonly faults?: 'fail' | 'pass'
}

export interface Got {
  readonly text: string
  /** What each write brought. */
  readonly writes: readonly string[]
  readonly failure: Failure | null
  readonly isStarted: boolean
  /** Problems and repairs by their codes. */
  readonly told: readonly string[]
}

/** What becomes of the answer of an upstream, event by event. */
export function translated(body: string, asked: Asked): Got {
  const { from, to, wants = 'stream', delivered = 'stream', parser = {}, request } = asked
  let count = 0
  const told: string[] = []
  const answer = translateAnswer({
    from,
    to,
    delivered,
    wants,
    parser,
    request,
    conversationIds: asked.conversationIds,
    faults: asked.faults,
    mint: (format, taken) => mintToolId({ dialect: to, format, newId: () => `n${count++}`, taken }),
    includeUsage: true,
    watcher: { problem: (code) => told.push(code), repair: (code) => told.push(code) },
    encoding: () => ({
      id: 'answer_1',
      model: 'the-model',
      created: 1,
      inputTokens: () => 42,
      request,
      signature: (field, proof) =>
        makeSignature({ format: 'kimi', field, model: 'k2', ...(proof === null ? {} : { proof }) }),
    }),
  })
  const writes = body.split(/(?<=\n\n)/).map((piece) => answer.push(piece))
  writes.push(answer.end())
  const { failure, isStarted } = answer
  return { text: writes.join(''), writes: writes.filter((text) => text !== ''), failure, isStarted, told }
}
