import type { Content, ToolCallBlock, ToolResponseBlock } from '../conversation.ts'

/** How one family of upstreams wants its tool ids. */
export interface ToolIdStrategy {
  readonly name: 'standard' | 'kimi' | 'mistral' | 'anthropic'

  /**
   * Gives every call of the history its id in the target's style, and every response the id of its call.
   * The ids depend on the history alone, and turns appended to it never change the ids before them.
   */
  createMapper(contents: readonly Content[]): ToolIdMapper
}

/**
 * Asked with a block of the history itself, it answers for that very block. Asked with a copy, it goes by the
 * id: the k-th question about an id answers for its k-th occurrence, and past the last one for the last.
 * A block that the history does not hold is treated as if it came after it.
 */
export interface ToolIdMapper {
  resolveToolCallId(call: Pick<ToolCallBlock, 'id' | 'name'>): string
  resolveToolResponseId(response: Pick<ToolResponseBlock, 'callId' | 'toolName'>): string
}
