import type { Block, ConversationRequest } from '@dragoman/core'

/** On the low side for English and code, so that clients compact too early rather than too late. */
const CHARACTERS_PER_TOKEN = 3.5
/** What templates put around each message and each tool. */
const TOKENS_PER_PART = 8
const TOKENS_PER_IMAGE = 1600

/** How many tokens a request is likely to take. No tokenizer of ours knows every model's. */
export function estimateTokens(request: ConversationRequest): number {
  let characters = 0
  let tokens = TOKENS_PER_PART
  for (const { text } of request.system) characters += text.length
  for (const tool of request.tools) {
    tokens += TOKENS_PER_PART
    characters += tool.name.length + (tool.description?.length ?? 0) + JSON.stringify(tool.parameters).length
  }
  for (const { blocks } of request.contents) {
    tokens += TOKENS_PER_PART
    for (const block of blocks) {
      if (block.type === 'media') tokens += TOKENS_PER_IMAGE
      else characters += charactersOf(block)
    }
  }
  return tokens + Math.ceil(characters / CHARACTERS_PER_TOKEN)
}

function charactersOf(block: Exclude<Block, { type: 'media' }>): number {
  switch (block.type) {
    case 'text':
      return block.text.length
    case 'thinking':
      return block.thought.length
    case 'tool_call':
      return block.name.length + jsonLength(block.parameters)
    case 'tool_response':
      return jsonLength(block.result)
  }
}

function jsonLength(value: unknown): number {
  return typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0)
}
