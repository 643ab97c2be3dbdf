// The OpenAI SDK with a model that writes its tool calls as text: one option makes it work.
import { createFetch } from '@dragoman/core/fetch'
import OpenAI from 'openai'
import { startChatServer } from './simulator.mjs'
import { expectToolRan, getWeather, question, weather } from './weather-tool.mjs'

const baseURL = await startChatServer()
const client = new OpenAI({ baseURL, apiKey: 'none', fetch: createFetch() })

const runner = client.chat.completions.runTools({
  model: 'kimi-k2',
  stream: true,
  messages: [{ role: 'user', content: question }],
  tools: [{ type: 'function', function: { ...weather, parse: JSON.parse, function: getWeather } }],
})
runner.on('content', (piece) => process.stdout.write(piece))
await runner.finalContent()

console.log()
expectToolRan()
