import type { Block, Content, ToolResponseBlock } from '../../conversation.ts'
import type { ToolIdMapper } from '../../ids/strategy.ts'
import { isJsonObject, type JsonObject } from '../json-object.ts'
import type { Notes } from '../request-notes.ts'
import type { AnthropicTarget } from '../request-target.ts'
import { resultBlocks } from '../tool-result.ts'
import type { UpstreamHistory } from '../upstream-history.ts'
import { writtenIn, type Written } from '../written-form.ts'
import { encodeMedia } from './request-encode-media.ts'

/** Results and what the user says after them are one message; every message has another role than the one before. */
export function encodeMessages(
  { contents, ids }: UpstreamHistory,
  target: AnthropicTarget,
  notes: Notes,
): JsonObject[] {
  const encoder = new BlockEncoder(ids, target, notes)
  const messages: { role: 'user' | 'assistant'; content: JsonObject[] }[] = []
  if (contents[0]?.speaker !== 'human') {
    notes.changed(
      'messages',
      'The conversation has to begin with the user; a short message was put in front.',
    )
    messages.push({ role: 'user', content: [{ type: 'text', text: beginning }] })
  }
  for (const content of contents) {
    noteOtherFields(content, notes)
    const role = content.speaker === 'ai' ? 'assistant' : 'user'
    const blocks = encoder.encodeAll(content)
    const last = messages.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else messages.push({ role, content: blocks })
  }
  return messages.map(({ role, content }) => ({ role, content: plainText(content) ?? content }))
}

const beginning = 'Go on.'

/** What a message of the chat dialect said beside its content. The name of a tool is known without it. */
function noteOtherFields(content: Content & Written, notes: Notes): void {
  const results: readonly (Block & Written)[] = content.blocks.filter(({ type }) => type === 'tool_response')
  const fields = [content, ...results].flatMap((thing) => Object.keys(writtenIn(thing, 'openai-chat') ?? {}))
  for (const field of fields) {
    if (content.speaker === 'tool' && field === 'name') continue
    notes.dropped(`messages.${field}`, 'It has no place in the history.')
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

  encodeAll(content: Content): JsonObject[] {
    return content.blocks.map((block) => this.#encode(block))
  }

  #encode(block: Block & Written): JsonObject {
    const written = this.#target.sameDialect === true ? writtenIn(block, 'anthropic-messages') : undefined
    switch (block.type) {
      case 'text':
        return written ?? { type: 'text', text: block.text }
      case 'thinking':
        return (
          writtenIn(block, 'anthropic-messages') ?? {
            type: 'thinking',
            thinking: block.thought,
            signature: block.signature ?? '',
          }
        )
      case 'tool_call': {
        const { name, parameters } = block
        const input = isJsonObject(parameters) ? parameters : {}
        return { ...written, type: 'tool_use', id: this.#ids.resolveToolCallId(block), name, input }
      }
      case 'tool_response': {
        const id = this.#ids.resolveToolResponseId(block)
        return written === undefined ? this.#result(block, id) : { ...written, tool_use_id: id }
      }
      case 'media':
        return written ?? encodeMedia(block, this.#target, this.#notes)
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

function plainText(content: readonly JsonObject[]): unknown {
  const [only] = content
  const isPlain = content.length === 1 && only?.['type'] === 'text' && Object.keys(only).length === 2
  return isPlain ? only['text'] : undefined
}
