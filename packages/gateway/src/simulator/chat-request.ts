import { isJsonObject, type JsonObject } from './json.ts'

/** The parts of a chat request that the simulator reads. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly OfferedTool[]
  /** `named` is the one tool that must be called. */
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly named: string }
  readonly allowsParallel: boolean
  readonly isStream: boolean
  readonly wantsUsage: boolean
  readonly maxTokens: number | undefined
  /** Whether the request turns thinking on or off; undefined where it does neither. */
  readonly thinking: boolean | undefined
  /** The schema that the answer must follow; an empty one stands for any JSON. */
  readonly answerSchema: JsonObject | undefined
  /** Whether the request says how much the model is to think, in whichever words. */
  readonly wishesThinking: boolean
  readonly hasImages: boolean
  /** The number of characters in the prompt, for the usage. */
  readonly promptLength: number
}

export interface ChatMessage {
  readonly role: string
  readonly text: string
  /** Reasoning in the one field in which every server accepts it back. */
  readonly reasoningContent: string
  /** Whether reasoning stands in any field. */
  readonly hasReasoning?: boolean
  /** Whether reasoning came with another server's signature, or with none. */
  readonly hasWrongSignature?: boolean
  readonly calls: readonly PastCall[]
  readonly callId: string | undefined
}

export interface PastCall {
  readonly id: string | undefined
  readonly name: string
  readonly arguments: unknown
}

export interface OfferedTool {
  readonly name: string
  readonly parameters: JsonObject
}

/** The body is no chat request. */
export class InvalidRequest extends Error {}

export function readChatRequest(body: unknown): ChatRequest {
  if (!isJsonObject(body)) throw new InvalidRequest('The body must be a JSON object.')
  const { model, messages, tools } = body
  if (typeof model !== 'string' || model === '') throw new InvalidRequest('model must be a text.')
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new InvalidRequest('messages must be a list that is not empty.')
  }
  return {
    model,
    messages: messages.map(readMessage),
    tools: Array.isArray(tools) ? tools.map(readTool) : [],
    toolChoice: readToolChoice(body['tool_choice']),
    allowsParallel: body['parallel_tool_calls'] !== false,
    isStream: body['stream'] === true,
    wantsUsage: isJsonObject(body['stream_options']) && body['stream_options']['include_usage'] === true,
    maxTokens: readCount(body['max_completion_tokens'] ?? body['max_tokens']),
    thinking: readThinking(body),
    wishesThinking: wishesThinking(body),
    hasImages: holdsImages(messages),
    answerSchema: readAnswerSchema(body['response_format']),
    promptLength: JSON.stringify([messages, tools ?? []]).length,
  }
}

/** Whether one of the fields is there in which requests say how much the model is to think. */
export function wishesThinking(body: JsonObject): boolean {
  return wishesOfThinking.some((field) => body[field] !== undefined)
}

const wishesOfThinking = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'chat_template_kwargs',
  'output_config',
]

/** Whether images stand in the messages of a request, in the shape of any dialect. */
export function holdsImages(messages: unknown): boolean {
  return /"type":"(?:image|image_url|input_image)"|"mimeType":"image\//.test(JSON.stringify(messages ?? ''))
}

function readMessage(message: unknown, index: number): ChatMessage {
  if (!isJsonObject(message) || typeof message['role'] !== 'string') {
    throw new InvalidRequest(`messages[${index}] has no role.`)
  }
  const calls = message['tool_calls']
  const callId = message['tool_call_id']
  const reasoning = message['reasoning_content']
  return {
    role: message['role'],
    text: readText(message['content']),
    reasoningContent: typeof reasoning === 'string' ? reasoning : '',
    hasReasoning: reasoning !== undefined || message['reasoning'] !== undefined,
    calls: Array.isArray(calls) ? calls.map(readCall) : [],
    callId: typeof callId === 'string' ? callId : undefined,
  }
}

function readText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: unknown) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .filter((text) => text !== '')
    .join('\n')
}

function readCall(call: unknown): PastCall {
  const fields = isJsonObject(call) ? call : {}
  const called = isJsonObject(fields['function']) ? fields['function'] : {}
  return {
    id: typeof fields['id'] === 'string' ? fields['id'] : undefined,
    name: typeof called['name'] === 'string' ? called['name'] : '',
    arguments: called['arguments'],
  }
}

function readTool(tool: unknown, index: number): OfferedTool {
  const defined = isJsonObject(tool) ? tool['function'] : undefined
  if (!isJsonObject(defined) || typeof defined['name'] !== 'string' || defined['name'] === '') {
    throw new InvalidRequest(`tools[${index}] has no function with a name.`)
  }
  const { name, parameters } = defined
  return { name, parameters: isJsonObject(parameters) ? parameters : {} }
}

function readToolChoice(choice: unknown): ChatRequest['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice
  const named =
    isJsonObject(choice) && isJsonObject(choice['function']) ? choice['function']['name'] : undefined
  return typeof named === 'string' ? { named } : 'auto'
}

function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 1 ? Math.floor(value) : undefined
}

function readThinking(body: JsonObject): boolean | undefined {
  const { thinking, reasoning, reasoning_effort: effort, chat_template_kwargs: template } = body
  if (isJsonObject(thinking)) return thinking['type'] !== 'disabled'
  if (isJsonObject(reasoning)) return reasoning['enabled'] !== false && reasoning['effort'] !== 'none'
  if (typeof effort === 'string') return effort !== 'none'
  if (!isJsonObject(template)) return undefined
  const switched = template['enable_thinking'] ?? template['thinking']
  return typeof switched === 'boolean' ? switched : undefined
}

function readAnswerSchema(format: unknown): JsonObject | undefined {
  if (!isJsonObject(format)) return undefined
  if (format['type'] === 'json_object') return {}
  const outer = format['json_schema']
  const schema = isJsonObject(outer) ? outer['schema'] : undefined
  return format['type'] === 'json_schema' && isJsonObject(schema) ? schema : undefined
}
