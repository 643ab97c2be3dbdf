// LangChain: its OpenAI class takes the same fetch.
import { createFetch } from '@dragoman/core/fetch'
import { HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { startChatServer } from './simulator.mjs'
import { expectToolRan, getWeather, question, weather } from './weather-tool.mjs'

const baseURL = await startChatServer()
const { name, description, parameters } = weather
const getWeatherTool = tool(getWeather, { name, description, schema: parameters })

const model = new ChatOpenAI({
  model: 'kimi-k2',
  apiKey: 'none',
  configuration: { baseURL, fetch: createFetch() },
}).bindTools([getWeatherTool])

const messages = [new HumanMessage(question)]
const asked = await model.invoke(messages)
console.log(asked.text)
const results = await Promise.all(asked.tool_calls.map((call) => getWeatherTool.invoke(call)))
const answer = await model.invoke([...messages, asked, ...results])
console.log(answer.text)

expectToolRan()
