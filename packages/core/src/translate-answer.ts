import { AnswerIds, type MintId } from './answer/ids.ts'
import type { AnswerReports } from './answer/reports.ts'
import type { AnswerReaderOptions } from './answer/calls/reader.ts'
import type { AnswerDecoder, AnswerStreamOptions } from './answer/stream.ts'
import type { AnswerSink } from './answer/answer.ts'
import { decodeAnthropicMessage, decodeAnthropicStream } from './dialects/anthropic-messages/answer/decode.ts'
import { decodeChatCompletion, decodeChatStream } from './dialects/openai-chat/answer/decode.ts'
import {
  rewriteMessage,
  type RewrittenMessage,
} from './dialects/anthropic-messages/answer/rewrite-message.ts'
import {
  rewriteMessageStream,
  type AnthropicStreamRewriter,
  type MessageRewriterOptions,
} from './dialects/anthropic-messages/answer/rewrite-stream.ts'
import type { RecordedEvent } from './dialects/openai-chat/answer/choice-reader.ts'
import { rewriteCompletion, type RewrittenBody } from './dialects/openai-chat/answer/rewrite-completion.ts'
import { createParserStage, declaredTools, type ParserOptions } from './parser-stage.ts'
import { createParser } from './parser.ts'
import { chatRewriteOptions, type ChatStreamRewriterOptions } from './translate.ts'

export interface ReadAnswerOptions {
  readonly parser: ParserOptions
  readonly mint: MintId
  /** The ids that the conversation already holds: a call of the answer gets none of them. */
  readonly conversationIds?: ReadonlySet<string> | undefined
  readonly sink: AnswerSink
  /** What was dropped, or taken although something is wrong with it. */
  readonly onWarning?: ((message: string) => void) | undefined
}

export type AnswerDecoderOptions = ReadAnswerOptions & AnswerStreamOptions

/** Reads the event stream of a chat completion, calls in its text included. */
export function createChatAnswerDecoder(options: AnswerDecoderOptions): AnswerDecoder {
  return decodeChatStream(readerOptions(options), options)
}

/** Reads a whole chat completion. */
export function readChatCompletion(body: unknown, options: ReadAnswerOptions): void {
  decodeChatCompletion(body, readerOptions(options))
}

/** Reads the event stream of a message, calls in its text included. */
export function createAnthropicAnswerDecoder(options: AnswerDecoderOptions): AnswerDecoder {
  return decodeAnthropicStream(readerOptions(options), options)
}

/** Reads a whole message. */
export function readAnthropicMessage(body: unknown, options: ReadAnswerOptions): void {
  decodeAnthropicMessage(body, readerOptions(options))
}

/** A whole chat completion with its in-band calls made structured, in the same dialect. */
export function rewriteChatCompletion(body: unknown, options: ChatStreamRewriterOptions): RewrittenBody {
  return rewriteCompletion(body, chatRewriteOptions(options))
}

export interface AnthropicRewriteOptions extends AnswerReports {
  readonly parser: ParserOptions
  readonly mint: MintId
  /** The ids that the conversation already holds: a call of the answer gets none of them. */
  readonly conversationIds?: ReadonlySet<string> | undefined
  /** Each problem and repair of the parser. */
  readonly onRecord?: ((event: RecordedEvent) => void) | undefined
  /** The name by which the client knows a tool. */
  readonly clientToolName?: ((name: string) => string) | undefined
  /** The longest event. */
  readonly maxEventBytes?: number | undefined
}

/** Message stream in, message stream out, with the calls in its text made blocks. */
export function rewriteAnthropicStream(options: AnthropicRewriteOptions): AnthropicStreamRewriter {
  return rewriteMessageStream(blockOptions(options))
}

/** A whole message with the calls in its text made blocks. */
export function rewriteAnthropicMessage(body: unknown, options: AnthropicRewriteOptions): RewrittenMessage {
  return rewriteMessage(body, blockOptions(options))
}

// Field by field, as in `chatRewriteOptions`.
function blockOptions(options: AnthropicRewriteOptions): MessageRewriterOptions {
  const { parser } = options
  return {
    openParser: () => createParser(parser),
    ids: new AnswerIds(options.mint, options.conversationIds),
    delivery: parser.delivery,
    heldLimit: parser.limits?.toolCallBytes,
    clientToolName: options.clientToolName,
    onCall: options.onCall,
    onUsage: options.onUsage,
    onFinish: options.onFinish,
    onRecord: options.onRecord,
    maxEventBytes: options.maxEventBytes,
  }
}

function readerOptions(options: ReadAnswerOptions): AnswerReaderOptions {
  const { parser, mint, conversationIds, sink, onWarning } = options
  return {
    openParser: (parserSink) => createParserStage(parser, parserSink),
    ids: new AnswerIds(mint, conversationIds),
    sink,
    declaredTools: declaredTools(parser),
    delivery: parser.delivery,
    heldLimit: parser.limits?.toolCallBytes ?? 4_194_304,
    onWarning,
  }
}
