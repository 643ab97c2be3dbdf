import { afterEach, describe, expect, it } from 'vitest'
import { between, stopAll } from './between.ts'

afterEach(stopAll)

/** A call as Qwen writes it, from a model whose name says Kimi. */
const foreign = '<tool_call>{"name":"ping","arguments":{}}</tool_call>'
const chatAnswer = {
  type: 'application/json',
  pieces: [
    JSON.stringify({
      choices: [{ index: 0, message: { role: 'assistant', content: foreign }, finish_reason: 'stop' }],
    }),
  ],
}
const messageAnswer = {
  type: 'application/json',
  pieces: [
    JSON.stringify({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: foreign }],
      stop_reason: 'end_turn',
    }),
  ],
}
const models = [{ match: '*', upstream: 'lab' }]
const request = { model: 'kimi-k2', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 }
const chatRequest = { ...request, tools: [{ type: 'function', function: { name: 'ping' } }] }
const messageRequest = { ...request, tools: [{ name: 'ping', input_schema: { type: 'object' } }] }

describe('a format that the name of the model suggests', () => {
  it('is a hint: a call in another syntax is read', async () => {
    const gateway = await between(chatAnswer, { settings: { models } })
    const { text } = await gateway.post('/v1/chat/completions', chatRequest)
    expect(text).toContain('"tool_calls":[')
    expect(gateway.requests).toMatchObject([{ format: 'qwen', formatFrom: 'answer' }])
  })
})

describe('a format that an override gives', () => {
  const formats = { overrides: { 'kimi-*': 'kimi' } }

  it('is law, also where the name suggests the same: another syntax is text', async () => {
    const gateway = await between(chatAnswer, { settings: { models, formats } })
    const { text } = await gateway.post('/v1/chat/completions', chatRequest)
    expect(text).not.toContain('"tool_calls"')
    expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { content: foreign } }] })
    expect(gateway.requests).toMatchObject([{ format: 'kimi', formatFrom: 'configuration' }])
  })

  it('wins over the dialect of the upstream', async () => {
    const gateway = await between(messageAnswer, {
      dialect: 'anthropic-messages',
      settings: { models, formats },
    })
    const { text } = await gateway.post('/v1/messages', messageRequest)
    expect(JSON.parse(text)).toMatchObject({ content: [{ type: 'text', text: foreign }] })
    expect(gateway.requests).toMatchObject([{ format: 'kimi', formatFrom: 'configuration' }])
  })
})
