import { type DialectId, dialectIds } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { writtenPieces } from '../../src/chat/model/written-pieces.ts'
import { playing } from '../simulator/playing.ts'
import { ask, weatherIn } from '../simulator/speaking.ts'

const events = (...data: readonly object[]): string =>
  data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')
const delta = (fields: object): object => ({ choices: [{ index: 0, delta: fields }] })

/** What pieces are found in the answers of a server of each dialect: thoughts, text, and a call. */
const fields: Readonly<Record<DialectId, readonly [thought: string, text: string, call: string]>> = {
  'openai-chat': ['reasoning_content', 'content', 'tool_calls[0]'],
  'anthropic-messages': ['thinking', 'text', 'tool_use'],
  'openai-responses': ['reasoning_text', 'output_text', 'call'],
  gemini: ['thought', 'text', 'functionCall'],
}

describe.each(dialectIds)('what a model wrote in an answer of %s', (dialect) => {
  it.each(['stream', 'whole'] as const)('is found, field by field: %s', async (delivery) => {
    await playing({}, async (base) => {
      const request = weatherIn('standard+think', { stream: delivery === 'stream' })
      const pieces = writtenPieces(await (await ask(dialect, base, request)).text(), delivery)
      const [thought, text, call] = fields[dialect]
      const found = (name: string): string => pieces.find(({ field }) => field === name)?.text ?? ''
      expect(found(thought)).toContain('simulated thought')
      expect(found(text)).toBe('[simulated] I will call get_weather.')
      expect(found(call)).toContain('get_weather')
    })
  })
})

describe('what a model wrote, out of its answer', () => {
  it('is joined by field, in the order in which it came', () => {
    const stream = events(
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'I ' }),
      delta({ reasoning_content: 'think' }),
      delta({ content: '<|tool' }),
      delta({ content: '_call_begin|>' }),
    )
    expect(writtenPieces(`${stream}data: [DONE]\n\n`, 'stream')).toEqual([
      { field: 'reasoning_content', text: 'I think' },
      { field: 'content', text: '<|tool_call_begin|>' },
    ])
  })

  it('shows structured calls with their arguments as they came', () => {
    const stream = events(
      delta({ tool_calls: [{ index: 1, function: { name: 'read_file', arguments: '{"pa' } }] }),
      delta({ tool_calls: [{ index: 1, function: { arguments: 'th":1}' } }] }),
    )
    expect(writtenPieces(stream, 'stream')).toEqual([
      { field: 'tool_calls[1]', text: 'read_file {"path":1}' },
    ])
  })

  it('reads a message of the other dialect, streamed or whole', () => {
    const stream = events(
      { type: 'content_block_start', content_block: { type: 'tool_use', name: 'read_file', input: {} } },
      { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{}' } },
    )
    expect(writtenPieces(stream, 'stream')).toEqual([{ field: 'tool_use', text: 'read_file{}' }])
    const whole = JSON.stringify({ content: [{ type: 'text', text: 'Hello' }] })
    expect(writtenPieces(whole, 'whole')).toEqual([{ field: 'text', text: 'Hello' }])
  })

  it('of something else there is nothing', () => {
    expect(writtenPieces('data: nonsense\n\n', 'stream')).toEqual([])
    expect(writtenPieces('null', 'whole')).toEqual([])
  })
})
