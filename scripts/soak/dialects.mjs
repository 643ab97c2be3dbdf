// The requests of the four kinds of clients, small and large, and how each of them knows the end of an answer.

const schema = {
  type: 'object',
  properties: { place: { type: 'string', description: 'A town or a region' } },
  required: ['place'],
}
const sentence =
  'The "quick" fox looks at line 17,\nand finds that it is <b>fine</b>: nobody has to mend it. '
const model = 'soak'

/** `[soak pieces=50 pause=200]`: what the upstream is to do. */
function directive(script) {
  return `[soak ${Object.entries(script)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}]`
}

/**
 * One of each: `request` makes one with these messages and tools. `end` is what an answer that is whole ends with, `call`
 * is in one with a call.
 */
export const dialects = {
  'openai-chat': {
    path: '/v1/chat/completions',
    end: /\[DONE\]\n\n$/,
    call: '"finish_reason":"tool_calls"',
    text: (text) => ({ type: 'text', text }),
    image: (data) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }),
    user: (parts) => [{ role: 'user', content: parts }],
    callAndResult: (id, text, result) => [
      {
        role: 'assistant',
        content: text,
        tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{"place":"Paris"}' } }],
      },
      { role: 'tool', tool_call_id: id, content: result },
    ],
    assistant: (text) => [{ role: 'assistant', content: text }],
    tool: (name, description) => ({ type: 'function', function: { name, description, parameters: schema } }),
    request: (messages, tools) => ({ model, stream: true, messages, tools }),
  },
  'anthropic-messages': {
    path: '/v1/messages',
    end: /"message_stop"\}\n\n$/,
    call: '"stop_reason":"tool_use"',
    text: (text) => ({ type: 'text', text }),
    image: (data) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }),
    user: (parts) => [{ role: 'user', content: parts }],
    callAndResult: (id, text, result) => [
      {
        role: 'assistant',
        content: [
          { type: 'text', text },
          { type: 'tool_use', id, name: 'look', input: { place: 'Paris' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
    ],
    assistant: (text) => [{ role: 'assistant', content: [{ type: 'text', text }] }],
    tool: (name, description) => ({ name, description, input_schema: schema }),
    request: (messages, tools) => ({ model, stream: true, max_tokens: 1000, messages, tools }),
  },
  'openai-responses': {
    path: '/v1/responses',
    end: /"type":"response\.completed"[^\n]*\n\ndata: \[DONE\]\n\n$/,
    call: '"type":"function_call"',
    text: (text) => ({ type: 'input_text', text }),
    image: (data) => ({ type: 'input_image', image_url: `data:image/png;base64,${data}` }),
    user: (content) => [{ type: 'message', role: 'user', content }],
    callAndResult: (id, text, result) => [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
      { type: 'function_call', call_id: id, name: 'look', arguments: '{"place":"Paris"}' },
      { type: 'function_call_output', call_id: id, output: result },
    ],
    assistant: (text) => [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
    tool: (name, description) => ({ type: 'function', name, description, parameters: schema, strict: false }),
    request: (input, tools) => ({ model, stream: true, store: false, input, tools }),
  },
  gemini: {
    path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    end: /"finishReason":"STOP"[^\n]*\r?\n\r?\n$/,
    call: '"functionCall"',
    text: (text) => ({ text }),
    image: (data) => ({ inlineData: { mimeType: 'image/png', data } }),
    user: (parts) => [{ role: 'user', parts }],
    callAndResult: (_id, text, result) => [
      { role: 'model', parts: [{ text }, { functionCall: { name: 'look', args: { place: 'Paris' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'look', response: { result } } }] },
    ],
    assistant: (text) => [{ role: 'model', parts: [{ text }] }],
    tool: (name, description) => ({ name, description, parameters: schema }),
    request: (contents, tools) => ({ contents, tools: [{ functionDeclarations: tools }] }),
  },
}

export const dialectNames = Object.keys(dialects)

/** A question with one tool. */
export function smallRequest(name, script) {
  const dialect = dialects[name]
  const asked = dialect.user([dialect.text(`Where is it? ${directive(script)}`)])
  return JSON.stringify(dialect.request(asked, [dialect.tool('look', 'Looks at a place.')]))
}

/** A conversation of this many messages, with a call and its result among every four. */
export function longRequest(name, script, { messages, characters = 300, tools = 20 }) {
  const dialect = dialects[name]
  const said = sentence.repeat(Math.ceil(characters / sentence.length)).slice(0, characters)
  const history = Array.from({ length: messages / 4 }, (_, at) => [
    ...dialect.user([dialect.text(`${at}: ${said}`)]),
    ...dialect.callAndResult(`call_${at}`, said, said),
    ...dialect.assistant(said),
  ])
  const question = dialect.user([dialect.text(`And now? ${directive(script)}`)])
  return JSON.stringify(dialect.request([...history.flat(), ...question], manyTools(dialect, tools)))
}

/** Pictures that make up this many bytes, and a question about them. */
export function pictureRequest(name, script, { bytes, pictures }) {
  const dialect = dialects[name]
  const images = Array.from({ length: pictures }, (_, at) => dialect.image(base64(bytes / pictures, at)))
  const asked = dialect.user([...images, dialect.text(`What is on them? ${directive(script)}`)])
  return JSON.stringify(dialect.request(asked, manyTools(dialect, 20)))
}

function manyTools(dialect, count) {
  const tools = Array.from({ length: count - 1 }, (_, at) => dialect.tool(`tool_${at}`, `${sentence}${at}`))
  return [dialect.tool('look', 'Looks at a place.'), ...tools]
}

/** Letters as a picture has them: no two pictures are the same. */
function base64(length, seed) {
  const bytes = Buffer.alloc(Math.floor((length * 3) / 4 / 3) * 3)
  let state = seed + 1
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes.writeUInt32LE(state, at)
  }
  return bytes.toString('base64')
}
