import {
  type ChatMessage,
  type ChatRequest,
  holdsImages,
  InvalidRequest,
  type OfferedTool,
} from './chat-request.ts'
import { isSimulatedSignature } from './gemini-answer.ts'
import { isJsonObject, type JsonObject } from './json.ts'

/** The body with what Gemini's dialect says in the address: the model, and whether the answer is to be a stream. */
export function withAddress(body: unknown, path: string): unknown {
  const [, model, method] = /\/models\/(.+):(\w+)$/s.exec(path) ?? []
  if (!isJsonObject(body) || model === undefined) return body
  return { ...body, model: decodeURIComponent(model), stream: method === 'streamGenerateContent' }
}

/** Reads a request in Gemini's dialect. It refuses what Gemini's server answers with a 400. */
export function readGeminiRequest(body: unknown): ChatRequest {
  if (!isJsonObject(body)) throw new InvalidRequest('The body must be a JSON object.')
  const { model, contents, systemInstruction, tools, generationConfig } = body
  if (typeof model !== 'string' || model === '') throw new InvalidRequest('The address names no model.')
  if (!Array.isArray(contents) || contents.length === 0) throw new InvalidRequest('contents is not specified')
  const config = isJsonObject(generationConfig) ? generationConfig : {}
  const instructions: ChatMessage[] =
    systemInstruction === undefined ? [] : [plain('system', textOf(partsOf(systemInstruction)))]
  const maxTokens = config['maxOutputTokens']
  return {
    model,
    messages: [...instructions, ...readContents(contents)],
    tools: declarationsIn(tools).map(readTool),
    toolChoice: readChoice(body['toolConfig']),
    allowsParallel: true,
    isStream: body['stream'] === true,
    wantsUsage: true,
    maxTokens: typeof maxTokens === 'number' ? maxTokens : undefined,
    thinking: thinkingIn(config['thinkingConfig']),
    wishesThinking: config['thinkingConfig'] !== undefined,
    hasImages: holdsImages(contents),
    answerSchema: schemaIn(config),
    promptLength: JSON.stringify([contents, tools ?? []]).length,
  }
}

/**
 * Turns responses into messages of their own, as in the chat dialect, so that there is one form of history to check. A
 * response without an id answers the call at its place.
 */
function readContents(contents: readonly unknown[]): ChatMessage[] {
  const messages: ChatMessage[] = []
  let called: readonly string[] = []
  for (const [at, content] of contents.entries()) {
    const { role } = isJsonObject(content) ? content : {}
    const parts = partsOf(content)
    if (parts.length === 0) throw new InvalidRequest(`contents[${at}].parts must not be empty.`)
    const responses = parts.map((part) => part['functionResponse']).filter(isJsonObject)
    if (responses.length !== called.length) {
      throw new InvalidRequest(
        'The number of function response parts must be equal to the number of function call parts of the turn before.',
      )
    }
    for (const [place, response] of responses.entries()) messages.push(readResponse(response, called[place]))
    const text = textOf(parts)
    if (role === 'model') {
      const message = readModel(parts, text, at)
      called = message.calls.map(({ id }) => id ?? '')
      messages.push(message)
    } else {
      called = []
      if (responses.length === 0 || text !== '') messages.push(plain('user', text))
    }
  }
  if (called.length > 0) throw new InvalidRequest('The last function calls have no responses.')
  return messages
}

function readModel(parts: readonly JsonObject[], text: string, at: number): ChatMessage {
  const calling = parts.filter((part) => isJsonObject(part['functionCall']))
  const signature = calling[0]?.['thoughtSignature']
  return {
    ...plain('assistant', text),
    hasReasoning: parts.some(({ thought }) => thought === true),
    hasWrongSignature: signature !== undefined && !isSimulatedSignature(signature),
    calls: calling.map(({ functionCall }, place) => {
      const { id, name, args } = isJsonObject(functionCall) ? functionCall : {}
      return {
        id: typeof id === 'string' ? id : `turn_${at}_${place}`,
        name: typeof name === 'string' ? name : '',
        arguments: JSON.stringify(args ?? {}),
      }
    }),
  }
}

function readResponse({ name, response }: JsonObject, callId: string | undefined): ChatMessage {
  if (typeof name !== 'string' || name === '') throw new InvalidRequest('A function response has no name.')
  if (!isJsonObject(response)) throw new InvalidRequest(`The response of ${name} must be an object.`)
  return { ...plain('tool', JSON.stringify(response)), callId }
}

function plain(role: string, text: string): ChatMessage {
  return { role, text, reasoningContent: '', calls: [], callId: undefined }
}

function partsOf(content: unknown): JsonObject[] {
  const parts = isJsonObject(content) ? content['parts'] : undefined
  return Array.isArray(parts) ? parts.filter(isJsonObject) : []
}

function textOf(parts: readonly JsonObject[]): string {
  return parts
    .map(({ text, thought }) => (typeof text === 'string' && thought !== true ? text : ''))
    .filter((text) => text !== '')
    .join('\n')
}

function declarationsIn(tools: unknown): readonly unknown[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: unknown): unknown[] => {
    const declared = isJsonObject(tool) ? tool['functionDeclarations'] : undefined
    return Array.isArray(declared) ? declared : []
  })
}

function readTool(tool: unknown): OfferedTool {
  const { name, parametersJsonSchema, parameters } = isJsonObject(tool) ? tool : {}
  if (typeof name !== 'string' || name === '') throw new InvalidRequest('A function declaration has no name.')
  const schema = parametersJsonSchema ?? parameters
  return { name, parameters: isJsonObject(schema) ? schema : {} }
}

function readChoice(toolConfig: unknown): ChatRequest['toolChoice'] {
  const calling = isJsonObject(toolConfig) ? toolConfig['functionCallingConfig'] : undefined
  const { mode, allowedFunctionNames: names } = isJsonObject(calling) ? calling : {}
  if (mode === 'NONE') return 'none'
  if (mode !== 'ANY') return 'auto'
  const [only]: unknown[] = Array.isArray(names) && names.length === 1 ? names : []
  return typeof only === 'string' ? { named: only } : 'required'
}

function thinkingIn(thinking: unknown): boolean | undefined {
  const { includeThoughts, thinkingBudget: budget } = isJsonObject(thinking) ? thinking : {}
  if (budget === 0) return false
  return includeThoughts === true || budget !== undefined ? true : undefined
}

function schemaIn(config: JsonObject): JsonObject | undefined {
  const schema = config['responseJsonSchema'] ?? config['responseSchema']
  if (isJsonObject(schema)) return schema
  return config['responseMimeType'] === 'application/json' ? {} : undefined
}
