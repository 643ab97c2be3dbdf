import {
  type ChatMessage,
  type ChatRequest,
  holdsImages,
  InvalidRequest,
  type OfferedTool,
  wishesThinking,
} from './chat-request.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { signatureOf } from './messages-answer.ts'

/** Reads a request in Anthropic's dialect. It refuses what Anthropic's server answers with a 400. */
export function readMessagesRequest(body: unknown): ChatRequest {
  if (!isJsonObject(body)) throw new InvalidRequest('The body must be a JSON object.')
  const { model, messages, max_tokens: maxTokens, system, tools } = body
  if (typeof model !== 'string' || model === '') throw new InvalidRequest('model: must be a text.')
  if (typeof maxTokens !== 'number') throw new InvalidRequest('max_tokens: is missing.')
  if (!Array.isArray(messages) || messages.length === 0)
    throw new InvalidRequest('messages: must not be empty.')
  const instructions: ChatMessage[] = system === undefined ? [] : [plain('system', textOf(system))]
  const thinking = body['thinking']
  return {
    model,
    messages: [...instructions, ...messages.flatMap(readMessage)],
    tools: Array.isArray(tools) ? tools.map(readTool) : [],
    ...readChoice(body['tool_choice']),
    isStream: body['stream'] === true,
    wantsUsage: true,
    maxTokens,
    thinking: isJsonObject(thinking) ? thinking['type'] !== 'disabled' : false,
    wishesThinking: wishesThinking(body),
    hasImages: holdsImages(messages),
    answerSchema: undefined,
    promptLength: JSON.stringify([messages, tools ?? []]).length,
  }
}

/**
 * Turns results into messages of their own, as in the chat dialect, so that there is one form of history to check.
 */
function readMessage(message: unknown, index: number): ChatMessage[] {
  const at = `messages.${index}`
  if (!isJsonObject(message)) throw new InvalidRequest(`${at}: must be an object.`)
  const { content } = message
  const role = index % 2 === 0 ? 'user' : 'assistant'
  if (message['role'] !== role) {
    throw new InvalidRequest(`${at}: the roles must alternate, beginning with user.`)
  }
  if (typeof content === 'string') return [plain(role, content)]
  if (!Array.isArray(content) || content.length === 0) throw new InvalidRequest(`${at}: content is empty.`)
  const blocks = content.map((block: unknown) => (isJsonObject(block) ? block : {}))
  if (blocks.some(({ type, text }) => type === 'text' && text === '')) {
    throw new InvalidRequest(`${at}: text content blocks must be non-empty.`)
  }
  return role === 'user' ? readUser(blocks, at) : [readAssistant(blocks)]
}

function readUser(blocks: readonly JsonObject[], at: string): ChatMessage[] {
  const lastResult = blocks.findLastIndex(({ type }) => type === 'tool_result')
  if (blocks.slice(0, lastResult + 1).some(({ type }) => type !== 'tool_result')) {
    throw new InvalidRequest(`${at}: tool_result blocks must come first.`)
  }
  const results = blocks.slice(0, lastResult + 1).map(readResult)
  const said = blocks.slice(lastResult + 1)
  return said.length === 0 ? results : [...results, plain('user', textOf(said))]
}

function readResult({ content, tool_use_id: id }: JsonObject): ChatMessage {
  return { ...plain('tool', textOf(content)), callId: typeof id === 'string' ? id : undefined }
}

function readAssistant(blocks: readonly JsonObject[]): ChatMessage {
  const thoughts = blocks.filter(({ type }) => type === 'thinking')
  return {
    ...plain('assistant', textOf(blocks)),
    hasReasoning: thoughts.length > 0,
    hasWrongSignature: thoughts.some(
      ({ thinking, signature }) => signature !== signatureOf(String(thinking)),
    ),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({
        id: typeof id === 'string' ? id : undefined,
        name: typeof name === 'string' ? name : '',
        arguments: JSON.stringify(input),
      })),
  }
}

function plain(role: string, text: string): ChatMessage {
  return { role, text, reasoningContent: '', calls: [], callId: undefined }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block: unknown) => (isJsonObject(block) && typeof block['text'] === 'string' ? block['text'] : ''))
    .filter((text) => text !== '')
    .join('\n')
}

function readTool(tool: unknown, index: number): OfferedTool {
  const { name, input_schema: parameters } = isJsonObject(tool) ? tool : {}
  if (typeof name !== 'string' || name === '') throw new InvalidRequest(`tools.${index}.name: is missing.`)
  return { name, parameters: isJsonObject(parameters) ? parameters : {} }
}

function readChoice(choice: unknown): Pick<ChatRequest, 'toolChoice' | 'allowsParallel'> {
  const { type, name, disable_parallel_tool_use: single } = isJsonObject(choice) ? choice : {}
  const allowsParallel = single !== true
  if (type === 'tool' && typeof name === 'string') return { toolChoice: { named: name }, allowsParallel }
  return { toolChoice: type === 'any' ? 'required' : type === 'none' ? 'none' : 'auto', allowsParallel }
}
