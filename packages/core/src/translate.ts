import type { MintId } from './answer/ids.ts'
import type { RewriteOptions } from './dialects/openai-chat/answer/rewrite-options.ts'
import { rewriteChatStream, type ChatStreamRewriter } from './dialects/openai-chat/answer/rewrite-stream.ts'
import { mintToolId } from './dialects/mint.ts'
import { declaredTools, type ParserOptions } from './parser-stage.ts'
import { createPassingParser as createParser } from './parser.ts'

export type ChatStreamRewriterOptions = { readonly parser?: ParserOptions } & Omit<
  RewriteOptions,
  'openParser' | 'declaredTools' | 'delivery' | 'mint'
> &
  IdSource

/** A fresh text for each id, which then has the style of the dialect; or the whole id. */
type IdSource = { readonly newId: () => string } | { readonly mint: MintId }

/** Rewrites a chat stream with a parser of its own for each choice, all made from the same options. */
export function createChatStreamRewriter(options: ChatStreamRewriterOptions): ChatStreamRewriter {
  return rewriteChatStream(chatRewriteOptions(options))
}

// Field by field: an object that is spread and then given functions is made anew by the runtime each time, which
// takes longer than reading a short answer.
export function chatRewriteOptions(options: ChatStreamRewriterOptions): RewriteOptions {
  const { parser = {} } = options
  // Wrong options must fail here, not at the first chunk that an upstream sends.
  let first: ReturnType<typeof createParser> | undefined = createParser(parser)
  const openParser = (): ReturnType<typeof createParser> => {
    const opened = first ?? createParser(parser)
    first = undefined
    return opened
  }
  return {
    openParser,
    mint: mintOf(options),
    conversationIds: options.conversationIds,
    declaredTools: declaredTools(parser),
    delivery: parser.delivery,
    onWarning: options.onWarning,
    onRecord: options.onRecord,
    onCall: options.onCall,
    onUsage: options.onUsage,
    onFinish: options.onFinish,
    faults: options.faults,
    withholdUsage: options.withholdUsage,
    clientToolName: options.clientToolName,
    maxEventBytes: options.maxEventBytes,
  }
}

function mintOf(source: IdSource): MintId {
  if ('mint' in source) return source.mint
  const { newId } = source
  return (format, taken) => mintToolId({ dialect: 'openai-chat', format, newId, taken })
}
