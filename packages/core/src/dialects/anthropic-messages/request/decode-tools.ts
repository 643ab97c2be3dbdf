import type { Tool } from '../../../request/conversation-request.ts'
import { decodeTool, type DecodedTools } from '../../../request/decoding.ts'
import { optionalArray, requiredObject } from '../../../json/fields.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { withOriginal } from '../../../request/original.ts'

/** A tool marked `defer_loading` is one like the others: who does not know the mark has to see its schema. */
export function decodeTools(body: JsonObject): DecodedTools {
  const tools: Tool[] = []
  const otherTools: JsonObject[] = []
  for (const [at, value] of optionalArray(body, 'tools').entries()) {
    const path = `tools[${at}]`
    const tool = requiredObject(value, path)
    const type = tool['type'] ?? 'custom'
    if (type !== 'custom' || tool['name'] === placeholder) {
      // Only Anthropic runs it. As a function it would have no arguments, and nobody to answer it.
      otherTools.push(tool)
      continue
    }
    tools.push(withOriginal(decodeTool(tool, 'input_schema', path), 'anthropic-messages', tool))
  }
  return { tools, otherTools }
}

// Claude Code declares it where tools are still to be loaded; nobody can call it.
const placeholder = 'DeferredToolPlaceholder'
