import { isJsonObject, type JsonObject, nonEmptyText, parseJson } from '../../json/objects.ts'
import type { Tool } from '../../request/conversation-request.ts'
import { originalIn } from '../../request/original.ts'

/** What a client of this dialect calls a tool. Models are offered functions alone, under names without namespaces. */
export interface ToolKind {
  readonly kind: 'function' | 'custom' | 'tool_search' | 'local_shell' | 'shell' | 'apply_patch'
  readonly name: string
  readonly namespace?: string
}

export interface ToolKinds {
  /** What the tool of this name is to the client. A name that no tool has is that of a function. */
  kindOf(name: string): ToolKind
  /** The name under which the model is offered a tool that the client calls so. */
  nameOf(called: ToolKind): string
}

/**
 * The request's own tools tell what each of them is, so that nothing has to be kept. A call in the history does not: a
 * client refuses a call of the wrong kind, whatever the tool was before.
 */
export function toolKindsOf(tools: readonly Tool[]): ToolKinds {
  const kinds = new Map<string, ToolKind>()
  const names = new Map<string, string>()
  for (const tool of tools) {
    const kind = kindOfTool(tool)
    if (!kinds.has(tool.name)) kinds.set(tool.name, kind)
    for (const key of [keyOf(kind), keyOf({ ...kind, kind: 'function' })]) {
      if (!names.has(key)) names.set(key, tool.name)
    }
  }
  return {
    kindOf: (name) => kinds.get(name) ?? { kind: 'function', name },
    nameOf: (called) =>
      names.get(keyOf(called)) ?? names.get(keyOf({ ...called, kind: 'function' })) ?? flatName(called),
  }
}

function kindOfTool(tool: Tool): ToolKind {
  const definition = originalIn(tool, 'openai-responses')
  return (definition === undefined ? null : definedKind(definition)) ?? { kind: 'function', name: tool.name }
}

/**
 * What a definition of this dialect defines. The one tool of a namespace is kept inside the definition of its namespace.
 * Null for a tool that its server runs, and for what nobody knows.
 */
export function definedKind(definition: JsonObject): ToolKind | null {
  const { type, name, tools } = definition
  switch (type) {
    case 'namespace': {
      const only: unknown = Array.isArray(tools) ? tools[0] : undefined
      const inner = isJsonObject(only) ? definedKind(only) : null
      const namespace = namespaceOf(name)
      return inner === null || namespace === null ? inner : { ...inner, namespace }
    }
    case 'tool_search':
      return definition['execution'] === 'client' ? { kind: type, name: type } : null
    case 'shell':
      return isContainer(definition['environment']) ? null : { kind: type, name: type }
    case 'local_shell':
    case 'apply_patch':
      return { kind: type, name: type }
    case 'custom':
      return { kind: type, name: nonEmptyText(name) ?? '' }
    case 'function':
    case undefined:
      return { kind: 'function', name: nonEmptyText(name) ?? '' }
    default:
      return null
  }
}

/** Null for the words that mean no namespace at all. */
function namespaceOf(name: unknown): string | null {
  return name === 'functions' ? null : nonEmptyText(name)
}

/** A shell that runs at the vendor's, and not at the client's. */
function isContainer(environment: unknown): boolean {
  return isJsonObject(environment) && String(environment['type']).startsWith('container')
}

/** `ns__name`. Models have to write the whole of it: other separators are not legal in every dialect. */
export function flatName({ name, namespace }: ToolKind): string {
  const space = namespaceOf(namespace)
  if (space === null) return name
  return space.endsWith(separator) ? space + name : space + separator + name
}

const separator = '__'

/** Equal for what a client cannot tell apart. */
export function keyOf({ kind, name, namespace }: ToolKind): string {
  return JSON.stringify([kind, namespaceOf(namespace), name])
}

/** The items in which tools of each kind are called and answered, and how the ids of the calls begin. */
export const callItems: Readonly<
  Record<ToolKind['kind'], { readonly type: string; readonly outputType: string; readonly idPrefix: string }>
> = {
  function: { type: 'function_call', outputType: 'function_call_output', idPrefix: 'fc_' },
  custom: { type: 'custom_tool_call', outputType: 'custom_tool_call_output', idPrefix: 'ctc_' },
  tool_search: { type: 'tool_search_call', outputType: 'tool_search_output', idPrefix: 'tsc_' },
  local_shell: { type: 'local_shell_call', outputType: 'local_shell_call_output', idPrefix: 'lsh_' },
  shell: { type: 'shell_call', outputType: 'shell_call_output', idPrefix: 'sh_' },
  apply_patch: { type: 'apply_patch_call', outputType: 'apply_patch_call_output', idPrefix: 'apc_' },
}

/** The arguments of a call as the fields that its item has for them. */
export type CallFields =
  | {
      readonly is: 'fields'
      readonly fields: JsonObject
      /** What had to be changed, where the arguments are not those that were asked for. */
      readonly repair?: string
    }
  | { readonly is: 'invalid'; readonly message: string }

