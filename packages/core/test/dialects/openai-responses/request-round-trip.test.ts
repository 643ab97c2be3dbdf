import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeAnthropicRequest } from '../../../src/dialects/anthropic-messages/request/encode.ts'
import { encodeChatRequest } from '../../../src/dialects/openai-chat/request/encode.ts'
import { decodeResponsesRequest } from '../../../src/dialects/openai-responses/request/decode.ts'
import { encodeResponsesRequest } from '../../../src/dialects/openai-responses/request/encode.ts'
import { formatIds } from '../../../src/formats/format-id.ts'
import { deepFreeze, readable } from '../../request/translation.ts'

type Fields = Record<string, unknown>

const text = fc.string({ minLength: 1, unit: 'grapheme' })
const user: fc.Arbitrary<Fields> = fc.oneof(
  text.map((said) => ({ type: 'message', role: 'user', content: said })),
  fc.array(text, { minLength: 1, maxLength: 3 }).map((texts) => ({
    type: 'message',
    role: 'user',
    content: texts.map((said) => ({ type: 'input_text', text: said })),
  })),
)
const spoken: fc.Arbitrary<Fields> = fc.array(text, { minLength: 1, maxLength: 2 }).map((texts) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: texts.map((said) => ({ type: 'output_text', text: said, annotations: [] })),
}))
const reasoning: fc.Arbitrary<Fields> = text.map((thought) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: thought }],
  content: null,
  encrypted_content: 'gAAAAAB',
}))
const unknown: fc.Arbitrary<Fields> = fc.record({ type: fc.constant('hologram'), light: fc.jsonValue() })

/** A call with its result, by the number of the call. */
const exchange: fc.Arbitrary<(id: string) => readonly [Fields, Fields]> = fc.oneof(
  fc.record({ name: fc.constantFrom('run', 'look'), given: fc.dictionary(text, fc.jsonValue()) }).map(
    ({ name, given }) =>
      (id: string) =>
        [
          { type: 'function_call', call_id: id, name, arguments: JSON.stringify(given) },
          { type: 'function_call_output', call_id: id, output: 'done', id: `fco_${id}` },
        ] as const,
  ),
  text.map(
    (input) => (id: string) =>
      [
        { type: 'custom_tool_call', call_id: id, name: 'patch', input, status: 'completed' },
        {
          type: 'custom_tool_call_output',
          call_id: id,
          output: [{ type: 'input_text', text: 'done' }],
        },
      ] as const,
  ),
)

const turn = fc.record({
  asked: user,
  thought: fc.option(reasoning),
  said: fc.option(spoken),
  odd: fc.option(unknown),
  calls: fc.array(exchange, { maxLength: 3 }),
})

const anyInput: fc.Arbitrary<Fields[]> = fc.array(turn, { minLength: 1, maxLength: 4 }).map((turns) => {
  let count = 0
  return turns.flatMap(({ asked, thought, said, odd, calls }) => {
    const pairs = calls.map((call) => call(`call_${count++}`))
    const before = [thought, said, odd].filter((item) => item !== null)
    return [asked, ...before, ...pairs.map(([call]) => call), ...pairs.map(([, result]) => result)]
  })
})

const openai = { model: 'm', format: 'standard', sameDialect: true, responsesItems: 'openai' } as const

describe('a conversation of Responses', () => {
  it('is the same items again for its own vendor, and nothing is noted', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { request, notes } = readable(decodeResponsesRequest(deepFreeze({ model: 'm', input })))
        const encoded = encodeResponsesRequest(deepFreeze(request), openai)
        expect(encoded.body['input']).toEqual(input)
        expect(
          [...notes, ...encoded.notes].filter(({ reason }) => !reason.startsWith('The last message')),
        ).toEqual([])
      }),
    )
  })

  it('has a result behind every call, with its id, for plain servers of every family', () => {
    fc.assert(
      fc.property(anyInput, fc.constantFrom(...formatIds), (input, format) => {
        const { request } = readable(decodeResponsesRequest({ model: 'm', input }))
        const target = { model: 'm', format, sameDialect: true, responsesItems: 'plain' } as const
        const items = itemsOf(encodeResponsesRequest(deepFreeze(request), target).body)
        const ids = (type: string): unknown[] =>
          items.filter((item) => item['type'] === type).map(({ call_id }) => call_id)
        expect(ids('function_call_output')).toEqual(ids('function_call'))
        expect(new Set(ids('function_call')).size).toBe(ids('function_call').length)
        const types = new Set(items.map(({ type }) => type))
        types.delete('message')
        types.delete('function_call')
        types.delete('function_call_output')
        expect([...types]).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})

describe('whatever stands in a request', () => {
  const types = [
    'message',
    'reasoning',
    'function_call',
    'function_call_output',
    'custom_tool_call',
    'custom_tool_call_output',
    'tool_search_call',
    'tool_search_output',
    'local_shell_call',
    'local_shell_call_output',
    'shell_call',
    'shell_call_output',
    'apply_patch_call',
    'apply_patch_call_output',
    'additional_tools',
    'configuration_update',
    'item_reference',
    'agent_message',
    'compaction',
    'mcp_call',
    'code_interpreter_call',
    'file_search_call',
    'hologram',
  ]
  const odd = fc.oneof(fc.jsonValue(), text, fc.array(fc.record({ type: text, text })))
  const item = fc.record(
    {
      type: fc.constantFrom(...types),
      role: fc.constantFrom('user', 'assistant', 'developer', 'tool', 1),
      content: odd,
      call_id: fc.constantFrom('a', 'b', '', null),
      name: fc.constantFrom('run', '', null),
      arguments: odd,
      input: odd,
      action: odd,
      operation: odd,
      output: odd,
      tools: odd,
      summary: odd,
      encrypted_content: odd,
      status: odd,
    },
    { requiredKeys: ['type'] },
  )
  const body = fc.record(
    {
      model: fc.constant('m'),
      input: fc.oneof(fc.array(item), odd),
      tools: fc.oneof(fc.array(fc.record({ type: text, name: text, tools: odd })), odd),
      tool_choice: odd,
      text: odd,
      reasoning: odd,
      include: odd,
    },
    { requiredKeys: ['model', 'input'] },
  )

  it('it is read and written, or refused by the name of a field', () => {
    fc.assert(
      fc.property(body, (any) => {
        const decoded = decodeResponsesRequest(deepFreeze(any))
        if ('error' in decoded) {
          expect(decoded.error.field).not.toBe('')
          return
        }
        const { request } = decoded
        deepFreeze(request)
        const plain = { model: 'm', format: 'qwen' } as const
        expect(encodeChatRequest(request, plain).body['model']).toBe('m')
        expect(encodeAnthropicRequest(request, { model: 'm', format: 'anthropic' }).body['model']).toBe('m')
        expect(encodeResponsesRequest(request, openai).body['model']).toBe('m')
        expect(
          encodeResponsesRequest(request, { ...plain, sameDialect: true, responsesItems: 'plain' }).body[
            'model'
          ],
        ).toBe('m')
      }),
      { numRuns: 500 },
    )
  })
})

function itemsOf({ input }: Record<string, unknown>): Fields[] {
  return Array.isArray(input) ? input : []
}
