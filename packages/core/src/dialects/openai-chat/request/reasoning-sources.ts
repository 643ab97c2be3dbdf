import type { Content, ThinkingBlock } from '../../../conversation.ts'
import type { FormatId } from '../../../formats/format-id.ts'
import { templateOf } from '../../../formats/template.ts'
import { formatTagOf } from '../../../ids/mint.ts'
import { makeSignature } from '../../../request/reasoning-signature.ts'
import { originalIn } from '../../../request/original.ts'

/**
 * The dialect has no signatures, but the ids that we gave the calls beside the reasoning say which family wrote both.
 * Only ids of calls that prove their family count: reasoning that is taken from the model that wrote it is a worse loss
 * than reasoning that another one reads.
 */
export function withReasoningSources(contents: readonly Content[]): Content[] {
  let family: FormatId | null = null
  return contents.map((content) => {
    if (content.speaker === 'human') family = null
    if (content.speaker !== 'ai') return content
    const calls = content.blocks.filter((block) => block.type === 'tool_call')
    if (calls.length > 0) family = familyOf(calls.map(({ id }) => id))
    const source = family
    if (source === null) return content
    return {
      ...content,
      blocks: content.blocks.map((block) => (block.type === 'thinking' ? signed(block, source) : block)),
    }
  })
}

function familyOf(ids: readonly string[]): FormatId | null {
  for (const id of ids) {
    const tag = formatTagOf(id)
    if (tag !== null && tag !== 'std' && templateOf(tag).callsProveFamily) return tag
  }
  return null
}

function signed(block: ThinkingBlock, format: FormatId): ThinkingBlock {
  const [field = 'reasoning_content'] = Object.keys(originalIn(block, 'openai-chat') ?? {})
  return { ...block, signature: makeSignature({ format, field, model: '' }) }
}
