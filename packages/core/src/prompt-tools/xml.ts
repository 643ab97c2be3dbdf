import type { ToolCallBlock } from '../conversation.ts'
import { isJsonObject } from '../json/objects.ts'
import { jsonInTags, toolAsJson, type PromptFormat, type PromptResult } from './prompt-format.ts'

/** A tag for the call and one for each argument: long texts stand in it as they are. */
export const xmlPrompt: PromptFormat = {
  tools: (tools) =>
    [
      '# Tools',
      '',
      'You can call tools. Each is described here as JSON: its name, what it does, and a JSON Schema of its arguments.',
      '',
      '<functions>',
      ...tools.map((tool) => `<function>${jsonInTags(toolAsJson(tool))}</function>`),
      '</functions>',
      '',
      'Calls are written with one tag for each argument. A text stands in it as it is, anything else as JSON:',
      '',
      '<function_calls>',
      '<invoke name="NAME">',
      '<parameter name="ARGUMENT">VALUE</parameter>',
      '</invoke>',
      '</function_calls>',
      '',
      'Several calls are several <invoke> tags in one <function_calls>. End your message after it: the next message brings the results between <function_results> tags.',
    ].join('\n'),
  calls: (calls) => ['<function_calls>', ...calls.map(invoke), '</function_calls>'].join('\n'),
  results: (results) => ['<function_results>', ...results.map(resultTag), '</function_results>'].join('\n'),
}

function invoke({ name, parameters }: ToolCallBlock): string {
  const values = isJsonObject(parameters) ? Object.entries(parameters) : []
  return [
    `<invoke name="${name}">`,
    ...values.map(([key, value]) => `<parameter name="${key}">${valueText(value)}</parameter>`),
    '</invoke>',
  ].join('\n')
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function resultTag({ toolName, text, isError }: PromptResult): string {
  // A result that could close the tag could go on in the name of anybody, the user included.
  const inside = text.replaceAll(/<(?=\/(?:result|error|function_results)>)/g, '&lt;')
  const tag = isError ? 'error' : 'result'
  return `<${tag} name="${toolName}">\n${inside}\n</${tag}>`
}
