import { createParser } from './parser.ts'
import type { ParserOptions } from './parser-stage.ts'
import {
  rewriteChatStream,
  type ChatStreamRewriter,
  type RewriteOptions,
} from './dialects/openai-chat/rewrite-stream.ts'

export type ChatStreamRewriterOptions = ParserOptions &
  Omit<RewriteOptions, 'openParser' | 'failOnInvalidArguments'>

/** Rewrites a chat stream with a parser of its own for each choice, all made from the same options. */
export function createChatStreamRewriter(options: ChatStreamRewriterOptions): ChatStreamRewriter {
  // Wrong options must fail here, not at the first chunk that an upstream sends.
  createParser(options)
  return rewriteChatStream({
    ...options,
    openParser: () => createParser(options),
    failOnInvalidArguments: options.delivery === 'complete',
  })
}
