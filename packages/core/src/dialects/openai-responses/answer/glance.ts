import { type GlancedPart, objectsIn } from '../../../answer/glance.ts'
import { nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { decodeStatus } from '../words.ts'
import { partKindOf, partKindOfEvent } from './parts.ts'

/** An event of a response, or the whole of it. Deltas go before, and what the end of an item says repeats them. */
export function glanceAtResponse(data: JsonObject): readonly GlancedPart[] | null {
  const type = nonEmptyText(data['type']) ?? ''
  if (Array.isArray(data['output'])) return wholeParts(data, type)
  if (!type.startsWith('response.')) return null
  const said = partKindOfEvent(type)
  if (said !== null) {
    const { kind, is } = said
    const text = nonEmptyText(is === 'delta' ? data['delta'] : data[kind.textField])
    const key = textKey(itemKey(data, data['item_id']), kind.list, data[kind.indexField])
    return text === null ? [] : [{ is: kind.says, key, text, adds: is === 'delta' ? 'more' : 'whole' }]
  }
  switch (type) {
    case 'response.output_item.added':
    case 'response.output_item.done': {
      const item = objectIn(data, 'item')
      return itemParts(item, itemKey(data, item['id']))
    }
    case 'response.function_call_arguments.delta':
      return [callPart(itemKey(data, data['item_id']), {}, data['delta'], 'more')]
    case 'response.function_call_arguments.done':
      return [callPart(itemKey(data, data['item_id']), {}, data['arguments'], 'whole')]
    case 'response.completed':
    case 'response.incomplete':
    case 'response.done':
      return wholeParts(objectIn(data, 'response'), type)
    case 'response.failed':
    case 'response.cancelled':
      return [{ is: 'end', reason: 'error' }]
    default:
      return []
  }
}

function wholeParts(response: JsonObject, event: string): GlancedPart[] {
  const items = objectsIn(response['output']).flatMap((item, at) =>
    itemParts(item, itemKey({ output_index: at }, item['id'])),
  )
  return [...items, { is: 'end', reason: decodeStatus(response, event) }]
}

function itemParts(item: JsonObject, key: string): GlancedPart[] {
  if (item['type'] === 'function_call') return [callPart(key, item, item['arguments'], 'whole')]
  return (['summary', 'content'] as const).flatMap((list) =>
    objectsIn(item[list]).flatMap((part, at): GlancedPart[] => {
      const kind = partKindOf(part['type'])
      const text = kind === null ? null : nonEmptyText(part[kind.textField])
      if (kind === null || text === null) return []
      return [{ is: kind.says, key: textKey(key, list, at), text, adds: 'whole' }]
    }),
  )
}

function callPart(key: string, item: JsonObject, given: unknown, adds: 'more' | 'whole'): GlancedPart {
  const json = typeof given === 'string' ? given : given === undefined ? '' : JSON.stringify(given)
  return { is: 'call', key, id: nonEmptyText(item['call_id']), name: nonEmptyText(item['name']), json, adds }
}

/** An item by its place where it is told, and by its id elsewhere: some servers leave out either. */
function itemKey({ output_index: index }: JsonObject, id: unknown): string {
  return typeof index === 'number' ? `item ${index}` : `item ${String(id)}`
}

function textKey(item: string, list: string, index: unknown): string {
  return `${item} ${list} ${typeof index === 'number' ? index : 0}`
}
