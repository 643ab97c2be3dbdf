import { describe, expect, it } from 'vitest'
import { decodeAnthropicRequest } from '../../src/dialects/anthropic-messages/request/decode.ts'
import { decodeChatRequest } from '../../src/dialects/openai-chat/request/decode.ts'
import { anthropicBody, chatBody, errorIn } from './translation.ts'

function anthropicFault(fields: Record<string, unknown>): string {
  return errorIn(decodeAnthropicRequest(anthropicBody(fields))).field
}

function chatFault(fields: Record<string, unknown>): string {
  return errorIn(decodeChatRequest(chatBody(fields))).field
}

describe('a request that cannot be read names the field at fault', () => {
  it('when it is no object, or has no model', () => {
    expect([null, [], 'x', 1].map((body) => errorIn(decodeAnthropicRequest(body)).field)).toEqual(
      Array.from({ length: 4 }, () => 'body'),
    )
    expect(errorIn(decodeChatRequest(undefined)).field).toBe('body')
    expect([anthropicFault({ model: '' }), chatFault({ model: 7 })]).toEqual(['model', 'model'])
  })

  it('when there are no messages, or none says anything', () => {
    const empty = [undefined, [], 'hi', [{ role: 'user', content: '' }], [{ role: 'assistant', content: [] }]]
    expect(empty.map((messages) => anthropicFault({ messages }))).toEqual(empty.map(() => 'messages'))
    expect(empty.map((messages) => chatFault({ messages }))).toEqual(empty.map(() => 'messages'))
  })

  it('when a message has an unknown role or content of the wrong kind', () => {
    expect(anthropicFault({ messages: [{ role: 'wizard', content: 'x' }] })).toBe('messages[0].role')
    expect(anthropicFault({ messages: [{ role: 'user', content: 5 }] })).toBe('messages[0].content')
    expect(anthropicFault({ messages: [{ role: 'user', content: [{ type: 'text' }] }] })).toBe(
      'messages[0].content[0].text',
    )
    expect(chatFault({ messages: [{ role: 'wizard' }] })).toBe('messages[0].role')
    expect(chatFault({ messages: [{ role: 'user', content: { a: 1 } }] })).toBe('messages[0].content')
    expect(chatFault({ messages: ['x'] })).toBe('messages[0]')
  })

  it('when a tool has no name', () => {
    expect(anthropicFault({ tools: [{ input_schema: {} }] })).toBe('tools[0].name')
    expect(chatFault({ tools: [{ type: 'function', function: {} }] })).toBe('tools[0].function.name')
    expect(chatFault({ tools: [{ type: 'function' }] })).toBe('tools[0].function')
  })

  it('when the schema of a tool is not one of an object', () => {
    const faults = [true, false, null, [], 'object', 3].map((input_schema) =>
      anthropicFault({ tools: [{ name: 'f', input_schema }] }),
    )
    expect(faults).toEqual(faults.map(() => 'tools[0].input_schema'))
    expect(anthropicFault({ tools: [{ name: 'f', input_schema: { type: 'string' } }] })).toBe(
      'tools[0].input_schema.type',
    )
    expect(chatFault({ tools: [{ type: 'function', function: { name: 'f', parameters: true } }] })).toBe(
      'tools[0].function.parameters',
    )
  })

  it('when a call has no text for a name, or stands with the wrong speaker', () => {
    const use = { type: 'tool_use', id: 'x', input: {}, name: 'f' }
    expect(anthropicFault({ messages: [{ role: 'assistant', content: [{ ...use, name: 5 }] }] })).toBe(
      'messages[0].content[0].name',
    )
    expect(anthropicFault({ messages: [{ role: 'user', content: [use] }] })).toBe('messages[0].content[0]')
    expect(chatFault({ messages: [{ role: 'assistant', tool_calls: [{ function: { name: [] } }] }] })).toBe(
      'messages[0].tool_calls[0].function.name',
    )
  })

  it('when a setting is of the wrong kind', () => {
    expect(anthropicFault({ max_tokens: 'many' })).toBe('max_tokens')
    expect(anthropicFault({ max_tokens: 0 })).toBe('max_tokens')
    expect(anthropicFault({ temperature: '1' })).toBe('temperature')
    expect(anthropicFault({ stop_sequences: [1] })).toBe('stop_sequences[0]')
    expect(chatFault({ stream: 'yes' })).toBe('stream')
    expect(chatFault({ tools: {} })).toBe('tools')
  })
})

describe('null', () => {
  it('is the same as nothing for every setting of Chat', () => {
    const fields = ['tools', 'tool_choice', 'stop', 'temperature', 'max_tokens', 'stream', 'user', 'seed']
    const body = chatBody(Object.fromEntries(fields.map((field) => [field, null])))
    expect(decodeChatRequest(body)).toEqual(decodeChatRequest(chatBody({})))
  })
})
