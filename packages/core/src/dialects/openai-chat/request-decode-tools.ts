import type { Tool } from '../conversation-request.ts'
import { optionalArray, optionalText, requiredObject, requiredText } from '../field-readers.ts'
import type { JsonObject } from '../json-object.ts'
import { readToolSchema } from '../tool-schema.ts'
import { withWritten } from '../written-form.ts'

export interface DecodedTools {
  readonly tools: readonly Tool[]
  /** Tools that the upstream runs itself, or that are no functions. */
  readonly otherTools: readonly JsonObject[]
}

export function decodeTools(body: JsonObject): DecodedTools {
  const tools: Tool[] = []
  const otherTools: JsonObject[] = []
  for (const [at, value] of optionalArray(body, 'tools').entries()) {
    const path = `tools[${at}]`
    const tool = requiredObject(value, path)
    if ((tool['type'] ?? 'function') !== 'function') {
      otherTools.push(tool)
      continue
    }
    tools.push(withWritten(functionTool(tool['function'], `${path}.function`), 'openai-chat', tool))
  }
  for (const [at, value] of optionalArray(body, 'functions').entries()) {
    tools.push(functionTool(value, `functions[${at}]`))
  }
  return { tools, otherTools }
}

function functionTool(value: unknown, path: string): Tool {
  const definition = requiredObject(value, path)
  const strict = definition['strict']
  return {
    name: requiredText(definition, 'name', `${path}.`),
    description: optionalText(definition, 'description', `${path}.`),
    parameters: readToolSchema(definition['parameters'], `${path}.parameters`),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}
