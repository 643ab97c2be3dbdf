import { jsonInTags, toolAsJson, type PromptFormat } from './prompt-format.ts'

/** JSON between tags, as Hermes and Qwen were trained on it. */
export const hermesPrompt: PromptFormat = {
  tools: (tools) =>
    [
      '# Tools',
      '',
      'You can call tools. Each line between the tags describes one as JSON: its name, what it does, and a JSON Schema of its arguments.',
      '',
      '<tools>',
      ...tools.map((tool) => jsonInTags({ type: 'function', function: toolAsJson(tool) })),
      '</tools>',
      '',
      'A call is a JSON object with the name and the arguments, between tags of its own:',
      '',
      '<tool_call>',
      '{"name": "NAME", "arguments": {"ARGUMENT": "VALUE"}}',
      '</tool_call>',
      '',
      'Several calls stand one after the other. End your message after the last one: the next message brings the results between <tool_response> tags.',
    ].join('\n'),
  calls: (calls) =>
    calls
      .map(({ name, parameters }) => JSON.stringify({ name, arguments: parameters ?? {} }))
      .map((json) => `<tool_call>\n${json}\n</tool_call>`)
      .join('\n'),
  results: (results) =>
    results
      .map(({ toolName, text, isError }) =>
        jsonInTags(isError ? { name: toolName, error: text } : { name: toolName, content: text }),
      )
      .map((json) => `<tool_response>\n${json}\n</tool_response>`)
      .join('\n'),
}
