import type { Content } from '../conversation.ts'
import { familyOfId } from '../formats/template.ts'
import { historyPrefix, isLegalId, rawHistoryPrefix } from './legal-id.ts'
import { createToolIdMapper } from './mapper.ts'
import { tagOf } from './mint.ts'
import { UniqueIds } from './unique-ids.ts'

/**
 * The contents with ids that belong to no provider: `call_x` and `toolu_x` become `hist_tool_x`, and no two calls
 * share an id, although a model may have numbered them anew in each answer. Towards the dialect they came from,
 * legal ids are what they were.
 */
export function withHistoryIds(contents: readonly Content[], ownPrefix: string): Content[] {
  const unique = new UniqueIds(historyPrefix)
  const ids = createToolIdMapper(contents, (id) =>
    unique.take(id, historyIdOf(id, ownPrefix), newPrefixFor(id)),
  )
  return contents.map((content) => ({
    ...content,
    blocks: content.blocks.map((block) => {
      if (block.type === 'tool_call') return { ...block, id: ids.resolveToolCallId(block) }
      if (block.type === 'tool_response') return { ...block, callId: ids.resolveToolResponseId(block) }
      return block
    }),
  }))
}

/** An illegal id becomes another. If it proves a family of models, the other one tells it. */
function newPrefixFor(id: string): string {
  const family = isLegalId(id) ? null : familyOfId(id)
  return family === null ? historyPrefix : `${historyPrefix}${tagOf(family)}_`
}

/** Null where nothing has to be kept: no target takes an illegal id. */
function historyIdOf(id: string, ownPrefix: string): string | null {
  if (id.startsWith(historyPrefix)) return id
  if (!isLegalId(id)) return null
  const rest = id.startsWith(ownPrefix) ? id.slice(ownPrefix.length) : ''
  // Without its prefix `call_raw_x` would look like the mark for a raw `x`, and come back as that: it is marked as a whole.
  return rest === '' || rest.startsWith('raw_') ? rawHistoryPrefix + id : historyPrefix + rest
}
