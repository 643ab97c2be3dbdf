// A web stream of a model's text, through `toTransformStream`: no SDK, and nothing of Node's own in the reading.
import { createSseDecoder } from '@dragoman/core'
import { toTransformStream } from '@dragoman/core/streams'
import { startChatServer } from './simulator.mjs'
import { expectToolRan, getWeather, question, weather } from './weather-tool.mjs'

const baseURL = await startChatServer()
const model = 'deepseek-v3'
const tools = [{ type: 'function', function: weather }]
const response = await fetch(`${baseURL}/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model, stream: true, tools, messages: [{ role: 'user', content: question }] }),
})

const events = response.body.pipeThrough(deltas()).pipeThrough(toTransformStream({ model, tools }))
const call = { name: '', json: '' }
for await (const event of events) {
  if (event.type === 'text') process.stdout.write(event.text)
  if (event.type === 'call-start') call.name = event.name
  if (event.type === 'call-delta') call.json += event.json
  if (event.type === 'call-end' && event.complete) console.log(`\n${getWeather(JSON.parse(call.json))}`)
}

expectToolRan()

/** The text of each chunk of a chat stream. */
function deltas() {
  const decoder = createSseDecoder()
  return new TransformStream({
    transform(bytes, controller) {
      for (const { kind, data } of decoder.push(bytes)) {
        if (kind !== 'event' || data === '[DONE]') continue
        const text = JSON.parse(data).choices[0]?.delta.content
        if (text) controller.enqueue(text)
      }
    },
  })
}
