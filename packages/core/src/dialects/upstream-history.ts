import type { Block, Content } from '../conversation.ts'
import { getToolIdStrategy } from '../ids/strategies.ts'
import type { ToolIdMapper } from '../ids/strategy.ts'
import { alternatesTurns } from './alternate-turns.ts'
import { repairHistory, type MessagesInARow } from './history-repair.ts'
import { reasoningAsText, reasoningFate } from './reasoning-policy.ts'
import type { Notes } from './request-notes.ts'
import type { RequestTarget } from './request-target.ts'
import type { ToolNames } from './tool-names.ts'
import { writtenIn, type RequestDialect, type Written } from './written-form.ts'

export interface UpstreamHistory {
  readonly contents: readonly Content[]
  readonly ids: ToolIdMapper
}

/** The history as this upstream may see it, repaired, with its ids. */
export function upstreamHistory(
  contents: readonly Content[],
  target: RequestTarget,
  dialect: RequestDialect,
  names: ToolNames,
  notes: Notes,
): UpstreamHistory {
  const visible = contents.map((content) => ({
    ...content,
    blocks: content.blocks.flatMap((block) => visibleBlock(block, target, dialect, names, notes)),
  }))
  const repaired = repairHistory(visible, notes, messagesInARow(visible, target, dialect, notes))
  return { contents: repaired, ids: getToolIdStrategy(target.format).createMapper(repaired) }
}

/** Where the dialect is the same, messages stay what they are, but for templates that refuse them in a row. */
function messagesInARow(
  contents: readonly Content[],
  { sameDialect, format }: RequestTarget,
  dialect: RequestDialect,
  notes: Notes,
): MessagesInARow {
  if (sameDialect !== true || dialect !== 'openai-chat') return 'join'
  if (!alternatesTurns(format)) return 'keep'
  const isJoined = contents.some(
    ({ speaker }, at) => speaker !== 'tool' && speaker === contents[at - 1]?.speaker,
  )
  if (isJoined) notes.changed('messages', 'Messages of one role in a row became one.')
  return 'join'
}

function visibleBlock(
  block: Block & Written,
  target: RequestTarget,
  dialect: RequestDialect,
  names: ToolNames,
  notes: Notes,
): Block[] {
  switch (block.type) {
    case 'text': {
      if (block.text !== '') return [block]
      if (target.sameDialect === true && writtenIn(block, dialect) !== undefined) return [block]
      const type = block.written?.value['type']
      if (typeof type === 'string' && type !== 'text') {
        notes.dropped('messages', `A block of type ${type} means nothing to the upstream.`)
      }
      return []
    }
    case 'thinking': {
      const fate = reasoningFate(block, target, dialect)
      if (fate === 'native') return [block]
      const reason = 'Reasoning of another family of models, or without its proof, is not for this upstream.'
      if (fate === 'drop') notes.dropped('messages', reason)
      else notes.changed('messages', `${reason} It became text.`)
      return fate === 'text' ? [reasoningAsText(block.thought)] : []
    }
    case 'tool_call':
      return [{ ...block, name: names.toUpstream(block.name) }]
    case 'tool_response':
      return [{ ...block, toolName: block.toolName === '' ? '' : names.toUpstream(block.toolName) }]
    case 'media':
      return [block]
  }
}
