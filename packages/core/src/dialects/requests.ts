import type { DialectId } from '../request/dialect-id.ts'
import { anthropicRequests } from './anthropic-messages/request/index.ts'
import { chatRequests } from './openai-chat/request/index.ts'
import type { RequestDialect } from './request-contract.ts'

/** The requests of every dialect. */
export const requestDialects: Readonly<Record<DialectId, RequestDialect>> = {
  'openai-chat': chatRequests,
  'anthropic-messages': anthropicRequests,
}
