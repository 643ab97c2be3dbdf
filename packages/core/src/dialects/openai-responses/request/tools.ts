import { InvalidField, optionalText, requiredObject, requiredText } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { ConversationRequest, Tool } from '../../../request/conversation-request.ts'
import { type DecodedTools, decodeTool } from '../../../request/decoding.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalIn, withOriginal } from '../../../request/original.ts'
import type { ResponsesTarget } from '../../../request/target.ts'
import { offeredTools, type ToolNames, withProperties } from '../../../request/tools.ts'
import { definedKind, flatName, keyOf, type ToolKind, toolKindsOf } from '../tools.ts'
import { takesAllItems } from './target.ts'

/** Servers of the dialect answer 400 to longer names. */
export const longestToolName = 64

/** Tools with the place in the request that defines them. */
export interface ToolList {
  readonly tools: readonly unknown[]
  readonly path: string
}

/**
 * Reads tools from wherever a request has them. Each becomes a function, whatever it is, and keeps its definition. A tool
 * that the client could not tell from an earlier one is left out; one that would only have an earlier one's name gets
 * another.
 */
export function decodeTools(lists: readonly ToolList[]): DecodedTools {
  const reader = new ToolReader()
  for (const { tools, path } of lists) {
    for (const [at, value] of tools.entries())
      reader.read(requiredObject(value, `${path}[${at}]`), `${path}[${at}]`)
  }
  return reader
}

class ToolReader implements DecodedTools {
  readonly tools: Tool[] = []
  readonly otherTools: JsonObject[] = []
  readonly #keys = new Set<string>()
  readonly #names = new Set<string>()

  read(definition: JsonObject, path: string): void {
    const { type, tools } = definition
    if (type !== 'namespace') {
      this.#add(definition, definition, path)
      return
    }
    if (!Array.isArray(tools)) throw new InvalidField(`${path}.tools`, 'must be an array')
    for (const [at, value] of tools.entries()) {
      const inner = requiredObject(value, `${path}.tools[${at}]`)
      // The definition of a namespace is kept with each of its tools, so that every tool tells what it is.
      this.#add({ ...definition, tools: [inner] }, inner, `${path}.tools[${at}]`)
    }
  }

