/**
 * The names of the semantic conventions for generative AI and for HTTP, as far as we use them. Those for AI are still in
 * development and change: no other file may name one.
 */
export const genAi = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  conversation: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  maxTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  topK: 'gen_ai.request.top_k',
  stopSequences: 'gen_ai.request.stop_sequences',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  /** Those from a cache and into one are part of it. */
  inputTokens: 'gen_ai.usage.input_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  toolName: 'gen_ai.tool.name',
  /** What was said. JSON as text; only where it is asked for. */
  instructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
} as const

/** The attributes of an answer. */
export const answerNames = [
  genAi.responseModel,
  genAi.responseId,
  genAi.finishReasons,
  genAi.inputTokens,
  genAi.cacheReadTokens,
  genAi.cacheWriteTokens,
  genAi.outputTokens,
  genAi.reasoningTokens,
] as const

/** Why an answer ended, as the conventions call it. */
export const finishReasons = {
  stop: 'stop',
  'stop-sequence': 'stop',
  pause: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_call',
} as const

export const http = {
  method: 'http.request.method',
  resend: 'http.request.resend_count',
  route: 'http.route',
  status: 'http.response.status_code',
  errorType: 'error.type',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  urlPath: 'url.path',
  urlScheme: 'url.scheme',
} as const

/** What no convention has a name for. */
export const own = {
  requestId: 'dragoman.request_id',
  upstream: 'dragoman.upstream',
  key: 'dragoman.key',
  format: 'dragoman.format',
  clientDialect: 'dragoman.client.dialect',
  upstreamDialect: 'dragoman.upstream.dialect',
  /** How the request ended for the client: `answered`, `left`, `cut`. */
  how: 'dragoman.how',
  code: 'dragoman.code',
  message: 'dragoman.message',
  reason: 'dragoman.reason',
  omitted: 'dragoman.content.omitted_messages',
  omittedAnswer: 'dragoman.content.omitted_answer',
} as const

export const eventNames = {
  firstByte: 'dragoman.first_byte',
  toolCall: 'dragoman.tool_call',
  problem: 'dragoman.problem',
  repair: 'dragoman.repair',
  again: 'dragoman.asked_again',
} as const
