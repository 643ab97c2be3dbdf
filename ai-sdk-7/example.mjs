// The Vercel AI SDK, version 7: a conversation that begins with one model and goes on with another. The middleware gives
// each its own tool ids. `npm ci` in this folder installs that version.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { toolCallMiddleware } from '@dragoman/core/ai-sdk'
import { generateText, isStepCount, jsonSchema, tool, wrapLanguageModel } from 'ai'
import { startChatServer } from '../examples/simulator.mjs'
import { expectToolRan, getWeather, question, weather } from '../examples/weather-tool.mjs'

const baseURL = await startChatServer()
const provider = createOpenAICompatible({ name: 'local', baseURL })
const middleware = toolCallMiddleware()
const tools = {
  get_weather: tool({ inputSchema: jsonSchema(weather.parameters), execute: getWeather }),
}

const messages = []
await ask('kimi-k2')
await ask('mistral-nemo')
expectToolRan()

async function ask(name) {
  messages.push({ role: 'user', content: question })
  const result = await generateText({
    model: wrapLanguageModel({ model: provider(name), middleware }),
    messages,
    tools,
    stopWhen: isStepCount(5),
  })
  console.log(`${name}: ${result.text}`)
  messages.push(...result.responseMessages)
}
