import { parseToolCalls, type FormatId } from '@dragoman/core'
import {
  InvalidRequest,
  type ChatMessage,
  type ChatRequest,
  type OfferedTool,
  type PastCall,
} from './chat-request.ts'
import { isJsonObject, type JsonObject } from './json.ts'

/**
 * The request as a model without tool support reads it. It knows of tools, calls and results only what the text says.
 * Its server refuses them in fields of their own.
 */
export function readPromptedRequest(request: ChatRequest, format: FormatId): ChatRequest {
  const hasFields = request.messages.some(({ role, calls }) => role === 'tool' || calls.length > 0)
  if (request.tools.length > 0 || hasFields) {
    throw new InvalidRequest(`${request.model} does not support tools.`)
  }
  const tools = toolsIn(systemText(request.messages))
  const history = new PromptedHistory(format, tools)
  return { ...request, tools, messages: request.messages.flatMap((message) => history.read(message)) }
}

/** Whether tools are described in the prompt and none in fields of their own. A model that can call does so then too. */
export function isPrompted({ messages, tools }: ChatRequest): boolean {
  return tools.length === 0 && toolsIn(systemText(messages)).length > 0
}

/** The format that the prompt asks for. A model that was trained on no format of its own follows it. */
export function promptedFormat({ messages }: ChatRequest): 'hermes' | 'xml' | 'llama' {
  const lines = systemText(messages).split('\n')
  if (lines.includes('<function_calls>')) return 'xml'
  const hasJsonAlone = lines.some((line) => line.startsWith('{"name": "NAME", "parameters"'))
  return hasJsonAlone ? 'llama' : 'hermes'
}

function systemText(messages: readonly ChatMessage[]): string {
  return messages
    .filter(({ role }) => role === 'system')
    .map(({ text }) => text)
    .join('\n')
}

/** Reads the tools of a prompt. Each is a line of JSON, alone or between tags. */
function toolsIn(text: string): OfferedTool[] {
  return text.split('\n').flatMap((line) => {
    const tagged = /^<function>(.*)<\/function>$/.exec(line)?.[1]
    const described = parsed(tagged ?? line)
    const tool = tagged === undefined ? described['function'] : described
    if (!isJsonObject(tool) || typeof tool['name'] !== 'string') return []
    const { name, parameters } = tool
    return [{ name, parameters: isJsonObject(parameters) ? parameters : {} }]
  })
}

class PromptedHistory {
  readonly #format: FormatId
  readonly #tools: readonly OfferedTool[]
  #open: PastCall[] = []
  #callCount = 0

  constructor(format: FormatId, tools: readonly OfferedTool[]) {
    this.#format = format
    this.#tools = tools
  }

  read(message: ChatMessage): ChatMessage[] {
    if (message.role === 'assistant') return [this.#answer(message)]
    return message.role === 'user' ? this.#said(message) : [message]
  }

  #answer(message: ChatMessage): ChatMessage {
    const tools = this.#tools.map((tool) => ({ ...tool }))
    // Calls without tags are a message of their own, as the model writes them, or the last line after text.
    const lastLine = this.#format === 'llama' ? message.text.lastIndexOf('\n{"name"') + 1 : 0
    const written = message.text.slice(lastLine)
    const { content, toolCalls } = parseToolCalls(written, { format: this.#format, tools })
    const calls = toolCalls.map(({ name, arguments: json }) => ({
      id: `prompted_${this.#callCount++}`,
      name,
      arguments: json,
    }))
    this.#open = [...calls]
    return { ...message, text: message.text.slice(0, lastLine) + content, calls }
  }

  /** Takes the results in a message for those of the calls before it, in order. */
  #said(message: ChatMessage): ChatMessage[] {
    const { results, rest } = resultsIn(message.text)
    const answers = results.map((text): ChatMessage => ({
      role: 'tool',
      text,
      reasoningContent: '',
      calls: [],
      callId: this.#open.shift()?.id,
    }))
    return rest === '' && answers.length > 0 ? answers : [...answers, { ...message, text: rest }]
  }
}

/** Matches a result in every form in which prompts hold one. */
const resultPattern =
  /<tool_response>\n(?<json>.*)\n<\/tool_response>|<(?<tag>result|error) name="[^"]*">\n(?<text>[^]*?)\n<\/\k<tag>>|^(?<line>\{"tool":.*\})$/gm

function resultsIn(text: string): { readonly results: readonly string[]; readonly rest: string } {
  const results = [...text.matchAll(resultPattern)].map(({ groups }) => {
    const json = groups?.['json'] ?? groups?.['line']
    return json === undefined ? (groups?.['text'] ?? '') : resultText(parsed(json))
  })
  const rest = text.replaceAll(resultPattern, '').replaceAll(/<\/?function_results>/g, '')
  return { results, rest: rest.trim() }
}

function resultText(result: JsonObject): string {
  const said = result['content'] ?? result['output'] ?? result['error']
  return typeof said === 'string' ? said : JSON.stringify(said ?? '')
}

function parsed(json: string): JsonObject {
  try {
    const value: unknown = JSON.parse(json)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
