export { createParser, parseToolCalls, type ParseOptions, type PushParser } from './parser.ts'
export { createParserStage, type ParserLimits, type ParserOptions, type ParserStage } from './parser-stage.ts'
export { assemble, type ParsedOutput, type ParsedToolCall } from './parsed-output.ts'
export { coalesce, type ModelEvent, type Sink } from './events.ts'
export { problemCodes, repairCodes, type ProblemCode, type RepairCode } from './problems.ts'
export { DragomanError, type ErrorCode } from './errors.ts'
export type { EndReason } from './engines/engine.ts'
export type { ToolDefinition } from './engines/tool-set.ts'
export type { Channel } from './reader/text-flow.ts'
export {
  detectFormat,
  detectModel,
  isKimiModel,
  type DetectedModel,
  type FormatOverrides,
} from './formats/detect.ts'
export { formatIds, resolveFormatId, type FormatId } from './formats/format-id.ts'
export type { Format, Grammar, ReasoningMarkers } from './formats/format.ts'
export type { MarkerOverrides } from './formats/override-markers.ts'
export { formats } from './formats/registry.ts'
export type {
  Block,
  Content,
  MediaBlock,
  Speaker,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResponseBlock,
} from './conversation.ts'
export { getToolIdStrategy } from './ids/strategies.ts'
export type { ToolIdMapper, ToolIdStrategy } from './ids/strategy.ts'
export { mintToolId, type MintOptions } from './dialects/mint.ts'
export { formatTagOf } from './ids/mint.ts'
export { createSseDecoder, type SseDecoder, type SseDecoderOptions } from './sse/decoder.ts'
export { encodeSse, encodeSseComment, type SseMessage } from './sse/encoder.ts'
export type { SseComment, SseEvent, SseField, SseFields, SseItem, SseOverflow } from './sse/items.ts'
export { createChatStreamRewriter, type ChatStreamRewriterOptions } from './translate.ts'
export type { ChatStreamRewriter } from './dialects/openai-chat/answer/rewrite-stream.ts'
export type { RecordedEvent } from './dialects/openai-chat/answer/choice-reader.ts'
export type { AnswerSink, Assembled, Failure, FailureKind, FinishReason, Usage } from './answer/answer.ts'
export type { MintId } from './answer/ids.ts'
export type { AnswerDecoder } from './answer/stream.ts'
export type {
  ConversationRequest,
  OutputFormat,
  ReasoningRequest,
  SystemText,
  Tool,
  ToolChoice,
} from './request/conversation-request.ts'
export type { RequestNote } from './request/notes.ts'
export { failureFromResponse } from './answer/upstream-failure.ts'
export {
  decodeHistory,
  encodeHistory,
  type DecodedHistory,
  type EncodedHistory,
  type History,
  type HistoryTarget,
} from './dialects/history.ts'
export type { DialectMessages, RequestDialect } from './dialects/request-contract.ts'
export { requestDialects } from './dialects/requests.ts'
export { responsesWithoutCall } from './request/history-repair.ts'
export type { DecodedRequest, RequestError } from './request/decoding.ts'
export { makeSignature } from './request/reasoning-signature.ts'
export type { AnthropicTarget, ChatTarget, EncodedRequest } from './request/target.ts'
export { shortToolNames, type ToolNames } from './request/tools.ts'
export {
  createAnthropicStreamEncoder,
  type AnthropicStreamEncoder,
  type AnthropicStreamOptions,
} from './dialects/anthropic-messages/answer/encode.ts'
export {
  assembleAnthropicMessage,
  type AnthropicMessageAssembler,
  type AnthropicMessageOptions,
} from './dialects/anthropic-messages/answer/assemble-message.ts'
export { anthropicErrorBody, anthropicErrorResponse } from './dialects/anthropic-messages/errors.ts'
export { MessageCollector } from './dialects/anthropic-messages/answer/message-collector.ts'
export { streamOfMessage } from './dialects/anthropic-messages/answer/message-to-stream.ts'
export { decodeAnthropicRequest } from './dialects/anthropic-messages/request/decode.ts'
export { encodeAnthropicRequest } from './dialects/anthropic-messages/request/encode.ts'
export {
  createChatStreamEncoder,
  type ChatStreamEncoder,
  type ChatStreamOptions,
} from './dialects/openai-chat/answer/encode.ts'
export {
  assembleChatCompletion,
  type ChatCompletionAssembler,
  type ChatCompletionOptions,
} from './dialects/openai-chat/answer/assemble-completion.ts'
export { CompletionCollector } from './dialects/openai-chat/answer/completion-collector.ts'
export {
  streamOfCompletion,
  type CompletionStreamOptions,
} from './dialects/openai-chat/answer/completion-to-stream.ts'
export { chatErrorBody, chatErrorResponse } from './dialects/openai-chat/errors.ts'
export { decodeChatRequest } from './dialects/openai-chat/request/decode.ts'
export { encodeChatRequest } from './dialects/openai-chat/request/encode.ts'
export {
  createAnthropicAnswerDecoder,
  createChatAnswerDecoder,
  readAnthropicMessage,
  readChatCompletion,
  rewriteAnthropicMessage,
  rewriteAnthropicStream,
  rewriteChatCompletion,
  type AnswerDecoderOptions,
  type AnthropicRewriteOptions,
  type ReadAnswerOptions,
} from './translate-answer.ts'
export { isPromptFormat, promptFormatIds, type PromptFormatId } from './prompt-tools/prompt-formats.ts'
export { withToolsInPrompt, type PromptedRequest } from './prompt-tools/prompt-request.ts'
export { toProviderFormat, type ProviderTools } from './prompt-tools/provider-format.ts'
