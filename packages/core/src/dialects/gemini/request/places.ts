import type { ToolCallBlock, ToolResponseBlock } from '../../../conversation.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import type { MessagePlaces } from '../../dialect.ts'

/** `id` of `functionCall` and `functionResponse`, as far as a client sends any: what has none goes by its place. */
export const contentPlaces: MessagePlaces = {
  field: 'contents',

  isOfModel: (content) => isJsonObject(content) && content['role'] === 'model',

  blocksIn: (content) => partsOf(content).flatMap(toolBlock),

  withIds(content, ids) {
    if (!isJsonObject(content)) return content
    const rest = [...ids]
    const parts = partsOf(content).map((part) =>
      toolBlock(part).length === 0 ? part : withId(part, rest.shift()),
    )
    return { ...content, parts }
  },

  /** Servers of the dialect sign what a model thought: nobody else can make any. */
  withReasoning: (content) => content,
}

function partsOf(content: unknown): readonly unknown[] {
  const parts = isJsonObject(content) ? content['parts'] : undefined
  return Array.isArray(parts) ? parts : []
}

const kinds = ['functionCall', 'functionResponse'] as const

function namedIn(part: unknown): readonly [kind: (typeof kinds)[number], named: JsonObject] | null {
  for (const kind of kinds) {
    const named = isJsonObject(part) ? part[kind] : undefined
    if (isJsonObject(named)) return [kind, named]
  }
  return null
}

function toolBlock(part: unknown): (ToolCallBlock | ToolResponseBlock)[] {
  const [kind, named] = namedIn(part) ?? []
  const id = nonEmptyText(named?.['id'])
  const name = nonEmptyText(named?.['name']) ?? ''
  if (kind === undefined || id === null) return []
  return kind === 'functionCall'
    ? [{ type: 'tool_call', id, name, parameters: null }]
    : [{ type: 'tool_response', callId: id, toolName: name, result: null }]
}

function withId(part: unknown, id: string | undefined): unknown {
  const [kind, named] = namedIn(part) ?? []
  return isJsonObject(part) && kind !== undefined ? { ...part, [kind]: { ...named, id } } : part
}
