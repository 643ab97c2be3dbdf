import type { ToolCallBlock } from '../conversation.ts'
import { DragomanError } from '../errors.ts'
import type { FormatId } from '../formats/format-id.ts'
import { isJsonObject } from '../json/objects.ts'
import type { Tool } from '../request/conversation-request.ts'

/** How tools, calls and results stand in a prompt, for models whose server knows nothing of tools. */
export interface PromptFormat {
  /** What the model is told of the tools, and of how to call them. */
  tools(tools: readonly Tool[]): string
  /** Calls that the model made, as it would have written them. */
  calls(calls: readonly ToolCallBlock[]): string
  /** What the tools answered, in the order of the calls. */
  results(results: readonly PromptResult[]): string
}

export interface PromptResult {
  readonly toolName: string
  readonly text: string
  readonly isError: boolean
}

/** The formats in which tools can stand in the prompt. */
export const promptFormatIds = ['hermes', 'xml', 'llama'] as const satisfies readonly FormatId[]

export type PromptFormatId = (typeof promptFormatIds)[number]

export function isPromptFormat(format: string): format is PromptFormatId {
  return promptFormatIds.some((id) => id === format)
}

export function getPromptFormat(format: FormatId): PromptFormat {
  if (isPromptFormat(format)) return promptFormats[format]
  const known = promptFormatIds.join(', ')
  throw new DragomanError(
    'invalid-option',
    `Tools cannot stand in the prompt in the format "${format}". They can in: ${known}.`,
  )
}

/** JSON between tags, as Hermes and Qwen were trained on it. */
const hermesPrompt: PromptFormat = {
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

/** A message of nothing but JSON, as Llama 3 calls tools of the user. */
const llamaPrompt: PromptFormat = {
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

/** A tag for the call and one for each argument: long texts stand in it as they are. */
const xmlPrompt: PromptFormat = {
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
  // A result that closes the tag could go on as anything, the user included.
  const inside = text.replaceAll(/<(?=\/(?:result|error|function_results)>)/g, '&lt;')
  const tag = isError ? 'error' : 'result'
  return `<${tag} name="${toolName}">\n${inside}\n</${tag}>`
}

/** JSON that closes no tag around it: a result is not written by somebody we trust. */
function jsonInTags(value: unknown): string {
  return JSON.stringify(value).replaceAll('</', String.raw`<\/`)
}

export function toolAsJson({ name, description, parameters }: Tool): object {
  return { name, ...(description === undefined ? {} : { description }), parameters }
}

const promptFormats: Readonly<Record<PromptFormatId, PromptFormat>> = {
  hermes: hermesPrompt,
  xml: xmlPrompt,
  llama: llamaPrompt,
}
