import type { createAnthropicStreamEncoder } from '../../src/dialects/anthropic-messages/answer/encode.ts'
import { MessageCollector as Messages } from '../../src/dialects/anthropic-messages/answer/whole.ts'
import { CompletionCollector as Completions } from '../../src/dialects/openai-chat/answer/whole.ts'
import {
  type AnswerAssembler,
  type AnswerDecoder,
  type AnswerDecoderOptions,
  assembleAnswer,
  createAnswerDecoder,
  createStreamRewriter,
  readAnswer,
  rewriteAnswer,
  type RewriterOptions,
  type RewrittenAnswer,
  type StreamRewriter,
} from '../../src/translate-parts.ts'
import type { JsonObject } from '../../src/json/objects.ts'

// The stages of each dialect under names of their own.

export function createChatAnswerDecoder(options: AnswerDecoderOptions): AnswerDecoder {
  return createAnswerDecoder('openai-chat', options)
}

export function createAnthropicAnswerDecoder(options: AnswerDecoderOptions): AnswerDecoder {
  return createAnswerDecoder('anthropic-messages', options)
}

export function readChatCompletion(body: unknown, options: AnswerDecoderOptions): void {
  readAnswer('openai-chat', body, options)
}

export function readAnthropicMessage(body: unknown, options: AnswerDecoderOptions): void {
  readAnswer('anthropic-messages', body, options)
}

export function createChatStreamRewriter(options: RewriterOptions): StreamRewriter {
  return createStreamRewriter('openai-chat', { faults: 'pass', ...options })
}

export function rewriteAnthropicStream(options: RewriterOptions): StreamRewriter {
  return createStreamRewriter('anthropic-messages', options)
}

export function rewriteChatCompletion(body: unknown, options: RewriterOptions): RewrittenAnswer {
  return rewriteAnswer('openai-chat', body, { faults: 'pass', ...options })
}

export function rewriteAnthropicMessage(body: unknown, options: RewriterOptions): RewrittenAnswer {
  return rewriteAnswer('anthropic-messages', body, options)
}

export function assembleChatCompletion(options: {
  readonly id: string
  readonly model: string
  readonly created: number
}): AnswerAssembler {
  return assembleAnswer('openai-chat', { ...options, inputTokens: () => 0, signature: () => '' })
}

export type AnthropicMessageOptions = Omit<Parameters<typeof createAnthropicStreamEncoder>[0], 'write'>

export function assembleAnthropicMessage(options: AnthropicMessageOptions): AnswerAssembler {
  const { messageId, model, inputTokens, signature } = options
  return assembleAnswer('anthropic-messages', {
    id: messageId,
    model,
    created: 0,
    inputTokens: () => inputTokens,
    signature,
  })
}

export class CompletionCollector {
  private readonly collector = new Completions()

  push(sse: string): void {
    this.collector.push(sse)
  }

  end(): JsonObject | null {
    return this.collector.end()?.value ?? null
  }
}

export class MessageCollector {
  private readonly collector = new Messages()

  push(sse: string): void {
    this.collector.push(sse)
  }

  end(): JsonObject | null {
    return this.collector.end()?.value ?? null
  }
}