  #add(whole: JsonObject, definition: JsonObject, path: string): void {
    const kind = definedKind(whole)
    if (kind === null) {
      this.otherTools.push(whole)
      return
    }
    const tool = emulations[kind.kind](definition, path)
    const key = keyOf(kind)
    if (this.#keys.has(key)) return
    this.#keys.add(key)
    this.tools.push(withOriginal({ ...tool, name: this.#freeName(kind) }, 'openai-responses', whole))
  }

  #freeName(kind: ToolKind): string {
    const wanted = flatName(kind)
    let name = wanted
    for (let count = 2; this.#names.has(name); count++) name = `${wanted}_${count}`
    this.#names.add(name)
    return name
  }
}

type Emulation = (definition: JsonObject, path: string) => Tool

/** The function that stands for a tool of each kind. */
const emulations: Readonly<Record<ToolKind['kind'], Emulation>> = {
  function: functionTool,
  custom(definition, path) {
    const name = requiredText(definition, 'name', `${path}.`)
    const description = optionalText(definition, 'description', `${path}.`)
    const lines = [description, grammarOf(definition['format'])].filter((line) => nonEmptyText(line) !== null)
    return {
      name,
      description: lines.length === 0 ? undefined : lines.join('\n\n'),
      parameters: closedObject(
        { input: { type: 'string', description: 'The whole input, as plain text.' } },
        ['input'],
      ),
    }
  },
  tool_search: (definition, path) => functionTool({ ...definition, name: 'tool_search', strict: null }, path),
  local_shell: () => ({
    name: 'local_shell',
    description: 'Runs a command on the machine of the user.',
    parameters: closedObject(
      {
        command: { type: 'array', items: { type: 'string' }, description: 'The program and its arguments.' },
        workdir: { type: 'string', description: 'Where the command is run.' },
        timeout_ms: { type: 'number', description: 'The longest time that it may take, in milliseconds.' },
      },
      ['command'],
    ),
  }),
  shell: () => ({
    name: 'shell',
    description: 'Runs commands in a shell on the machine of the user.',
    parameters: closedObject(
      {
        commands: { type: 'array', items: { type: 'string' }, description: 'One command line each.' },
        timeout_ms: { type: 'number', description: 'The longest time that they may take, in milliseconds.' },
        max_output_length: { type: 'number', description: 'How many characters of output are wanted.' },
      },
      ['commands'],
    ),
  }),
  apply_patch: () => ({
    name: 'apply_patch',
    description: 'Creates, changes or deletes one file.',
    parameters: closedObject(
      {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: { type: 'string', description: 'The path of the file.' },
        diff: {
          type: 'string',
          description: 'What changes, in lines that begin with "+", "-" or a space. Not for a deletion.',
        },
      },
      ['type', 'path'],
    ),
  }),
}

/** Here a schema may be null, which means what leaving it out means. */
function functionTool(definition: JsonObject, path: string): Tool {
  const { parameters, ...rest } = definition
  const isLeftOut = parameters === undefined || parameters === null
  return decodeTool(isLeftOut ? rest : { ...rest, parameters }, 'parameters', path)
}

/** Open models are not held to a grammar. They are shown it. */
function grammarOf(format: unknown): string | null {
  if (!isJsonObject(format) || format['type'] !== 'grammar') return null
  const definition = nonEmptyText(format['definition'])
  if (definition === null) return null
  return `The input has to follow this grammar (${nonEmptyText(format['syntax']) ?? 'grammar'}):\n${definition}`
}

function closedObject(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false }
}

export function encodeTools(
  request: ConversationRequest,
  target: ResponsesTarget,
  names: ToolNames,
  notes: Notes,
): { readonly tools?: readonly JsonObject[] } {
  const offered = offeredTools(request.tools, target, notes)
  const tools = takesAllItems(target)
    ? ownTools(offered, request, names)
    : offered.map((tool) => encodeFunction(tool, names))
  return tools.length === 0 ? {} : { tools }
}

/** The plainest definition. Servers of the dialect take a tool for a strict one unless it says that it is not. */
function encodeFunction(tool: Tool, names: ToolNames): JsonObject {
  return {
    type: 'function',
    name: names.toUpstream(tool.name),
    ...(tool.description === undefined ? {} : { description: tool.description }),
    parameters: withProperties(tool.parameters),
    strict: tool.strict ?? false,
  }
}

/** The definitions as they came, the tools of a namespace together again. Those that came in an item stay there. */
function ownTools(tools: readonly Tool[], request: ConversationRequest, names: ToolNames): JsonObject[] {
  const inItems = new Set(toolsInItems(request).map(keyOfTool))
  const written: JsonObject[] = []
  for (const tool of tools) {
    const original = originalIn(tool, 'openai-responses')
    if (original === undefined) {
      written.push(encodeFunction(tool, names))
      continue
    }
    if (inItems.has(keyOfTool(tool))) continue
    const last = written.at(-1)
    const isNext = original['type'] === 'namespace' && last?.['type'] === 'namespace'
    if (isNext && last['name'] === original['name']) {
      written[written.length - 1] = { ...last, tools: [...toolsIn(last), ...toolsIn(original)] }
    } else {
      written.push(original)
    }
  }
  return written
}

function toolsIn({ tools }: JsonObject): readonly unknown[] {
  return Array.isArray(tools) ? tools : []
}

function keyOfTool(tool: Tool): string {
  return keyOf(toolKindsOf([tool]).kindOf(tool.name))
}

function toolsInItems({ system, contents }: ConversationRequest): readonly Tool[] {
  const items = [
    ...system.map((text) => originalIn(text, 'openai-responses')?.['item']),
    ...contents.flatMap(({ blocks }) => blocks.map((block) => originalIn(block, 'openai-responses'))),
  ]
  const lists = items.flatMap((item) => (isJsonObject(item) && bringsTools(item) ? [toolsIn(item)] : []))
  return decodeTools(lists.map((tools) => ({ tools, path: 'tools' }))).tools
}

/** Whether the tools of an item can be called from there on. */
export function bringsTools({ type }: JsonObject): boolean {
  return type === 'additional_tools' || type === 'tool_search_output'
}

/** Where no tools are offered, no choice is sent: upstreams answer 400 to it. */
export function encodeToolChoice(
  { tools, toolChoice, parallelToolCalls, extra }: ConversationRequest,
  target: ResponsesTarget,
  names: ToolNames,
  notes: Notes,
): JsonObject {
  const hasOwnTools = takesAllItems(target) && Array.isArray(extra['tools'])
  if (tools.length === 0 && !hasOwnTools) {
    const reason = 'The upstream is offered no tools.'
    if (toolChoice !== undefined) notes.dropped('tool_choice', reason)
    if (parallelToolCalls !== undefined) notes.dropped('parallel_tool_calls', reason)
    return {}
  }
  const parallel = parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }
  if (toolChoice === undefined) return parallel
  const original = takesAllItems(target) ? originalIn(toolChoice, 'openai-responses') : undefined
  if (original !== undefined) return { tool_choice: original, ...parallel }
  if (toolChoice.type !== 'tool') return { tool_choice: toolChoice.type, ...parallel }
  const { name } = toolChoice
  if (!tools.some((tool) => tool.name === name)) {
    notes.dropped('tool_choice', `The upstream is not offered the tool ${name}.`)
    return parallel
  }
  return { tool_choice: { type: 'function', name: names.toUpstream(name) }, ...parallel }
}
