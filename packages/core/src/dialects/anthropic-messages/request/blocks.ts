import type {
  Block,
  Content,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResponseBlock,
} from '../../../conversation.ts'
import type { ToolIdMapper } from '../../../ids/strategy.ts'
import {
  anyText,
  hasOnly,
  InvalidField,
  optionalText,
  requiredObject,
  requiredText,
} from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../json/objects.ts'
import type { Tool } from '../../../request/conversation-request.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalElsewhere, originalFor, originalIn, withOriginal } from '../../../request/original.ts'
import { cameUnsigned } from '../../../request/reasoning-policy.ts'
import { isMadeHere } from '../../../request/reasoning-signature.ts'
import type { AnthropicTarget } from '../../../request/target.ts'
import { resultBlocks, type ResultBlock } from '../../../request/tool-result.ts'
import { decodeDocument, decodeImage, decodeSearchResult, encodeMedia } from './media.ts'

/** Reads content blocks. It knows the tools, because a result may refer to one by its name alone. */
export class BlockDecoder {
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #notes: Notes

  constructor(tools: readonly Tool[], notes: Notes) {
    this.#notes = notes
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]))
  }

  decodeAll(content: unknown, role: 'user' | 'assistant', path: string): Block[] {
    if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
    if (!Array.isArray(content)) {
      throw new InvalidField(path, 'must be a string or an array of content blocks')
    }
    const [only] = content
    // A text in a block and the text alone decode to the same. The original is kept to tell them apart.
    if (content.length === 1 && isJsonObject(only) && only['type'] === 'text') {
      const block = text(only, `${path}[0]`)
      return block.text === '' ? [] : [withOriginal(block, dialect, only)]
    }
    return content
      .map((value: unknown, at) =>
        this.#decode(requiredObject(value, `${path}[${at}]`), role, `${path}[${at}]`),
      )
      .filter((block) => block.type !== 'text' || block.text !== '' || 'original' in block)
  }

  #decode(block: JsonObject, role: 'user' | 'assistant', path: string): Block {
    switch (block['type']) {
      case 'thinking':
        return thinking(block, path)
      case 'redacted_thinking':
        return withOriginal(
          { type: 'thinking', thought: '', signature: requiredText(block, 'data', `${path}.`) },
          dialect,
          block,
        )
      case 'tool_use':
        if (role === 'assistant') return toolCall(block, path, this.#notes)
        throw new InvalidField(path, 'a user message cannot call a tool')
      case 'tool_result':
        if (role === 'user') return this.#toolResponse(block, path)
        throw new InvalidField(path, 'an assistant message cannot hold a tool result')
      default:
        return this.#decodeShown(block, path)
    }
  }

  /** The blocks that may also stand in a tool result. */
  #decodeShown(block: JsonObject, path: string): ResultBlock {
    switch (block['type']) {
      case 'text':
        return text(block, path)
      case 'image':
        return decodeImage(block) ?? unknownElsewhere(block)
      case 'document':
        return decodeDocument(block) ?? unknownElsewhere(block)
      case 'search_result':
        return withOriginal(decodeSearchResult(block), dialect, block)
      case 'tool_reference':
        return withOriginal(this.#toolReference(block, path), dialect, block)
      case 'compaction': {
        const summary = block['content']
        return typeof summary === 'string'
          ? withOriginal({ type: 'text', text: summary }, dialect, block)
          : unknownElsewhere(block)
      }
      default:
        return unknownElsewhere(block)
    }
  }

  #toolResponse(block: JsonObject, path: string): ToolResponseBlock {
    const { is_error: isError, content } = block
    const response: ToolResponseBlock = {
      type: 'tool_response',
      callId: requiredText(block, 'tool_use_id', `${path}.`),
      toolName: '',
      result: this.#result(content, `${path}.content`),
      ...(typeof isError === 'boolean' ? { isError } : {}),
    }
    const isPlain =
      typeof content === 'string' &&
      (isError === undefined || typeof isError === 'boolean') &&
      hasOnly(block, resultFields)
    return isPlain ? response : withOriginal(response, dialect, block)
  }

  #result(content: unknown, path: string): string | ResultBlock[] {
    if (content === undefined || content === null) return ''
    if (typeof content === 'string') return content
    const items: unknown[] = Array.isArray(content) ? content : [content]
    return items.map((item, at) => {
      if (isJsonObject(item) && typeof item['type'] === 'string') {
        return this.#decodeShown(item, `${path}[${at}]`)
      }
      // The dialect has no such content, but it is what the tool returned. As JSON the model can read it.
      return { type: 'text', text: typeof item === 'string' ? item : JSON.stringify(item) }
    })
  }

  /** Other models do not know references. They get the definition of the tool to read. */
  #toolReference(block: JsonObject, path: string): TextBlock {
    const name = requiredText(block, 'tool_name', `${path}.`)
    const tool = this.#tools.get(name)
    if (tool === undefined) return { type: 'text', text: `The tool ${name} was found.` }
    const about = tool.description === undefined ? '' : ` ${tool.description}`
    return {
      type: 'text',
      text: `The tool ${name} can be called now.${about}\nIts arguments, as JSON Schema: ${JSON.stringify(tool.parameters)}`,
    }
  }
}

