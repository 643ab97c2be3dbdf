import type { Tool } from '../conversation-request.ts'
import { optionalArray, optionalText, requiredObject, requiredText } from '../field-readers.ts'
import type { JsonObject } from '../json-object.ts'
import { readToolSchema } from '../tool-schema.ts'
import { withWritten } from '../written-form.ts'

export interface DecodedTools {
  readonly tools: readonly Tool[]
  /** Tools that only Anthropic runs. As functions they would have no arguments, and nobody to answer them. */
  readonly otherTools: readonly JsonObject[]
}

/** A tool marked `defer_loading` is one like the others: who does not know the mark has to see its schema. */
export function decodeTools(body: JsonObject): DecodedTools {
  const tools: Tool[] = []
  const otherTools: JsonObject[] = []
  for (const [at, value] of optionalArray(body, 'tools').entries()) {
    const path = `tools[${at}]`
    const tool = requiredObject(value, path)
    const type = tool['type'] ?? 'custom'
    if (type !== 'custom' || tool['name'] === placeholder) {
      otherTools.push(tool)
      continue
    }
    const strict = tool['strict']
    tools.push(
      withWritten(
        {
          name: requiredText(tool, 'name', `${path}.`),
          description: optionalText(tool, 'description', `${path}.`),
          parameters: readToolSchema(tool['input_schema'], `${path}.input_schema`),
          ...(typeof strict === 'boolean' ? { strict } : {}),
        },
        'anthropic-messages',
        tool,
      ),
    )
  }
  return { tools, otherTools }
}

// Claude Code declares it where tools are still to be loaded; nobody can call it.
const placeholder = 'DeferredToolPlaceholder'
