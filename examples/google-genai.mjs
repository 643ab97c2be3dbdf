// Google's SDK with an open model. It takes no fetch of its own, so it is pointed at the gateway.
import { GoogleGenAI } from '@google/genai'
import { startGateway } from './simulator.mjs'
import { expectToolRan, getWeather, question, weather } from './weather-tool.mjs'

const baseUrl = await startGateway()
const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } })

const { name, description, parameters } = weather
const config = {
  tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }],
}
const contents = [{ role: 'user', parts: [{ text: question }] }]

async function converse() {
  const stream = await client.models.generateContentStream({ model: 'kimi-k2', contents, config })
  const parts = []
  for await (const { candidates } of stream) {
    for (const part of candidates?.[0]?.content?.parts ?? []) {
      parts.push(part)
      if (part.thought !== true) process.stdout.write(part.text ?? '')
    }
  }
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
  if (calls.length === 0) return
  const results = calls.map((call) => ({
    functionResponse: { id: call.id, name: call.name, response: { output: getWeather(call.args) } },
  }))
  // The parts go back as they came: what the model has thought is known by them.
  contents.push({ role: 'model', parts }, { role: 'user', parts: results })
  await converse()
}

await converse()
console.log()
expectToolRan()
