import { jsonInTags, toolAsJson, type PromptFormat } from './prompt-format.ts'

/** A message of nothing but JSON, as Llama 3 calls tools of the user. */
export const llamaPrompt: PromptFormat = {
  tools: (tools) =>
    [
      '# Tools',
      '',
      'You can call tools. Each line describes one as JSON: its name, what it does, and a JSON Schema of its arguments.',
      '',
      ...tools.map((tool) => jsonInTags({ type: 'function', function: toolAsJson(tool) })),
      '',
      'To call one, answer with nothing but a JSON object of its name and arguments:',
      '',
      '{"name": "NAME", "parameters": {"ARGUMENT": "VALUE"}}',
      '',
      'Several calls are several such objects with a semicolon between them. The next message brings the results.',
    ].join('\n'),
  calls: (calls) =>
    calls.map(({ name, parameters }) => JSON.stringify({ name, parameters: parameters ?? {} })).join('; '),
  results: (results) =>
    results
      .map(({ toolName, text, isError }) =>
        JSON.stringify(isError ? { tool: toolName, error: text } : { tool: toolName, output: text }),
      )
      .join('\n'),
}
