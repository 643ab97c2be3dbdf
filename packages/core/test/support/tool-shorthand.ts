import { isRecord } from './is-record.ts'

/**
 * `{"get_weather": {"city": "string"}}` as OpenAI tool definitions. A property is a type (`"string"`), several
 * (`"string|null"`) or a schema of its own; an array is taken to be written out in full already.
 */
export function expandTools(tools: unknown): unknown[] {
  if (Array.isArray(tools)) return tools
  if (!isRecord(tools)) throw new Error('tools: an object of names or an array of definitions')
  return Object.entries(tools).map(([name, properties]) => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties: expandProperties(properties) } },
  }))
}

function expandProperties(properties: unknown): Record<string, unknown> {
  if (!isRecord(properties)) throw new Error('tools: the properties of a tool are an object')
  return Object.fromEntries(Object.entries(properties).map(([key, type]) => [key, expandType(type)]))
}

function expandType(type: unknown): unknown {
  if (typeof type !== 'string') return type
  const types = type.split('|')
  return { type: types.length === 1 ? type : types }
}