/** What a call of the emulated function says, in the fields of the item for its kind. `json` is the whole of its arguments. */
export function fieldsOfCall({ kind, name }: ToolKind, json: string): CallFields {
  if (kind === 'function') return { is: 'fields', fields: { arguments: json } }
  const given = parseJson(json.trim() === '' ? '{}' : json)
  if (kind === 'custom') return customInput(name, given)
  if (!isJsonObject(given)) return { is: 'invalid', message: `The arguments of ${name} are no JSON object.` }
  switch (kind) {
    case 'tool_search':
      return { is: 'fields', fields: { arguments: given, execution: 'client' } }
    case 'local_shell':
      return localShellAction(given)
    case 'shell':
      return shellAction(given)
    case 'apply_patch':
      return patchOperation(given)
  }
}

/** Models write the text under other names too, or bare. There is no doubt what they mean as long as it is the only text. */
function customInput(name: string, given: unknown): CallFields {
  if (typeof given === 'string') {
    return { is: 'fields', fields: { input: given }, repair: `The input of ${name} came as a bare string.` }
  }
  if (isJsonObject(given)) {
    const { input } = given
    const others = Object.keys(given).filter((key) => key !== 'input')
    if (typeof input === 'string') {
      if (others.length === 0) return { is: 'fields', fields: { input } }
      const repair = `The call of ${name} has more than its input; ${others.join(', ')} was left out.`
      return { is: 'fields', fields: { input }, repair }
    }
    const said = Object.entries(given).filter(([, value]) => typeof value === 'string')
    const [only] = said
    if (said.length === 1 && only !== undefined && input === undefined) {
      const repair = `The input of ${name} came under the name ${only[0]}.`
      return { is: 'fields', fields: { input: only[1] }, repair }
    }
  }
  return { is: 'invalid', message: `The call of ${name} has no text as its input.` }
}

function localShellAction(given: JsonObject): CallFields {
  const command = words(given['command'])
  if (command === null) return { is: 'invalid', message: 'The call of local_shell has no command.' }
  const workdir = nonEmptyText(given['workdir'] ?? given['working_directory'])
  const action = {
    type: 'exec',
    command: command.words,
    env: isJsonObject(given['env']) ? given['env'] : {},
    ...numberIn(given, 'timeout_ms'),
    ...(workdir === null ? {} : { working_directory: workdir }),
  }
  return fieldsWith({ action }, command.isBare ? 'The command of local_shell came as one string.' : undefined)
}

function shellAction(given: JsonObject): CallFields {
  const commands = given['commands'] ?? given['command']
  const lines = typeof commands === 'string' ? [commands] : textList(commands)
  if (lines === null) return { is: 'invalid', message: 'The call of shell has no commands.' }
  const action = {
    commands: lines,
    ...numberIn(given, 'timeout_ms'),
    ...numberIn(given, 'max_output_length'),
  }
  return fieldsWith({ action }, lines === commands ? undefined : 'The commands of shell came as one string.')
}

function patchOperation(given: JsonObject): CallFields {
  const operation = isJsonObject(given['operation']) ? given['operation'] : given
  const { type, path, diff } = operation
  const isKnown = typeof type === 'string' && operations.has(type)
  if (!isKnown || typeof path !== 'string' || (type !== 'delete_file' && typeof diff !== 'string')) {
    return { is: 'invalid', message: 'The call of apply_patch has no operation with a path and a diff.' }
  }
  return fieldsWith({ operation: type === 'delete_file' ? { type, path } : { type, path, diff } })
}

const operations: ReadonlySet<string> = new Set(['create_file', 'update_file', 'delete_file'])

function fieldsWith(fields: JsonObject, repair?: string): CallFields {
  return repair === undefined ? { is: 'fields', fields } : { is: 'fields', fields, repair }
}

/** A command as its words. A single text goes to a shell: where its words end is the shell's to say. */
function words(command: unknown): { readonly words: readonly string[]; readonly isBare: boolean } | null {
  if (typeof command === 'string' && command !== '') {
    return { words: ['bash', '-lc', command], isBare: true }
  }
  const list = textList(command)
  return list === null ? null : { words: list, isBare: false }
}

function textList(value: unknown): readonly string[] | null {
  const isList = Array.isArray(value) && value.length > 0
  return isList && value.every((item: unknown): item is string => typeof item === 'string') ? value : null
}

function numberIn(given: JsonObject, field: string): JsonObject {
  return typeof given[field] === 'number' ? { [field]: given[field] } : {}
}

/** The other way: the arguments with which the emulated function would have been called. */
export function argumentsOfItem(kind: ToolKind['kind'], item: JsonObject): JsonObject {
  switch (kind) {
    case 'custom':
      return { input: typeof item['input'] === 'string' ? item['input'] : '' }
    case 'local_shell': {
      const { command, timeout_ms, working_directory } = objectOr(item['action'])
      return defined({ command, workdir: working_directory, timeout_ms })
    }
    case 'shell': {
      const { commands, timeout_ms, max_output_length } = objectOr(item['action'])
      return defined({ commands, timeout_ms, max_output_length })
    }
    case 'apply_patch': {
      const { type, path, diff } = objectOr(item['operation'])
      return defined({ type, path, diff })
    }
    case 'function':
    case 'tool_search':
      return argumentsIn(item['arguments'])
  }
}

/** The arguments are a text in one kind of call and an object in another, and clients take one for the other. */
function argumentsIn(given: unknown): JsonObject {
  const once = typeof given === 'string' ? parseJson(given) : given
  return objectOr(typeof once === 'string' ? parseJson(once) : once)
}

function objectOr(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

function defined(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  )
}
