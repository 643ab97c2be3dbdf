import type { ToolCallBlock, ToolResponseBlock } from '../../../conversation.ts'
import { isJsonObject, type JsonObject, nonEmptyText, parseJson, wordOf } from '../../../json/objects.ts'
import { wellFormed } from '../../../json/well-formed.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalFor, withOriginal } from '../../../request/original.ts'
import type { ResponsesTarget } from '../../../request/target.ts'
import { type ResultBlock, resultBlocks, toolErrorMark } from '../../../request/tool-result.ts'
import { argumentsOfItem, callItems, type ToolKind, type ToolKinds } from '../tools.ts'
import { wholeItem } from './instructions.ts'
import { decodeParts, encodeInputParts } from './parts.ts'
import { takesAllItems } from './target.ts'

type Kind = ToolKind['kind']

const kindsInOrder: readonly Kind[] = [
  'function',
  'custom',
  'tool_search',
  'local_shell',
  'shell',
  'apply_patch',
]
const callKinds: ReadonlyMap<unknown, Kind> = new Map(
  kindsInOrder.map((kind) => [callItems[kind].type, kind]),
)
const outputKinds: ReadonlyMap<unknown, Kind> = new Map(
  kindsInOrder.map((kind) => [callItems[kind].outputType, kind]),
)

/** The kind of tool that an item calls; null for an item that is no call, or calls what a server ran. */
export function callKindOf(item: JsonObject): Kind | null {
  return isOfServer(item) ? null : (callKinds.get(item['type']) ?? null)
}

export function outputKindOf(item: JsonObject): Kind | null {
  return isOfServer(item) ? null : (outputKinds.get(item['type']) ?? null)
}

function isOfServer({ execution }: JsonObject): boolean {
  return execution === 'server'
}

export function decodeCall(
  item: JsonObject,
  kind: Kind,
  kinds: ToolKinds,
  path: string,
  notes: Notes,
): ToolCallBlock {
  const namespace = nonEmptyText(item['namespace'])
  const name = nonEmptyText(item['name']) ?? (kind === 'function' || kind === 'custom' ? '' : kind)
  const called = { kind, name, ...(namespace === null ? {} : { namespace }) }
  const block: ToolCallBlock = {
    type: 'tool_call',
    id: nonEmptyText(item['call_id']) ?? nonEmptyText(item['id']) ?? '',
    name: name === '' ? '' : kinds.nameOf(called),
    // An upstream that decodes an escaped half of a surrogate pair has a text that it cannot encode.
    parameters: wellFormed(argumentsOfItem(kind, item)),
  }
  if (kind !== 'function') return withOriginal(block, 'openai-responses', item)
  const fault = faultOf(item['arguments'])
  if (fault !== null) notes.changed(`${path}.arguments`, fault)
  // The client's own spelling is kept where it can be sent: encoded anew, long numbers lose digits and caches miss.
  const sound = isSound(item['arguments'], block.parameters)
    ? item
    : { ...item, arguments: JSON.stringify(block.parameters) }
  return withOriginal(block, 'openai-responses', sound)
}

function faultOf(given: unknown): string | null {
  if (given === undefined || given === null || given === '') return 'They are empty; {} stands for them.'
  if (isJsonObject(given)) return null
  const once = typeof given === 'string' ? parseJson(given) : undefined
  const parsed = typeof once === 'string' ? parseJson(once) : once
  return isJsonObject(parsed) ? null : 'They are not a JSON object; {} stands for them.'
}

function isSound(given: unknown, parameters: unknown): boolean {
  if (typeof given !== 'string') return false
  const parsed = parseJson(given)
  return isJsonObject(parsed) && wellFormed(parsed) === parsed && isJsonObject(parameters)
}

/** The result of a call; or what a client tells of a tool that nobody called, as something said to the model. */
export type DecodedOutput =
  | { readonly is: 'result'; readonly block: ToolResponseBlock }
  | { readonly is: 'said'; readonly blocks: ResultBlock[] }

export function decodeOutput(
  item: JsonObject,
  kind: Kind,
  kinds: ToolKinds,
  path: string,
  at: number,
  notes: Notes,
): DecodedOutput {
  const callId = nonEmptyText(item['call_id']) ?? (kind === 'local_shell' ? nonEmptyText(item['id']) : null)
  const { result, isError } = resultOf(item, kind, kinds, path, notes)
  const name = nonEmptyText(item['name']) ?? ''
  if (callId === null) {
    notes.changed(path, 'It answers no call; it became text of the user.')
    const label: ResultBlock = { type: 'text', text: `Output of ${name === '' ? 'a tool' : name}:` }
    const value = wholeItem(item, at)
    const blocks = [label, ...resultBlocks(result)]
    return { is: 'said', blocks: blocks.map((block) => withOriginal(block, 'openai-responses', value)) }
  }
  const block: ToolResponseBlock = {
    type: 'tool_response',
    callId,
    toolName: '',
    result,
    ...(isError ? { isError } : {}),
  }
  return { is: 'result', block: withOriginal(block, 'openai-responses', item) }
}

interface Result {
  readonly result: string | ResultBlock[]
  readonly isError: boolean
}

