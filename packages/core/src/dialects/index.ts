import { anthropicMessages } from './anthropic-messages/index.ts'
import type { Dialect } from './dialect.ts'
import { gemini } from './gemini/index.ts'
import { openaiChat } from './openai-chat/index.ts'
import { openaiResponses } from './openai-responses/index.ts'

/** The list of dialects. Whoever needs one names it by its key, and everything else is in the object. */
export const dialects = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
  'openai-responses': openaiResponses,
  gemini,
} as const satisfies Readonly<Record<string, Dialect>>

export type DialectId = keyof typeof dialects

/** Every dialect, in the order in which they are listed to users. */
export const dialectIds: readonly DialectId[] = Object.keys(dialects).filter(isDialectId)

/** What is meant where nothing says which dialect. */
export const defaultDialect: DialectId = 'openai-chat'

export function isDialectId(name: string): name is DialectId {
  return Object.hasOwn(dialects, name)
}
