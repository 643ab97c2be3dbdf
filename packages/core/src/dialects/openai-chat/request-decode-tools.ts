import type { Tool } from '../conversation-request.ts'
import { decodeTool, type DecodedTools } from '../decoded-tools.ts'
import { optionalArray, requiredObject } from '../field-readers.ts'
import type { JsonObject } from '../json-object.ts'
import { withWritten } from '../written-form.ts'

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
  return decodeTool(requiredObject(value, path), 'parameters', path)
}
