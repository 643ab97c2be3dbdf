// The Anthropic SDK with a server of its dialect that runs an open model and does not read the model's calls.
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { createFetch } from '@dragoman/core/fetch'
import { startMessagesServer } from './simulator.mjs'
import { expectToolRan, getWeather, question, weather } from './weather-tool.mjs'

const baseURL = await startMessagesServer()
const client = new Anthropic({ baseURL, apiKey: 'none', fetch: createFetch() })

const { name, description, parameters } = weather
const answer = await client.beta.messages.toolRunner({
  model: 'qwen3',
  max_tokens: 1000,
  messages: [{ role: 'user', content: question }],
  tools: [betaTool({ name, description, inputSchema: parameters, run: getWeather })],
})
for (const block of answer.content) if (block.type === 'text') console.log(block.text)

expectToolRan()
