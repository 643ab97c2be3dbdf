import { dialects, type DialectId } from '../../dialects/index.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { isJsonObject, nonEmptyText, parseJson, type JsonObject } from '../../json/objects.ts'
import type { ParserOptions } from '../../parser-stage.ts'
import { demandsReasoning, lostReasoning } from '../../request/reasoning-policy.ts'
import { ToolHistory } from '../../request/tool-history.ts'
import type { AdapterOptions } from '../adapter-options.ts'
import { explicitFormat, targetFormat } from '../target-format.ts'

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
  dialect: DialectId,
  options: AdapterOptions,
): PreparedRequest | null {
  const body = parseJson(text)
  const { messages: codec, format: dialectFormat } = dialects[dialect].request
  const { places } = codec
  const given = isJsonObject(body) ? body[places.field] : undefined
  if (!isJsonObject(body) || !Array.isArray(given)) return null
  const messages: readonly unknown[] = given
  const model = options.model ?? nonEmptyText(body['model']) ?? ''
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
  const tools = options.tools === undefined ? toolsIn(body) : options.tools
  const isForbidden = forbidsCalls(body) && (tools?.length ?? 0) > 0
  return {
    dialect,
    body: isSame ? text : JSON.stringify({ ...body, [places.field]: sent }),
    parser: {
      ...options,
      model,
      format: explicit,
      ...(isForbidden ? { calls: 'remove', tools: undefined } : { tools, ...forcedCalls(body) }),
    },
    conversationIds: new Set(callIds),
  }
}

function toolsIn({ tools }: JsonObject): readonly JsonObject[] {
  return Array.isArray(tools) ? tools.filter(isJsonObject) : []
}

/** A call that the client forces is often written as JSON alone: the parser has to know of it. */
function forcedCalls({
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: JsonObject): Pick<ParserOptions, 'toolChoice' | 'parallelToolCalls'> {
  const named = isJsonObject(choice) ? choice : {}
  const called = isJsonObject(named['function']) ? named['function'] : named
  const name = nonEmptyText(called['name'])
  const isRequired = choice === 'required' || named['type'] === 'any'
  const isSingle = parallel === false || named['disable_parallel_tool_use'] === true
  return {
    ...(isRequired ? { toolChoice: 'required' } : name === null ? {} : { toolChoice: { name } }),
    ...(isSingle ? { parallelToolCalls: false } : {}),
  }
}

function forbidsCalls({ tool_choice: choice }: JsonObject): boolean {
  return choice === 'none' || (isJsonObject(choice) && choice['type'] === 'none')
}
