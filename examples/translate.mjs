// An Anthropic client on a server that speaks OpenAI's chat dialect: its request is translated there, the answer back.
import { dialects, makeSignature, mintToolId, translateAnswer } from '@dragoman/core'
import { startChatServer } from './simulator.mjs'
import { expectToolRan, getWeather, question, weather } from './weather-tool.mjs'

const baseURL = await startChatServer()
const model = 'kimi-k2'
const body = {
  model: 'claude-sonnet',
  max_tokens: 1000,
  stream: true,
  messages: [{ role: 'user', content: question }],
  tools: [{ name: weather.name, description: weather.description, input_schema: weather.parameters }],
}

const client = dialects['anthropic-messages']
const upstream = dialects['openai-chat']

const decoded = client.request.decode(body)
if ('error' in decoded) throw new Error(`${decoded.error.field}: ${decoded.error.message}`)
const { request } = decoded
const sent = upstream.request.encode(request, { model, format: 'kimi' }) // { body, toolNames, notes }

const response = await fetch(`${baseURL}/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', ...upstream.http.headers() },
  body: JSON.stringify(sent.body),
})
const translation = translateAnswer({
  from: 'openai-chat',
  to: 'anthropic-messages',
  delivered: 'stream',
  wants: 'stream',
  includeUsage: true,
  parser: { model, tools: request.tools },
  clientToolName: (name) => sent.toolNames.toClient(name),
  mint: (format, taken) =>
    mintToolId({ dialect: 'anthropic-messages', format, taken, newId: () => crypto.randomUUID() }),
  encoding: () => ({
    id: `msg_${crypto.randomUUID()}`,
    model: request.model,
    created: Math.floor(Date.now() / 1000),
    inputTokens: () => 0,
    signature: (field) => makeSignature({ format: 'kimi', field, model }),
  }),
})
let text = ''
for await (const chunk of response.body) text += translation.push(chunk)
text += translation.end()
if (translation.failure !== null) throw new Error(translation.failure.message)

console.log(text)
const message = client.answer.whole.collect()
message.push(text)
for (const block of message.end().value.content) {
  if (block.type === 'tool_use') console.log(getWeather(block.input))
}

expectToolRan()