const dialect = 'anthropic-messages'
const textFields = new Set(['type', 'text'])
const thinkingFields = new Set(['type', 'thinking', 'signature'])
const callFields = new Set(['type', 'id', 'name', 'input'])
const resultFields = new Set(['type', 'tool_use_id', 'content', 'is_error'])

function text(block: JsonObject, path: string): TextBlock {
  const value = anyText(block['text'], `${path}.text`)
  const decoded: TextBlock = { type: 'text', text: value }
  const isPlain = value === '' || hasOnly(block, textFields)
  return isPlain ? decoded : withOriginal(decoded, dialect, block)
}

function thinking(block: JsonObject, path: string): Block {
  const { signature } = block
  const decoded: Block = {
    type: 'thinking',
    thought: anyText(block['thinking'], `${path}.thinking`),
    ...(typeof signature === 'string' ? { signature } : {}),
  }
  const isPlain = typeof signature === 'string' && hasOnly(block, thinkingFields)
  return isPlain ? decoded : withOriginal(decoded, dialect, block)
}

function toolCall(block: JsonObject, path: string, notes: Notes): ToolCallBlock {
  const { id, input } = block
  if (input === undefined || input === null || input === '')
    notes.changed(`${path}.input`, 'It is empty; {} stands for it.')
  const call: ToolCallBlock = {
    type: 'tool_call',
    id: typeof id === 'string' ? id : '',
    name: optionalText(block, 'name', `${path}.`) ?? '',
    parameters: parametersOf(input),
  }
  const isPlain = hasOnly(block, callFields)
  return isPlain ? call : withOriginal(call, dialect, block)
}

/** Some clients encode the input twice, and send it as a text. */
function parametersOf(input: unknown): JsonObject {
  if (isJsonObject(input)) return input
  if (input === undefined || input === null || input === '') return {}
  const parsed = typeof input === 'string' ? parseJson(input) : undefined
  return isJsonObject(parsed) ? parsed : { input }
}

/** The block means something to Anthropic alone. Its text is empty, so that no other dialect is sent any of it. */
function unknownElsewhere(block: JsonObject): TextBlock {
  return withOriginal({ type: 'text', text: '' }, dialect, block)
}

/**
 * Reasoning that came unsigned goes back unsigned: the signature that tells so is for us alone. So is one that was made
 * for a client whose dialect has none.
 */
function thinkingBlock(block: ThinkingBlock): JsonObject {
  const { thought, signature = '' } = block
  const original = originalIn(block, dialect)
  const isMadeUp = isMadeHere(signature) && originalElsewhere(block, dialect) !== undefined
  const isSigned = !cameUnsigned(signature) && !isMadeUp
  if (isSigned) return original ?? { type: 'thinking', thinking: thought, signature }
  return { ...original, type: 'thinking', thinking: thought, signature: '' }
}

/** Writes content blocks, with the ids that the upstream is to see. */
export class BlockEncoder {
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
        return thinkingBlock(block)
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
