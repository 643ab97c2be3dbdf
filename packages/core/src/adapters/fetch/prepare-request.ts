import { dialects, type DialectId } from '../../dialects/index.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { isJsonObject, nonEmptyText, parseJson, type JsonObject } from '../../json/objects.ts'
import type { ParserOptions } from '../../parser-stage.ts'
import type { ConversationRequest, Tool } from '../../request/conversation-request.ts'
import { demandsReasoning, lostReasoning } from '../../request/reasoning-policy.ts'
import { ToolHistory } from '../../request/tool-history.ts'
import type { AdapterOptions } from '../adapter-options.ts'
import { explicitFormat, targetFormat } from '../target-format.ts'
import type { ClientAddress } from './client-address.ts'

/** A request for an answer, and what is needed to read that answer. */
export interface PreparedRequest {
  readonly dialect: DialectId
  /** The body to send: the very text that came where nothing in it had to change. */
  readonly body: string
  readonly parser: ParserOptions
  readonly conversationIds: ReadonlySet<string>
}

/** Null for a body that asks for no answer of this dialect. */
export function prepareRequest(
  text: string,
  { dialect, asked }: Pick<ClientAddress, 'dialect' | 'asked'>,
  options: AdapterOptions,
): PreparedRequest | null {
  const body = parseJson(text)
  const { messages: codec, format: dialectFormat } = dialects[dialect].request
  const { places } = codec
  const given = isJsonObject(body) ? body[places.field] : undefined
  if (!isJsonObject(body) || given === undefined) return null
  const decoded = dialects[dialect].request.decode(body, asked)
  const request = 'error' in decoded ? null : decoded.request
  // A question without a history may be a bare text.
  if (!Array.isArray(given) && request === null) return null
  const messages: readonly unknown[] = Array.isArray(given) ? given : []
  const model = options.model ?? nonEmptyText(body['model']) ?? request?.model ?? ''
  const explicit = explicitFormat(options, model)

  const history = new ToolHistory(messages, places)
  const { callIds } = history
  const target: FormatId =
    explicit === 'auto' && dialectFormat !== null
      ? dialectFormat
      : targetFormat(explicit, model, callIds.at(-1))
  const mapped = history.messagesFor(target)
  const sent = demandsReasoning({ format: target })
    ? mapped.map((message) => places.withReasoning(message, lostReasoning))
    : mapped
  const isSame = sent.every((message, at) => message === messages[at])
  const tools = options.tools === undefined ? toolsOf(request, body) : options.tools
  const isForbidden = forbidsCalls(body, request) && (tools?.length ?? 0) > 0
  return {
    dialect,
    body: isSame ? text : JSON.stringify({ ...body, [places.field]: sent }),
    parser: {
      ...options,
      model,
      format: explicit,
      ...(isForbidden ? { calls: 'remove', tools: undefined } : { tools, ...forcedCalls(request) }),
    },
    conversationIds: new Set(callIds),
  }
}

function toolsIn({ tools }: JsonObject): readonly JsonObject[] {
  return Array.isArray(tools) ? tools.filter(isJsonObject) : []
}

/** A call that the client forces is often written as JSON alone: the parser has to know of it. */
function forcedCalls(
  request: ConversationRequest | null,
): Pick<ParserOptions, 'toolChoice' | 'parallelToolCalls'> {
  const choice = request?.toolChoice
  return {
    ...(choice?.type === 'required' ? { toolChoice: 'required' } : {}),
    ...(choice?.type === 'tool' ? { toolChoice: { name: choice.name } } : {}),
    ...(request?.parallelToolCalls === false ? { parallelToolCalls: false } : {}),
  }
}

/** Tools that are not as the dialect has them may still have a name that somebody understands. */
function toolsOf(request: ConversationRequest | null, body: JsonObject): readonly JsonObject[] {
  const tools = request?.tools ?? []
  return tools.length > 0 ? tools.map(definition) : toolsIn(body)
}

function definition({ name, parameters }: Tool): JsonObject {
  return { name, parameters }
}

function forbidsCalls({ tool_choice: choice }: JsonObject, request: ConversationRequest | null): boolean {
  if (request !== null) return request.toolChoice?.type === 'none'
  return choice === 'none' || (isJsonObject(choice) && choice['type'] === 'none')
}
