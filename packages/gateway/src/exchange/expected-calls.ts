import type { ConversationRequest, ParserOptions, ToolNames } from '@dragoman/core'

/**
 * Which calls an answer may hold: those of the tools that were offered, by the names that the upstream was told. Without
 * `names` it was told the client's own.
 */
export function expectedCalls(
  { tools, toolChoice }: ConversationRequest,
  names: ToolNames | undefined,
): Pick<ParserOptions, 'calls' | 'tools'> {
  // Without their names only what is surely a call is taken for one, and nothing else is taken out.
  if (toolChoice?.type === 'none' && tools.length > 0) return { calls: 'remove', tools: undefined }
  return {
    calls: 'read',
    tools: tools.map(({ name, parameters }) => ({ name: names?.toUpstream(name) ?? name, parameters })),
  }
}
