import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import type { ConversationRequest } from '../../../request/conversation-request.ts'

/** A tool of a request that the server runs itself, between two pieces of its answer. */
export interface ServerTool {
  /** The type with which it was asked for: `web_search_20250305`. */
  readonly type: string
  /** The name by which the model would call it. */
  readonly name: string
  /** The block that would hold its result, and what stands in it where the tool failed. */
  readonly resultType: string
  readonly errorType: string
  /** The input of a call, as far as the conversation tells it. */
  readonly input: JsonObject
}

/**
 * The server tools of a request that has no tools but these, the one that the client chose in front. None where other
 * tools stand beside them, or the client wants no call.
 */
export function onlyServerTools(request: ConversationRequest): readonly ServerTool[] {
  const { tools, toolChoice, extra } = request
  const others = extra['tools']
  if (tools.length > 0 || toolChoice?.type === 'none' || !Array.isArray(others)) return []
  const said = lastText(request)
  const found = others.map((tool: unknown) => serverTool(tool, said))
  if (!found.every((tool) => tool !== null)) return []
  const chosen = toolChoice?.type === 'tool' ? toolChoice.name : undefined
  return [...found.filter(({ name }) => name === chosen), ...found.filter(({ name }) => name !== chosen)]
}

interface ServerToolFamily {
  /** The type without its date. Types of a later date are tools of the same kind. */
  readonly types: RegExp
  /** The name of the call, where it is not the name of the tool. */
  readonly calledAs?: string
  /** In front of `_tool_result` and `_tool_result_error`. */
  readonly result: string
  readonly input: (said: string) => JsonObject
}

/**
 * What the server runs. All other types with a date, such as `bash_…`, `text_editor_…`, `computer_…` and `memory_…`, are
 * run by the client.
 */
const families: readonly ServerToolFamily[] = [
  { types: /^web_search_\d+$/, result: 'web_search', input: (said) => (said === '' ? {} : { query: said }) },
  {
    types: /^web_fetch_\d+$/,
    result: 'web_fetch',
    input: (said) => {
      const url = /https?:\/\/[^\s<>"')\]]*[^\s<>"')\].,;:!?]/.exec(said)?.[0]
      return url === undefined ? {} : { url }
    },
  },
  { types: /^code_execution_20250522$/, result: 'code_execution', input: () => ({}) },
  // Since then the tool is two: a shell, and an editor for files.
  {
    types: /^code_execution_\d+$/,
    calledAs: 'bash_code_execution',
    result: 'bash_code_execution',
    input: () => ({}),
  },
]

function serverTool(tool: unknown, said: string): ServerTool | null {
  if (!isJsonObject(tool)) return null
  const { type, name } = tool
  const family = families.find(({ types }) => typeof type === 'string' && types.test(type))
  if (family === undefined || typeof type !== 'string' || typeof name !== 'string') return null
  return {
    type,
    name: family.calledAs ?? name,
    resultType: `${family.result}_tool_result`,
    errorType: `${family.result}_tool_result_error`,
    input: family.input(said),
  }
}

/** What the user said last, without the words that Claude Code puts in front of what it wants to find. */
function lastText({ contents }: ConversationRequest): string {
  const blocks = contents.findLast(({ speaker }) => speaker === 'human')?.blocks ?? []
  const text = blocks.findLast((block) => block.type === 'text' && block.text !== '')
  return text?.type === 'text' ? text.text.trim().replace(/^Perform a web search for the query:\s*/, '') : ''
}
