import { isJsonObject, type JsonObject, nonEmptyText, wordOf } from '../../../json/objects.ts'

/**
 * What a tool that another server ran has found, in short. A model that goes on with the conversation needs it, and has no
 * other way to learn it. Empty for an item that holds no result.
 */
export function resultTextOf(item: JsonObject): string {
  const found = resultIn(item)
  return found === '' ? '' : `[${wordOf(item['type']).replace(/_call$/, '')}: ${found}]`
}

function resultIn(item: JsonObject): string {
  switch (item['type']) {
    case 'mcp_call':
      return [nonEmptyText(item['name']), nonEmptyText(item['output'] ?? item['error'])]
        .filter((text) => text !== null)
        .join(': ')
    case 'code_interpreter_call':
      return textsIn(item['outputs'], 'logs')
    case 'file_search_call':
      return textsIn(item['results'], 'text')
    default:
      return ''
  }
}

function textsIn(values: unknown, field: string): string {
  if (!Array.isArray(values)) return ''
  return values
    .map((value: unknown) => (isJsonObject(value) ? nonEmptyText(value[field]) : null))
    .filter((text) => text !== null)
    .join('\n')
}
