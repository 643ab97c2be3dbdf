import type { MintId } from './dialects/answer-ids.ts'
import {
  rewriteChatStream,
  type ChatStreamRewriter,
  type RewriteOptions,
} from './dialects/openai-chat/rewrite-stream.ts'
import { mintToolId } from './ids/mint.ts'
import type { ParserOptions } from './parser-stage.ts'
import { createParser } from './parser.ts'

export type ChatStreamRewriterOptions = ParserOptions &
  Omit<RewriteOptions, 'openParser' | 'failOnInvalidArguments' | 'mint'> &
  IdSource

/** A fresh text for each id, which then has the style of the dialect; or the whole id. */
type IdSource = { readonly newId: () => string } | { readonly mint: MintId }

/** Rewrites a chat stream with a parser of its own for each choice, all made from the same options. */
export function createChatStreamRewriter(options: ChatStreamRewriterOptions): ChatStreamRewriter {
  // Wrong options must fail here, not at the first chunk that an upstream sends.
  createParser(options)
  return rewriteChatStream(chatRewriteOptions(options))
}

export function chatRewriteOptions(options: ChatStreamRewriterOptions): RewriteOptions {
  return {
    ...options,
    mint: mintOf(options),
    openParser: () => createParser(options),
    failOnInvalidArguments: options.delivery === 'complete',
  }
}

function mintOf(source: IdSource): MintId {
  if ('mint' in source) return source.mint
  const { newId } = source
  return (format, taken) => mintToolId({ dialect: 'openai-chat', format, newId, taken })
}
