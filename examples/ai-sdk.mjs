// The Vercel AI SDK, version 6. For version 7 the middleware is `toolCallMiddleware`, and nothing else changes.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { toolCallMiddlewareV3 } from '@dragoman/core/ai-sdk'
import { jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai'
import { startChatServer } from './simulator.mjs'
import { expectToolRan, getWeather, question, weather } from './weather-tool.mjs'

const baseURL = await startChatServer()
const provider = createOpenAICompatible({ name: 'local', baseURL })

const { textStream } = streamText({
  model: wrapLanguageModel({ model: provider('kimi-k2'), middleware: toolCallMiddlewareV3() }),
  prompt: question,
  stopWhen: stepCountIs(5),
  tools: {
    get_weather: tool({
      description: weather.description,
      inputSchema: jsonSchema(weather.parameters),
      execute: getWeather,
    }),
  },
})
for await (const piece of textStream) process.stdout.write(piece)

console.log()
expectToolRan()
