import type { Content } from '../conversation.ts'
import { historyPrefix, isLegalId, rawHistoryPrefix } from './legal-id.ts'
import { createToolIdMapper } from './mapper.ts'
import { UniqueIds } from './unique-ids.ts'

/**
 * The contents with ids that belong to no provider: `call_x` and `toolu_x` become `hist_tool_x`, and no two calls
 * share an id, although a model may have numbered them anew in each answer. Written in the dialect that they came in,
 * legal ids are what they were.
 */
export function withHistoryIds(contents: readonly Content[], ownPrefix: string): Content[] {
  const unique = new UniqueIds(historyPrefix)
  const ids = createToolIdMapper(contents, (id) => unique.take(id, historyIdOf(id, ownPrefix)))
  return contents.map((content) => ({
    ...content,
    blocks: content.blocks.map((block) => {
      if (block.type === 'tool_call') return { ...block, id: ids.resolveToolCallId(block) }
      if (block.type === 'tool_response') return { ...block, callId: ids.resolveToolResponseId(block) }
      return block
    }),
  }))
}

/** Null for an illegal id: no target takes it, so nothing of it has to be kept. */
function historyIdOf(id: string, ownPrefix: string): string | null {
  if (id.startsWith(historyPrefix)) return id
  if (!isLegalId(id)) return null
  const rest = id.startsWith(ownPrefix) ? id.slice(ownPrefix.length) : ''
  // An id without the prefix gets the mark `raw_`. So does one whose rest begins with this mark by chance: on the way
  // back the mark is taken off, and with it the id would lose its prefix.
  return rest === '' || rest.startsWith('raw_') ? rawHistoryPrefix + id : historyPrefix + rest
}
