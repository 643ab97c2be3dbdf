import { describe, expect, it } from 'vitest'
import { createSseDecoder, type DialectId, translateAnswer } from '../../src/index.ts'

/** What a client of the same dialect reads, event by event, however the upstream's bytes were cut off. */
function passed(dialect: DialectId, stream: string): readonly unknown[] {
  let minted = 0
  const answer = translateAnswer({
    from: dialect,
    to: dialect,
    delivered: 'stream',
    wants: 'stream',
    parser: {},
    mint: () => `call_std_${minted++}`,
    includeUsage: true,
    encoding: () => ({ id: 'a', model: 'm', created: 1, inputTokens: () => 1, signature: () => 'ours' }),
  })
  const decoder = createSseDecoder()
  const items = [...decoder.push(answer.push(stream) + answer.end()), ...decoder.end()]
  return items.flatMap((item) => {
    if (item.kind !== 'event') return []
    return [item.data === '[DONE]' ? item.data : JSON.parse(item.data)]
  })
}

const message = named({
  type: 'message_start',
  message: { id: 'm', role: 'assistant', model: 'm', content: [] },
})
const blockStart = named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
const hi = named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } })
const blockStop = named({ type: 'content_block_stop', index: 0 })
const messageDelta = named({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn' },
  usage: { output_tokens: 1 },
})

describe('a message whose last event lacks its blank line', () => {
  it.each([
    ['a delta', message + blockStart + hi, ['content_block_delta', 'content_block_stop', 'error']],
    ['a ping', message + blockStart + hi + named({ type: 'ping' }), ['ping', 'content_block_stop', 'error']],
    [
      'the stop reason',
      message + blockStart + hi + blockStop + messageDelta,
      ['message_delta', 'message_stop'],
    ],
    [
      'the end',
      message + blockStart + hi + blockStop + messageDelta + named({ type: 'message_stop' }),
      ['message_delta', 'message_stop'],
    ],
  ])('keeps what follows apart: %s', (_what, stream, last) => {
    for (const cut of [1, 2]) {
      const events = passed('anthropic-messages', stream.slice(0, -cut))
      expect(events.slice(-last.length)).toMatchObject(last.map((type) => ({ type })))
    }
  })
})

describe('an error in the shape of another dialect', () => {
  it.each([
    ['anthropic-messages', 'data: {"error":{"message":"boom","type":"server_error"}}\n\n'],
    ['anthropic-messages', 'event: error\ndata: {"error":{"message":"boom"}}\n\n'],
    ['anthropic-messages', 'event: error\ndata: boom\n\n'],
  ] as const)('has all that clients of %s look for: %j', (dialect, error) => {
    const last = passed(dialect, message + blockStart + hi + error).at(-1)
    expect(last).toMatchObject({ type: 'error', error: { type: 'api_error' } })
    expect(JSON.stringify(last)).toContain('boom')
  })

  it('does so for clients of chat', () => {
    const error = named({ type: 'error', error: { type: 'overloaded_error', message: 'boom' } })
    const last = passed('openai-chat', chat({ content: 'Hi' }) + error).at(-1)
    expect(last).toMatchObject({ error: { message: 'boom', type: 'overloaded_error' } })
  })
})

describe('a chat stream in which an error follows the finish reason', () => {
  const usage = `data: ${JSON.stringify({ id: 'c', choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })}\n\n`
  const error = 'data: {"error":{"message":"boom","type":"server_error","code":"x"}}\n\n'

  it.each([
    ['at once', ''],
    ['behind the counts', usage],
  ])('fails, and does not end well before: %s', (_when, between) => {
    const events = passed('openai-chat', chat({ content: 'Hi' }) + chat({}, 'stop') + between + error)
    expect(JSON.stringify(events)).not.toContain('"finish_reason":"stop"')
    expect(events).not.toContain('[DONE]')
    expect(events.at(-1)).toMatchObject({ error: { message: 'boom' } })
  })

  it('ends well with its counts behind the finish reason where none follows', () => {
    const stream = chat({ content: 'Hi' }) + chat({}, 'stop') + usage
    for (const end of ['data: [DONE]\n\n', '']) {
      expect(passed('openai-chat', stream + end).slice(-3)).toMatchObject([
        { choices: [{ finish_reason: 'stop' }] },
        { choices: [], usage: { prompt_tokens: 1 } },
        '[DONE]',
      ])
    }
  })
})

describe('a chunk that says there is no error', () => {
  it.each([0, false, '', null])('in its own way, %j, does not end the answer', (none) => {
    const stream =
      chat({ content: 'Hi' }, null, { error: none }) + chat({ content: ' there' }) + chat({}, 'stop')
    const events = passed('openai-chat', `${stream}data: [DONE]\n\n`)
    expect(JSON.stringify(events)).toContain(' there')
    expect(events.at(-1)).toBe('[DONE]')
  })
})

function chat(delta: object, finish: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ id: 'c', model: 'm', choices, ...more })}\n\n`
}

function named(data: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}
