import type { Block, Content, ToolCallBlock, ToolResponseBlock } from '../../src/conversation.ts'
import type { ToolIdStrategy } from '../../src/ids/strategy.ts'

export function call(id: string, name = 'get_weather'): ToolCallBlock {
  return { type: 'tool_call', id, name, parameters: { city: 'Oslo' } }
}

export function response(callId: string, toolName = 'get_weather'): ToolResponseBlock {
  return { type: 'tool_response', callId, toolName, result: 'rain' }
}

export function ai(...blocks: Block[]): Content {
  return { speaker: 'ai', blocks }
}

export function tool(...blocks: Block[]): Content {
  return { speaker: 'tool', blocks }
}

export function human(text = 'go on'): Content {
  return { speaker: 'human', blocks: [{ type: 'text', text }] }
}

export function toolBlocks(contents: readonly Content[]): (ToolCallBlock | ToolResponseBlock)[] {
  return contents
    .flatMap((content) => content.blocks)
    .filter((block) => block.type === 'tool_call' || block.type === 'tool_response')
}

/** The ids of all calls and responses in the order of the history, asked with the blocks or with copies of them. */
export function mappedIds(
  strategy: ToolIdStrategy,
  contents: readonly Content[],
  ask: 'blocks' | 'copies' = 'blocks',
): string[] {
  const mapper = strategy.createMapper(contents)
  return toolBlocks(contents).map((block) => {
    const asked = ask === 'copies' ? { ...block } : block
    return asked.type === 'tool_call' ? mapper.resolveToolCallId(asked) : mapper.resolveToolResponseId(asked)
  })
}
