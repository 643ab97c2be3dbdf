// Any async iterable of text, through `parseChunks`. The OpenAI SDK stands for whatever gives you the pieces: each
// says in which field of the answer it came.
import { assemble } from '@dragoman/core'
import { parseChunks } from '@dragoman/core/streams'
import OpenAI from 'openai'
import { startChatServer } from './simulator.mjs'
import { expectToolRan, getWeather, question, weather } from './weather-tool.mjs'

const baseURL = await startChatServer()
const client = new OpenAI({ baseURL, apiKey: 'none' })
const model = 'kimi-k2-thinking'
const tools = [{ type: 'function', function: weather }]
const messages = [{ role: 'user', content: question }]

const events = []
for await (const event of parseChunks(pieces(), { model, tools })) {
  console.log(JSON.stringify(event))
  events.push(event)
}
for (const call of assemble(events).toolCalls) console.log(getWeather(JSON.parse(call.arguments)))

expectToolRan()

async function* pieces() {
  const stream = await client.chat.completions.create({ model, messages, tools, stream: true })
  for await (const { choices } of stream) {
    const { reasoning_content: reasoning, content } = choices[0]?.delta ?? {}
    if (reasoning) yield { text: reasoning, channel: 'reasoning' }
    if (content) yield content
  }
}
