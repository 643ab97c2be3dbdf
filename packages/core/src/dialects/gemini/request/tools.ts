import { InvalidField, optionalArray, requiredObject } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import type { ConversationRequest, Tool } from '../../../request/conversation-request.ts'
import { type DecodedTools, decodeTool } from '../../../request/decoding.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalFor, withOriginal } from '../../../request/original.ts'
import type { GeminiTarget } from '../../../request/target.ts'
import { offeredTools, type ToolNames, withProperties } from '../../../request/tools.ts'
import { jsonSchemaOf, openApiSchemaOf } from '../schema.ts'
import { camelCased } from '../spelling.ts'
import { allowedNames } from './tool-choice.ts'

/** Servers of the dialect answer 400 to longer names. */
export const longestToolName = 64

/** An entry may declare several functions, and ask for tools that the server runs beside them. */
export function decodeTools(body: JsonObject, notes: Notes): DecodedTools {
  const tools = new Map<string, Tool>()
  const otherTools: JsonObject[] = []
  for (const [at, value] of optionalArray(body, 'tools').entries()) {
    const path = `tools[${at}]`
    const { functionDeclarations, ...others } = camelCased(requiredObject(value, path))
    for (const [index, declared] of listOf(functionDeclarations, path).entries()) {
      const tool = decodeDeclaration(declared, `${path}.functionDeclarations[${index}]`)
      if (tools.has(tool.name)) {
        notes.dropped('tools', `The tool ${tool.name} is declared more than once; the first counts.`)
      } else {
        tools.set(tool.name, tool)
      }
    }
    if (Object.keys(others).length > 0) otherTools.push(others)
  }
  return { tools: allowedTools([...tools.values()], body, notes), otherTools }
}

function listOf(value: unknown, path: string): readonly unknown[] {
  const list = value ?? []
  if (Array.isArray(list)) return list
  throw new InvalidField(`${path}.functionDeclarations`, 'must be an array')
}

function decodeDeclaration(value: unknown, path: string): Tool {
  const declared = camelCased(requiredObject(value, path))
  const { parametersJsonSchema, parameters } = declared
  const field = (parametersJsonSchema ?? undefined) === undefined ? 'parameters' : 'parametersJsonSchema'
  const schema = field === 'parameters' ? jsonSchemaOf(parameters ?? undefined) : parametersJsonSchema
  return withOriginal(decodeTool({ ...declared, [field]: schema }, field, path), 'gemini', declared)
}

/** No other dialect can say that some of the tools may be called and the others not. So only those are offered. */
function allowedTools(tools: readonly Tool[], body: JsonObject, notes: Notes): readonly Tool[] {
  const { names, isChoice } = allowedNames(body)
  const allowed = tools.filter(({ name }) => names.includes(name))
  if (isChoice || allowed.length === 0 || allowed.length === tools.length) return tools
  notes.changed('tools', 'Only some of them may be called; the others are not offered.')
  return allowed
}

export function encodeTools(
  request: ConversationRequest,
  target: GeminiTarget,
  names: ToolNames,
  notes: Notes,
): { readonly tools?: readonly JsonObject[] } {
  const functionDeclarations = offeredTools(request.tools, target, notes).map((tool) =>
    encodeTool(tool, target, names),
  )
  return functionDeclarations.length === 0 ? {} : { tools: [{ functionDeclarations }] }
}

function encodeTool(tool: Tool, target: GeminiTarget, names: ToolNames): JsonObject {
  const name = names.toUpstream(tool.name)
  const original = originalFor(target, tool, 'gemini')
  if (original !== undefined && (target.schemas !== 'openapi' || isJsonObject(original['parameters']))) {
    return { ...original, name }
  }
  const described = tool.description === undefined ? {} : { description: tool.description }
  if (target.schemas !== 'openapi') {
    return { name, ...described, parametersJsonSchema: withProperties(tool.parameters) }
  }
  const parameters = openApiSchemaOf(tool.parameters)
  return { name, ...described, ...(parameters === undefined ? {} : { parameters }) }
}
