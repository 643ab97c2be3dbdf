import { DragomanError } from '../errors.ts'
import { type FormatId, formatIds, resolveFormatId } from '../formats/format-id.ts'
import { templateOf } from '../formats/template.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../json/objects.ts'
import type { Tool } from '../request/conversation-request.ts'
import { getPromptFormat, isPromptFormat, type PromptFormatId, toolAsJson } from './prompt-formats.ts'

/** Tools in the shape that a provider takes them in; a text for a model that reads of them in its prompt. */
export type ProviderTools = readonly JsonObject[] | string

/**
 * Tool definitions of any shape, in the one that the format asks for: a text for `hermes`, `xml` and `llama`, the
 * shape of Anthropic or Gemini for these, and that of OpenAI for all others, whose servers take it.
 */
export function toProviderFormat(tools: readonly JsonObject[], format: PromptFormatId): string
export function toProviderFormat(
  tools: readonly JsonObject[],
  format: Exclude<FormatId, PromptFormatId> | 'openai' | 'gemini',
): readonly JsonObject[]
export function toProviderFormat(tools: readonly JsonObject[], format: string): ProviderTools
export function toProviderFormat(tools: readonly JsonObject[], format: string): ProviderTools {
  const read = readTools(tools)
  if (format === 'gemini') return read.length === 0 ? [] : [{ functionDeclarations: read.map(geminiTool) }]
  const id = resolveFormatId(format)
  if (id === undefined) {
    const known = ['openai', 'gemini', ...formatIds].join(', ')
    throw new DragomanError('unknown-format', `There is no format "${format}". Known formats: ${known}.`)
  }
  if (isPromptFormat(id)) return read.length === 0 ? '' : getPromptFormat(id).tools(read)
  return read.map(templateOf(id).tools === 'input_schema' ? anthropicTool : openAiTool)
}

function openAiTool(tool: Tool): JsonObject {
  return {
    type: 'function',
    function: { ...toolAsJson(tool), ...(tool.strict === undefined ? {} : { strict: tool.strict }) },
  }
}

function anthropicTool({ name, description, parameters, strict }: Tool): JsonObject {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: parameters,
    ...(strict === undefined ? {} : { strict }),
  }
}

/** Gemini's older field `parameters` takes a part of JSON Schema alone, and refuses the rest. */
function geminiTool({ name, description, parameters }: Tool): JsonObject {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    parametersJsonSchema: parameters,
  }
}

function readTools(tools: readonly JsonObject[]): Tool[] {
  return tools
    .flatMap((tool) => {
      const declared = tool['functionDeclarations']
      return Array.isArray(declared) ? declared : [tool]
    })
    .map(readTool)
}

function readTool(given: unknown, at: number): Tool {
  const outer = isJsonObject(given) ? given : {}
  const tool = isJsonObject(outer['function']) ? outer['function'] : outer
  const name = nonEmptyText(tool['name'])
  if (name === null) throw new DragomanError('invalid-option', `tools[${at}] has no name.`)
  const parameters = schemaFields.map((field) => tool[field]).find(isJsonObject)
  const { strict } = tool
  return {
    name,
    description: nonEmptyText(tool['description']) ?? undefined,
    parameters: parameters ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

const schemaFields = ['parameters', 'input_schema', 'inputSchema', 'parametersJsonSchema']