function resultOf(item: JsonObject, kind: Kind, kinds: ToolKinds, path: string, notes: Notes): Result {
  const { output, status } = item
  if (kind === 'tool_search') return { result: foundTools(item['tools'], kinds), isError: false }
  if (kind === 'shell' && Array.isArray(output)) {
    return { result: output.map(shellOutput).join('\n'), isError: false }
  }
  const isFailed = kind === 'apply_patch' && status === 'failed'
  if (typeof output === 'string') {
    const isMarked = output.startsWith(toolErrorMark)
    const result = isMarked ? output.slice(toolErrorMark.length) : output
    return { result: result === '' && isFailed ? 'failed' : result, isError: isMarked || isFailed }
  }
  if (Array.isArray(output))
    return { result: decodeParts(output, `${path}.output`, notes), isError: isFailed }
  const isSaid = output !== undefined && output !== null
  const result = isSaid ? JSON.stringify(output) : kind === 'apply_patch' ? (nonEmptyText(status) ?? '') : ''
  return { result, isError: isFailed }
}

function shellOutput(output: unknown): string {
  if (!isJsonObject(output)) return typeof output === 'string' ? output : JSON.stringify(output)
  const { stdout, stderr, outcome } = output
  const end = isJsonObject(outcome)
    ? outcome['type'] === 'timeout'
      ? '[timed out]'
      : `[exit code ${wordOf(outcome['exit_code'])}]`
    : null
  return [nonEmptyText(stdout), nonEmptyText(stderr), end].filter((text) => text !== null).join('\n')
}

/** The model is told what it can call now. The definitions themselves are among the tools of the request. */
function foundTools(tools: unknown, kinds: ToolKinds): string {
  const found = Array.isArray(tools) ? tools.flatMap((tool: unknown) => describe(tool, undefined, kinds)) : []
  return found.length === 0 ? 'No tool was found.' : `These tools can be called now:\n${found.join('\n')}`
}

function describe(tool: unknown, namespace: string | undefined, kinds: ToolKinds): string[] {
  if (!isJsonObject(tool)) return []
  const name = nonEmptyText(tool['name'])
  if (tool['type'] === 'namespace' && Array.isArray(tool['tools'])) {
    return tool['tools'].flatMap((inner: unknown) => describe(inner, name ?? undefined, kinds))
  }
  if (name === null) return []
  const kind = tool['type'] === 'custom' ? 'custom' : 'function'
  const called = kinds.nameOf({ kind, name, ...(namespace === undefined ? {} : { namespace }) })
  const { description, parameters } = tool
  return [JSON.stringify({ name: called, description, parameters })]
}

/** Writes a call: in the client's own item where the upstream takes all items, else as the call of a function. */
export function encodeCall(
  call: ToolCallBlock,
  callId: string,
  id: string,
  target: ResponsesTarget,
): JsonObject {
  const original = originalFor(target, call, 'openai-responses')
  if (original !== undefined && takesAllItems(target)) {
    return original['call_id'] === callId ? original : { ...original, call_id: callId }
  }
  const given = original?.['type'] === 'function_call' ? nonEmptyText(original['arguments']) : null
  return {
    type: 'function_call',
    ...(target.responsesItems === 'openai' ? {} : { id: nonEmptyText(original?.['id']) ?? id }),
    call_id: callId,
    name: call.name,
    arguments: given ?? JSON.stringify(call.parameters ?? {}),
    status: 'completed',
  }
}

export interface EncodedOutput {
  readonly item: JsonObject
  /** Media for the message that follows: most upstreams take only text from a tool. */
  readonly shown: readonly JsonObject[]
}

/** Writes a result, in an item of the type that belongs to the call. */
export function encodeOutput(
  response: ToolResponseBlock,
  callId: string,
  calledIn: unknown,
  target: ResponsesTarget,
  notes: Notes,
): EncodedOutput {
  const original = originalFor(target, response, 'openai-responses')
  if (original !== undefined && takesAllItems(target)) {
    const item = original['call_id'] === callId ? original : { ...original, call_id: callId }
    return { item, shown: [] }
  }
  const result = resultBlocks(response.result)
  const media = result.filter(({ type }) => type === 'media')
  const mark = response.isError === true ? toolErrorMark : ''
  const kind = callKinds.get(calledIn)
  const type =
    takesAllItems(target) && kind === 'custom' ? callItems.custom.outputType : 'function_call_output'
  if (media.length === 0) {
    return { item: { type, call_id: callId, output: mark + textOf(result) }, shown: [] }
  }
  if (target.responsesItems === 'openai') {
    const marked: readonly ResultBlock[] = mark === '' ? result : [{ type: 'text', text: mark }, ...result]
    return { item: { type, call_id: callId, output: encodeInputParts(marked, target, notes) }, shown: [] }
  }
  notes.changed('input', 'Images in tool results are shown in a user message after the results.')
  const label = { type: 'input_text', text: `From the result of ${response.toolName || 'the tool'}:` }
  return {
    item: { type, call_id: callId, output: mark + textOf(result) },
    shown: [label, ...encodeInputParts(media, target, notes)],
  }
}

function textOf(result: readonly ResultBlock[]): string {
  return result
    .map((block) => (block.type === 'text' ? block.text : shownBelow))
    .filter((text) => text !== '')
    .join('\n')
}

const shownBelow = '[shown in the next message]'
