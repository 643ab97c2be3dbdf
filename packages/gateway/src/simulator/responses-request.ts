import {
  type ChatMessage,
  type ChatRequest,
  holdsImages,
  InvalidRequest,
  type OfferedTool,
  wishesThinking,
} from './chat-request.ts'
import { isJsonObject, type JsonObject } from './json.ts'

/** Reads a request for a response. It takes what servers of open models take: messages, functions, their results, reasoning. */
export function readResponsesRequest(body: unknown): ChatRequest {
  if (!isJsonObject(body)) throw new InvalidRequest('The body must be a JSON object.')
  const { model, input, instructions, tools, max_output_tokens: most } = body
  if (typeof model !== 'string' || model === '') throw new InvalidRequest('model: must be a text.')
  const items: readonly unknown[] = typeof input === 'string' ? [userItem(input)] : listOf(input)
  if (items.length === 0) throw new InvalidRequest('input: must not be empty.')
  const system = typeof instructions === 'string' ? [plain('system', instructions)] : []
  const { reasoning, text } = body
  return {
    model,
    messages: [...system, ...readItems(items)],
    tools: listOf(tools).flatMap(readTool),
    toolChoice: readChoice(body['tool_choice']),
    allowsParallel: body['parallel_tool_calls'] !== false,
    isStream: body['stream'] === true,
    wantsUsage: true,
    maxTokens: typeof most === 'number' ? most : undefined,
    thinking:
      isJsonObject(reasoning) && reasoning['effort'] !== undefined
        ? reasoning['effort'] !== 'none'
        : undefined,
    wishesThinking: wishesThinking(body),
    hasImages: holdsImages(items),
    answerSchema: readSchema(isJsonObject(text) ? text['format'] : undefined),
    promptLength: JSON.stringify([items, instructions ?? '', tools ?? []]).length,
  }
}

function userItem(text: string): JsonObject {
  return { type: 'message', role: 'user', content: text }
}

/** Reasoning, text and calls that stand side by side are one message, as in the chat dialect: one form of history is checked. */
function readItems(items: readonly unknown[]): ChatMessage[] {
  const messages: ChatMessage[] = []
  for (const [index, item] of items.entries()) {
    if (!isJsonObject(item)) throw new InvalidRequest(`input.${index}: must be an object.`)
    const read = readItem(item, index)
    const last = messages.at(-1)
    if (read.role === 'assistant' && last?.role === 'assistant') {
      messages[messages.length - 1] = {
        ...last,
        text: last.text + read.text,
        reasoningContent: last.reasoningContent + read.reasoningContent,
        hasReasoning: last.hasReasoning === true || read.hasReasoning === true,
        calls: [...last.calls, ...read.calls],
      }
    } else {
      messages.push(read)
    }
  }
  return messages
}

function readItem(item: JsonObject, index: number): ChatMessage {
  const { type = 'message', role, content, call_id: id } = item
  const callId = typeof id === 'string' ? id : undefined
  switch (type) {
    case 'message':
      return plain(
        role === 'developer' ? 'system' : typeof role === 'string' ? role : 'user',
        textOf(content),
      )
    case 'reasoning':
      return {
        ...plain('assistant', ''),
        reasoningContent: textOf(content) || textOf(item['summary']),
        hasReasoning: true,
      }
    case 'function_call': {
      const name = typeof item['name'] === 'string' ? item['name'] : ''
      return { ...plain('assistant', ''), calls: [{ id: callId, name, arguments: item['arguments'] }] }
    }
    case 'function_call_output':
      return { ...plain('tool', textOf(item['output'])), callId }
    default:
      throw new InvalidRequest(`input.${index}: items of the type ${String(type)} are not known.`)
  }
}

function plain(role: string, text: string): ChatMessage {
  return { role, text, reasoningContent: '', calls: [], callId: undefined }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .filter((text) => text !== '')
    .join('\n')
}

/** Tools that are no functions are run by the vendor, and this is none. */
function readTool(tool: unknown, index: number): OfferedTool[] {
  const { type, name, parameters } = isJsonObject(tool) ? tool : {}
  if (type !== 'function') return []
  if (typeof name !== 'string' || name === '') throw new InvalidRequest(`tools.${index}.name: is missing.`)
  return [{ name, parameters: isJsonObject(parameters) ? parameters : {} }]
}

function readChoice(choice: unknown): ChatRequest['toolChoice'] {
  if (isJsonObject(choice) && typeof choice['name'] === 'string') return { named: choice['name'] }
  return choice === 'required' || choice === 'none' ? choice : 'auto'
}

function readSchema(format: unknown): JsonObject | undefined {
  if (!isJsonObject(format)) return undefined
  if (format['type'] === 'json_object') return {}
  return format['type'] === 'json_schema' && isJsonObject(format['schema']) ? format['schema'] : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
