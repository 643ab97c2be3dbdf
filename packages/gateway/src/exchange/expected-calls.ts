import type { ConversationRequest, ParserOptions, ToolNames } from '@dragoman/core'

/**
 * Which calls an answer may hold: those of the offered tools, under the names that the upstream knows. Without
 * `names` these are the names of the client.
 */
export function expectedCalls(
  { tools, toolChoice }: ConversationRequest,
  names: ToolNames | undefined,
): Pick<ParserOptions, 'calls' | 'tools'> {
  // When calls are only removed, the names of tools are left out: then the parser removes only what is certainly a
  // call.
  if (toolChoice?.type === 'none' && tools.length > 0) return { calls: 'remove', tools: undefined }
  return {
    calls: 'read',
    tools: tools.map(({ name, parameters }) => ({ name: names?.toUpstream(name) ?? name, parameters })),
  }
}
