import { encodeSse } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { readWire } from '../../src/reading/wire.ts'

function stream(...events: readonly unknown[]): string {
  return events.map((event) => encodeSse({ data: JSON.stringify(event) })).join('')
}

describe('what a model wrote is taken out of', () => {
  it.each([
    [
      'a chat stream',
      stream(
        { choices: [{ index: 0, delta: { reasoning_content: 'hm' } }] },
        { choices: [{ index: 0, delta: { content: 'Hi.' } }] },
        { choices: [{ index: 1, delta: { content: 'another choice' } }] },
        {
          choices: [
            {
              index: 0,
              delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'ping', arguments: '{' } }] },
            },
          ],
        },
        { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '}' } }] } }] },
        { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      ),
      'tool_calls',
    ],
    [
      'a stream of messages',
      stream(
        { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
        { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hi.' } },
        {
          type: 'content_block_start',
          index: 2,
          content_block: { type: 'tool_use', id: 'c1', name: 'ping', input: {} },
        },
        { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{}' } },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      ),
      'tool_calls',
    ],
    [
      'a stream of responses',
      stream(
        { type: 'response.reasoning_summary_text.delta', delta: 'hm' },
        { type: 'response.output_text.delta', delta: 'Hi.' },
        {
          type: 'response.output_item.added',
          item: { type: 'function_call', id: 'f1', call_id: 'c1', name: 'ping', arguments: '' },
        },
        { type: 'response.function_call_arguments.delta', item_id: 'f1', delta: '{}' },
        { type: 'response.completed', response: {} },
      ),
      'stop',
    ],
    [
      'a stream of candidates',
      stream(
        { candidates: [{ content: { parts: [{ text: 'hm', thought: true }, { text: 'Hi.' }] } }] },
        {
          candidates: [
            {
              content: { parts: [{ functionCall: { id: 'c1', name: 'ping', args: {} } }] },
              finishReason: 'STOP',
            },
          ],
        },
      ),
      'stop',
    ],
    [
      'a whole chat answer',
      JSON.stringify({
        choices: [
          {
            message: {
              reasoning: 'hm',
              content: 'Hi.',
              tool_calls: [{ id: 'c1', function: { name: 'ping', arguments: '{}' } }],
            },
            finish_reason: 'length',
          },
        ],
      }),
      'length',
    ],
    [
      'a recording',
      JSON.stringify({
        dragomanRecording: 1,
        upstream: {
          response: stream(
            { choices: [{ delta: { reasoning: 'hm' } }] },
            { choices: [{ delta: { content: 'Hi.' } }] },
            {
              choices: [
                { delta: { tool_calls: [{ id: 'c1', function: { name: 'ping', arguments: '{}' } }] } },
              ],
            },
          ),
        },
      }),
      undefined,
    ],
  ])('%s', (_, source, end) => {
    const wire = readWire(source, 'content')
    expect(wire.pieces.map(({ text, channel }) => [channel, text])).toEqual([
      ['reasoning', 'hm'],
      ['content', 'Hi.'],
    ])
    expect(wire.calls).toEqual([{ id: 'c1', name: 'ping', json: '{}' }])
    expect(wire.end).toBe(end)
    expect(wire.complaints).toEqual([])
  })
})

it('says which chunk brought a piece, however the events are cut', () => {
  const event = encodeSse({ data: JSON.stringify({ choices: [{ delta: { content: 'Hi.' } }] }) })
  const wire = readWire([event.slice(0, 9), event.slice(9), event], 'content')
  expect(wire.pieces.map(({ text, chunk }) => [text, chunk])).toEqual([
    ['Hi.', 1],
    ['Hi.', 2],
  ])
})

it('reads the last event of a stream that was cut off before its blank line', () => {
  const wire = readWire('data: {"choices":[{"delta":{"content":"Hi."}}]}', 'content')
  expect(wire.pieces).toMatchObject([{ text: 'Hi.' }])
})

it('waits for the rest of an event while more is to come', () => {
  const cut = 'data: {"choices":[{"delta":{"content":"Hi."}}]}\n\ndata: {"choices":[{"del'
  expect(readWire(cut, 'content').complaints).toHaveLength(1)
  expect(readWire(cut, 'content', false)).toMatchObject({ pieces: [{ text: 'Hi.' }], complaints: [] })
})

it('takes anything else for text, in the channel that was chosen', () => {
  const wire = readWire('{"name": "ping"}', 'reasoning')
  expect(wire).toMatchObject({ is: 'text', pieces: [{ text: '{"name": "ping"}', channel: 'reasoning' }] })
})

it('an error is no answer, and says so', () => {
  const wire = readWire('{"error": {"message": "Too many tokens."}}', 'content')
  expect(wire).toMatchObject({ pieces: [], end: 'error' })
  expect(wire.complaints).toEqual(['An error, and no answer: Too many tokens.'])
})

it('a recording that is cut off is text, and says so', () => {
  const wire = readWire('{ "dragomanRecording": 1, "upstream": { "resp', 'content')
  expect(wire.is).toBe('text')
  expect(wire.complaints.join()).toContain('cut off')
})

it('complains of an event that is no JSON, and reads on', () => {
  const wire = readWire('data: oh\n\ndata: {"choices":[{"delta":{"content":"Hi."}}]}\n\n', 'content')
  expect(wire.complaints).toEqual(['An event is no JSON object: oh'])
  expect(wire.pieces).toMatchObject([{ text: 'Hi.' }])
})
