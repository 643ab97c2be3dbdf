import { describe, expect, it } from 'vitest'
import { makeSignature } from '../../src/request/reasoning-signature.ts'
import type { FormatId } from '../../src/formats/format-id.ts'
import { anthropicToChat, valueAt } from '../request/translation.ts'
import { assembleAnthropicMessage, readChatCompletion } from './stages.ts'

type Fields = Record<string, unknown>

const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }

/** The reasoning of an answer, after a client of Anthropic's dialect has sent it back to where it came from. */
function returned(reasoning: Fields, format: FormatId, target: FormatId = format): Fields {
  const assembler = assembleAnthropicMessage({
    messageId: 'msg_1',
    model: 'm',
    inputTokens: 1,
    signature: (field, proof) =>
      makeSignature({ format, field, model: 'some-model', ...(proof === null ? {} : { proof }) }),
  })
  const message = { role: 'assistant', content: null, ...reasoning, tool_calls: [call] }
  readChatCompletion(
    { id: 'x', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] },
    { parser: { format: 'standard', tools: [{ name: 'f' }] }, mint: () => 'toolu_1', sink: assembler },
  )
  const { result } = assembler
  if (result.is !== 'whole') throw new Error('no whole answer')
  const content = valueAt(result.value, 'content')
  const { messages } = anthropicToChat(
    {
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'ok' }] },
      ],
    },
    { format: target },
  )
  const { role, content: said, tool_calls: calls, ...fields } = messages[1] ?? {}
  expect([role, said, valueAt(calls, 0, 'function')]).toEqual(['assistant', null, call.function])
  return fields
}

describe('reasoning of an answer that comes back with the next request', () => {
  const encrypted = { type: 'reasoning.encrypted', data: 'gAAAA', id: 'rs_1', index: 0 }
  const signed = { type: 'reasoning.text', text: 'Hm.', signature: 'EqQB', format: 'x-v1', index: 0 }
  const cases: [says: string, reasoning: Fields][] = [
    ['a text', { reasoning_content: ' Hm.\n' }],
    ['a text under another name', { reasoning: 'Hm.' }],
    ['details that are encrypted', { reasoning_details: [encrypted] }],
    ['details with a signature', { reasoning_details: [signed] }],
    ['a text, and details that prove it', { reasoning: 'Hm.', reasoning_details: [signed] }],
    [
      'a summary with a signature',
      { reasoning_details: [{ ...signed, type: 'reasoning.summary', text: undefined, summary: 'Hm.' }] },
    ],
    [
      'blocks with a signature',
      { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }] },
    ],
    [
      'a text, and blocks that prove it',
      {
        reasoning_content: 'Hm.',
        thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }],
      },
    ],
  ]
  for (const [says, reasoning] of cases) {
    it(`is what it was: ${says}`, () => {
      expect(returned(reasoning, 'glm')).toEqual(JSON.parse(JSON.stringify(reasoning)))
      expect(returned(reasoning, 'glm', 'qwen')).toEqual({})
    })
  }

  it('is also in the field that Kimi and DeepSeek demand', () => {
    expect(returned({ reasoning: 'Hm.' }, 'kimi')).toEqual({ reasoning: 'Hm.', reasoning_content: 'Hm.' })
    expect(returned({ reasoning_details: [encrypted] }, 'deepseek')).toEqual({
      reasoning_details: [encrypted],
      reasoning_content: 'The reasoning for this step was not kept.',
    })
  })
})
