/** The tools that the request declares. `get_weather` is the one that the samples of the formats call. */
export const declaredTools = [
  tool('get_weather', { city: { type: 'string' }, days: { type: 'integer' } }),
  tool('read_file', { path: { type: 'string' } }),
  tool('list', {}),
]

function tool(name: string, properties: object) {
  return { type: 'function', function: { name, parameters: { type: 'object', properties } } }
}
