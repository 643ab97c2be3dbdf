import { InvalidField, optionalText, requiredObject, requiredText } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { Tool } from '../../../request/conversation-request.ts'
import { type DecodedTools, decodeTool } from '../../../request/decoding.ts'
import { withOriginal } from '../../../request/original.ts'
import { definedKind, flatName, isNoNamespace, keyOf, type ToolKind } from '../tools.ts'

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

/** Whether a namespace has to be said again to an upstream that knows namespaces. */
export function namespaceIn(definition: JsonObject): string | null {
  const { type, name } = definition
  return type === 'namespace' && !isNoNamespace(name) ? nonEmptyText(name) : null
}
