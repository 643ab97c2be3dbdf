/** Building blocks of chat requests. */
export function tool(
  name: string,
  properties: object = {},
  required: readonly string[] = Object.keys(properties),
) {
  return {
    type: 'function',
    function: { name, parameters: { type: 'object', properties, required } },
  } as const
}

export const weather = tool('get_weather', { city: { type: 'string' } })
export const time = tool('get_time', { zone: { type: 'string' } })
export const weatherQuestion = 'What is the weather in Paris?'

export function user(content: string) {
  return { role: 'user', content }
}

/** An assistant message with calls. Each is `[id, name, arguments]`. */
export function calling(
  calls: readonly (readonly [id: string, name: string, json?: string])[],
  more: object = {},
) {
  return {
    role: 'assistant',
    content: null,
    tool_calls: calls.map(([id, name, json = '{}']) => ({
      id,
      type: 'function',
      function: { name, arguments: json },
    })),
    ...more,
  }
}

export function result(id: string, content = 'done') {
  return { role: 'tool', tool_call_id: id, content }
}

export function request(content: string, tools: readonly unknown[] = [weather], more: object = {}) {
  return { model: 'kimi-k2', messages: [user(content)], tools, ...more }
}
