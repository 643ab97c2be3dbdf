import type { Block, Content, ToolResponseBlock } from '../../../conversation.ts'
import type { ToolIdMapper } from '../../../ids/strategy.ts'
import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import { notUnderstood, type Notes } from '../../../request/notes.ts'
import type { AnthropicTarget } from '../../../request/target.ts'
import { shortBeginning } from '../../../request/history-repair.ts'
import { resultBlocks } from '../../../request/tool-result.ts'
import type { UpstreamHistory } from '../../../request/upstream-history.ts'
import { originalFor, originalIn } from '../../../request/original.ts'
import { encodeMedia } from './encode-media.ts'

/** Results and what the user says after them are one message; every message has another role than the one before. */
export function encodeMessages(
  { contents, ids }: UpstreamHistory,
  target: AnthropicTarget,
  notes: Notes,
): JsonObject[] {
  const encoder = new BlockEncoder(ids, target, notes)
  const messages: OpenMessage[] = []
  if (contents[0]?.speaker !== 'human') {
    messages.push({ ...shortBeginning(notes), fields: [] })
  }
  for (const content of contents) {
    noteResultFields(content, notes)
    const role = content.speaker === 'ai' ? 'assistant' : 'user'
    const fields = otherFields(content, target, notes)
    const last = messages.at(-1)
    if (last?.role === role) {
      last.content = [...blocksOf(last), ...encoder.encodeAll(content)]
      last.fields.push(...fields)
    } else if (content.blocks.length > 0) {
      messages.push({ role, content: plainText(content, target) ?? encoder.encodeAll(content), fields })
    }
  }
  return messages.map(closed)
}

interface OpenMessage {
  readonly role: 'user' | 'assistant'
  content: string | JsonObject[]
  readonly fields: [field: string, value: unknown][]
}

function blocksOf({ content }: OpenMessage): JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function closed({ role, content, fields }: OpenMessage): JsonObject {
  return fields.length === 0 ? { role, content } : { role, content, ...Object.fromEntries(fields) }
}

/** A text alone, unless the client wrote it in a block. */
function plainText({ blocks }: Content, target: AnthropicTarget): string | undefined {
  const [only] = blocks
  if (blocks.length !== 1 || only?.type !== 'text') return undefined
  return originalFor(target, only, 'anthropic-messages') === undefined ? only.text : undefined
}

/** What a message of this dialect says beside its content. */
function otherFields(
  content: Content,
  { allowedFields }: AnthropicTarget,
  notes: Notes,
): [field: string, value: unknown][] {
  return Object.entries(originalIn(content, 'anthropic-messages') ?? {}).filter(([field]) => {
    const isAllowed = allowedFields?.includes(field) !== false
    if (!isAllowed) notes.dropped(`messages.${field}`, notUnderstood)
    return isAllowed
  })
}

/** What a tool message of the chat dialect said beside its content. The name of a tool is known without it. */
function noteResultFields({ speaker, blocks }: Content, notes: Notes): void {
  if (speaker !== 'tool') return
  for (const block of blocks) {
    for (const field of Object.keys(originalIn(block, 'openai-chat') ?? {})) {
      if (field !== 'name') notes.dropped(`messages.${field}`, 'It has no place in the history.')
    }
  }
}

class BlockEncoder {
  readonly #ids: ToolIdMapper
  readonly #target: AnthropicTarget
  readonly #notes: Notes

  constructor(ids: ToolIdMapper, target: AnthropicTarget, notes: Notes) {
    this.#ids = ids
    this.#target = target
    this.#notes = notes
  }

  encodeAll({ blocks }: Content): JsonObject[] {
    return blocks.map((block) => this.#encode(block))
  }

  #encode(block: Block): JsonObject {
    const original = originalFor(this.#target, block, 'anthropic-messages')
    switch (block.type) {
      case 'text':
        return original ?? { type: 'text', text: block.text }
      case 'thinking':
        return (
          originalIn(block, 'anthropic-messages') ?? {
            type: 'thinking',
            thinking: block.thought,
            signature: block.signature ?? '',
          }
        )
      case 'tool_call': {
        const { name, parameters } = block
        const input = isJsonObject(parameters) ? parameters : {}
        return { ...original, type: 'tool_use', id: this.#ids.resolveToolCallId(block), name, input }
      }
      case 'tool_response': {
        const id = this.#ids.resolveToolResponseId(block)
        return original === undefined ? this.#result(block, id) : { ...original, tool_use_id: id }
      }
      case 'media':
        return original ?? encodeMedia(block, this.#target, this.#notes)
    }
  }

  #result(response: ToolResponseBlock, id: string): JsonObject {
    const { result, isError } = response
    return {
      type: 'tool_result',
      tool_use_id: id,
      content:
        typeof result === 'string'
          ? result
          : resultBlocks(result)
              .filter((block) => block.type !== 'text' || block.text !== '')
              .map((block) => this.#encode(block)),
      ...(isError === undefined ? {} : { is_error: isError }),
    }
  }
}
