export {
  createParser,
  holdsWholeCalls,
  parseToolCalls,
  type ParseOptions,
  type PushParser,
} from './parser.ts'
export { createParserStage, type ParserLimits, type ParserOptions, type ParserStage } from './parser-stage.ts'
export {
  createTracer,
  heldReasons,
  traceOutput,
  type HeldSource,
  type OutputTrace,
  type SourceSpan,
  type Tracer,
} from './trace.ts'
export type { SourceRange } from './reader/source-map.ts'
export type { HeldReason } from './text/source-observer.ts'
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
export { formatOfCallId, formatTagOf } from './ids/mint.ts'
export { createSseDecoder, type SseDecoder, type SseDecoderOptions } from './sse/decoder.ts'
export { encodeSse, encodeSseComment, type SseMessage } from './sse/encoder.ts'
export type { SseComment, SseEvent, SseField, SseFields, SseItem, SseOverflow } from './sse/items.ts'
export {
  translateAnswer,
  type AnswerTranslation,
  type ReadingOptions,
  type TranslationOptions,
} from './translate.ts'
export {
  assembleAnswer,
  createAnswerDecoder,
  createStreamRewriter,
  readAnswer,
  rewriteAnswer,
  type AnswerAssembler,
  type AnswerDecoder,
  type AnswerDecoderOptions,
  type AssembledAnswer,
  type RecordedEvent,
  type RewriterOptions,
  type RewrittenAnswer,
  type StreamRewriter,
} from './translate-parts.ts'
export {
  createAnswerGlance,
  type AnswerGlance,
  type GlancedCall,
  type GlancedCallPiece,
  type GlancedPiece,
  type GlancedText,
} from './dialects/glance.ts'
export { defaultDialect, dialectIds, dialects, isDialectId, type DialectId } from './dialects/index.ts'
export type {
  AnswerDialect,
  AskedAt,
  Dialect,
  EncodeOptions,
  ErrorDialect,
  HttpDialect,
  ModelEntry,
  RateLimit,
  RateLimitDialect,
  ReferenceDialect,
  RefusalOptions,
  RefusedServerTools,
  RoutePattern,
  TextOrigin,
  ServerToolDialect,
  StreamFraming,
} from './dialects/dialect.ts'
export type { AnswerSink, FinishReason, UpstreamCall, Usage } from './answer/answer.ts'
export type { Failure, FailureKind } from './answer/failure.ts'
export type { MintId } from './answer/ids.ts'
export { readOverflow, type Overflow } from './answer/overflow/overflow.ts'
export type { AnswerWatcher } from './answer/watch.ts'
export type { WholeAnswer, WholeAsEvents, WholeCollector } from './answer/whole.ts'
export type {
  CompactionWish,
  ConversationRequest,
  OutputFormat,
  ReasoningRequest,
  SystemText,
  Tool,
  ToolChoice,
} from './request/conversation-request.ts'
export type { RequestNote } from './request/notes.ts'
export { failureFromResponse } from './answer/upstream-failure.ts'
export { demandsLostReasoning } from './answer/demanded-reasoning.ts'
export { retryFor, textInError, type Retry } from './answer/text-in-error.ts'
export {
  decodeHistory,
  encodeHistory,
  type DecodedHistory,
  type EncodedHistory,
  type History,
  type HistoryTarget,
} from './dialects/history.ts'
export type { DialectMessages, RequestDialect } from './dialects/dialect.ts'
export { responsesWithoutCall } from './request/history-repair.ts'
export type { DecodedRequest, RequestError } from './request/decoding.ts'
export { makeSignature } from './request/reasoning-signature.ts'
export type {
  AnthropicTarget,
  ChatTarget,
  EncodedRequest,
  GeminiTarget,
  ResponsesTarget,
} from './request/target.ts'
export {
  factsByName,
  isSameModel,
  serverAt,
  serverById,
  serverIds,
  servers,
  takesOf,
  textCallsOf,
} from './servers/registry.ts'
export { entriesIn, modelsOf, serverOfList, type ListedModel } from './servers/model-list.ts'
export type { ModelFacts, Probe, ProbeAnswer, Server, ServerTakes, TextCalls } from './servers/server.ts'
export { lastingRefusal, refusedThinkingField, type ThinkingField } from './request/refused-thinking.ts'
export { wishOf, type ThinkingSetting } from './request/thinking-wish.ts'
export { shortToolNames, type ToolNames } from './request/tools.ts'
export { decodeAnthropicRequest } from './dialects/anthropic-messages/request/decode.ts'
export { encodeAnthropicRequest } from './dialects/anthropic-messages/request/encode.ts'
export { decodeChatRequest } from './dialects/openai-chat/request/decode.ts'
export { encodeChatRequest } from './dialects/openai-chat/request/encode.ts'
export { decodeResponsesRequest } from './dialects/openai-responses/request/decode.ts'
export { encodeResponsesRequest } from './dialects/openai-responses/request/encode.ts'
export { decodeGeminiRequest } from './dialects/gemini/request/decode.ts'
export { encodeGeminiRequest } from './dialects/gemini/request/encode.ts'
export { isPromptFormat, promptFormatIds, type PromptFormatId } from './prompt-tools/prompt-formats.ts'
export { withToolsInPrompt, type PromptedRequest } from './prompt-tools/prompt-request.ts'
export { toProviderFormat, type ProviderTools } from './prompt-tools/provider-format.ts'
