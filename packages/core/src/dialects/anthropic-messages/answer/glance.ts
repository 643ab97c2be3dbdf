import { type GlancedPart, objectsIn } from '../../../answer/glance.ts'
import { nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { decodeStopReason } from '../words.ts'

/** An event of a message, or the whole of it. */
export function glanceAtMessage(data: JsonObject): readonly GlancedPart[] | null {
  const key = `block ${String(data['index'])}`
  switch (data['type']) {
    case 'message_start':
      return glanceAtMessage(objectIn(data, 'message'))
    case 'content_block_start':
      return blockParts(objectIn(data, 'content_block'), key)
    case 'content_block_delta':
      return deltaParts(objectIn(data, 'delta'), key)
    case 'message_delta':
      return endOf(objectIn(data, 'delta'))
    case 'content_block_stop':
    case 'message_stop':
    case 'ping':
      return []
    default:
  }
  if (!Array.isArray(data['content'])) return null
  const blocks = objectsIn(data['content']).flatMap((block, at) => blockParts(block, `block ${at}`))
  return [...blocks, ...endOf(data)]
}

function blockParts(block: JsonObject, key: string): GlancedPart[] {
  const { type, input } = block
  if (type === 'text') return textPart('text', key, block['text'])
  if (type === 'thinking') return textPart('reasoning', key, block['thinking'])
  if (type !== 'tool_use') return []
  const [id, name] = [nonEmptyText(block['id']), nonEmptyText(block['name'])]
  // The input of a start is empty where deltas follow.
  const given = JSON.stringify(input ?? {})
  return [{ is: 'call', key, id, name, json: given === '{}' ? '' : given, adds: 'more' }]
}

function deltaParts(delta: JsonObject, key: string): GlancedPart[] {
  const json = nonEmptyText(delta['partial_json'])
  return [
    ...textPart('text', key, delta['text']),
    ...textPart('reasoning', key, delta['thinking']),
    ...(json === null
      ? []
      : [{ is: 'call', key, id: null, name: null, json, adds: 'more' } satisfies GlancedPart]),
  ]
}

function textPart(is: 'text' | 'reasoning', key: string, value: unknown): GlancedPart[] {
  const text = nonEmptyText(value)
  return text === null ? [] : [{ is, key, text, adds: 'more' }]
}

function endOf({ stop_reason: reason }: JsonObject): GlancedPart[] {
  const word = nonEmptyText(reason)
  return word === null ? [] : [{ is: 'end', reason: decodeStopReason(word) }]
}
