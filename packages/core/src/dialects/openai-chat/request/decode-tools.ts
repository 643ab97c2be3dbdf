import type { Tool } from '../../../request/conversation-request.ts'
import { decodeTool, type DecodedTools } from '../../../request/decoding.ts'
import { optionalArray, requiredObject } from '../../../json/fields.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { withOriginal } from '../../../request/original.ts'

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
    tools.push(withOriginal(functionTool(tool['function'], `${path}.function`), 'openai-chat', tool))
  }
  for (const [at, value] of optionalArray(body, 'functions').entries()) {
    tools.push(functionTool(value, `functions[${at}]`))
  }
  return { tools, otherTools }
}

function functionTool(value: unknown, path: string): Tool {
  return decodeTool(requiredObject(value, path), 'parameters', path)
}
