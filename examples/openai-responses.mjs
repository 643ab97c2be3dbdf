// The Responses API of the OpenAI SDK on a server that has chat completions alone, with a model that writes its tool
// calls as text.
import { createFetch } from '@dragoman/core/fetch'
import OpenAI from 'openai'
import { startChatServer } from './simulator.mjs'
import { expectToolRan, getWeather, question, weather } from './weather-tool.mjs'

const baseURL = await startChatServer()
const client = new OpenAI({
  baseURL,
  apiKey: 'none',
  fetch: createFetch({ upstream: { dialect: 'openai-chat' } }),
})

const input = [{ role: 'user', content: question }]
const tools = [{ type: 'function', ...weather, strict: false }]

async function converse() {
  const stream = client.responses.stream({ model: 'kimi-k2', input, tools, store: false })
  stream.on('response.output_text.delta', ({ delta }) => process.stdout.write(delta))
  const { output } = await stream.finalResponse()
  const calls = output.filter(({ type }) => type === 'function_call')
  if (calls.length === 0) return
  const results = calls.map((call) => ({
    type: 'function_call_output',
    call_id: call.call_id,
    output: getWeather(JSON.parse(call.arguments)),
  }))
  // Nobody keeps the conversation: what the model said goes back with the results.
  input.push(...output, ...results)
  await converse()
}

await converse()
console.log()
expectToolRan()
