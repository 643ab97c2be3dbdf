import { isJsonObject, nonEmptyText, parseJson, type JsonObject } from '../../json/objects.ts'
import { reasoningTextFields } from '../../dialects/openai-chat/answer/reasoning-fields.ts'
import { demandsReasoning, lostReasoning } from '../../request/reasoning-policy.ts'
import type { FormatId } from '../../formats/format-id.ts'
import type { ParserOptions } from '../../parser-stage.ts'
import type { AdapterOptions } from '../adapter-options.ts'
import { explicitFormat, targetFormat } from '../target-format.ts'
import { ToolHistory } from '../tool-ids.ts'
import { chatPlaces } from './chat-places.ts'
import { messagePlaces } from './message-places.ts'

export type FetchDialect = 'anthropic-messages' | 'openai-chat'

/** A request for an answer, and what is needed to read that answer. */
export interface PreparedRequest {
  readonly dialect: FetchDialect
  /** The body to send: the very text that came where nothing in it had to change. */
  readonly body: string
  readonly parser: ParserOptions
  readonly conversationIds: ReadonlySet<string>
}

/** Null for a body that asks for no answer of this dialect. */
export function prepareRequest(
  text: string,
  dialect: FetchDialect,
  options: AdapterOptions,
): PreparedRequest | null {
  const body = parseJson(text)
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) return null
  const messages: readonly unknown[] = body['messages']
  const model = options.model ?? nonEmptyText(body['model']) ?? ''
  const explicit = explicitFormat(options, model)

  const history = new ToolHistory(messages, dialect === 'openai-chat' ? chatPlaces : messagePlaces)
  const { callIds } = history
  // What speaks Anthropic's dialect checks ids by Anthropic's rules, whatever model runs there.
  const target =
    explicit === 'auto' && dialect === 'anthropic-messages'
      ? 'anthropic'
      : targetFormat(explicit, model, callIds.at(-1))
  const mapped = history.messagesFor(target)
  const sent = dialect === 'openai-chat' ? mapped.map((message) => withReasoning(message, target)) : mapped
  const isSame = sent.every((message, at) => message === messages[at])
  const tools = options.tools === undefined ? toolsIn(body) : options.tools
  const isForbidden = forbidsCalls(body) && (tools?.length ?? 0) > 0
  return {
    dialect,
    body: isSame ? text : JSON.stringify({ ...body, messages: sent }),
    parser: {
      ...options,
      model,
      format: explicit,
      ...(isForbidden ? { calls: 'remove', tools: undefined } : { tools }),
    },
    conversationIds: new Set(callIds),
  }
}

function withReasoning(message: unknown, format: FormatId): unknown {
  if (!demandsReasoning(format) || !isJsonObject(message) || message['role'] !== 'assistant') return message
  const calls = message['tool_calls']
  const hasReasoning = [...reasoningTextFields, 'reasoning_details'].some((field) => {
    const value = message[field]
    return Array.isArray(value) ? value.length > 0 : nonEmptyText(value) !== null
  })
  if (!Array.isArray(calls) || calls.length === 0 || hasReasoning) return message
  return { ...message, reasoning_content: lostReasoning }
}

function toolsIn({ tools }: JsonObject): readonly JsonObject[] {
  return Array.isArray(tools) ? tools.filter(isJsonObject) : []
}

function forbidsCalls({ tool_choice: choice }: JsonObject): boolean {
  return choice === 'none' || (isJsonObject(choice) && choice['type'] === 'none')
}
