import { describe, expect, it } from 'vitest'
import { makeSignature, translateAnswer } from '../../src/index.ts'
import { calls, chunk, countingMint, done } from '../dialects/openai-chat/upstream.ts'
import { assembleAnthropic } from '../dialects/anthropic-messages/assemble.ts'
import { anthropicToAnthropic, anthropicToChat, chatToChat } from './translation.ts'

const model = 'gemini-3-pro'
const extra = { google: { thought_signature: 'CuwCAb4+9v==' } }

function entry(index: number, name: string, more: object = {}): object {
  return { index, id: `a${index}`, type: 'function', function: { name, arguments: '{"at":1}' }, ...more }
}

const answer = [
  chunk({ role: 'assistant', content: 'Let me look.' }),
  calls(entry(0, 'look', { extra_content: extra })),
  calls(entry(1, 'read')),
  chunk({}, 'tool_calls'),
  done,
].join('')

/** What a client of Anthropic's dialect gets, and sends back. */
function content(sse = answer): Record<string, unknown>[] {
  const translation = translateAnswer({
    from: 'openai-chat',
    to: 'anthropic-messages',
    delivered: 'stream',
    wants: 'stream',
    parser: {},
    mint: countingMint(),
    includeUsage: true,
    encoding: () => ({
      id: 'm',
      model,
      created: 1,
      inputTokens: () => 1,
      signature: (field, proof) =>
        makeSignature({ format: 'standard', field, model, ...(proof === null ? {} : { proof }) }),
    }),
  })
  return assembleAnthropic(translation.push(sse) + translation.end()).content
}

function history(blocks: readonly object[]): { messages: object[] } {
  const results = blocks.flatMap((block) =>
    'id' in block ? [{ type: 'tool_result', tool_use_id: block.id, content: 'Done.' }] : [],
  )
  return {
    messages: [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: blocks },
      { role: 'user', content: results },
    ],
  }
}

describe('what an upstream wants back beside a call', () => {
  it('stands in a block of its own right before the call', () => {
    const blocks = content()
    expect(blocks.map(({ type }) => type)).toEqual(['text', 'redacted_thinking', 'tool_use', 'tool_use'])
    expect(blocks[1]?.['data']).toMatch(/^dragoman_1_/)
  })

  it('goes back to that call, and to no other', () => {
    const { messages, notes } = anthropicToChat(history(content()), { model })
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: 'Let me look.',
      tool_calls: [
        {
          id: 'a0',
          type: 'function',
          function: { name: 'look', arguments: '{"at":1}' },
          extra_content: extra,
        },
        { id: 'a1', type: 'function', function: { name: 'read', arguments: '{"at":1}' } },
      ],
    })
    expect(notes).toEqual([])
  })

  it('does not go to another model', () => {
    const { messages, notes } = anthropicToChat(history(content()), { model: 'gpt-5' })
    expect(JSON.stringify(messages)).not.toMatch(/extra_content|dragoman_|thought_signature/)
    expect(notes.map(({ kind }) => kind)).toEqual(['dropped'])
  })

  it.each(['checked', 'unchecked'] as const)(
    'never goes to an upstream of the dialect of the client, with signatures %s',
    (signatures) => {
      const { messages } = anthropicToAnthropic(history(content()), { model, signatures })
      expect(JSON.stringify(messages)).not.toContain('dragoman_')
      expect(JSON.stringify(messages)).not.toContain('redacted_thinking')
    },
  )

  it('says nothing where it is empty', () => {
    const sse = [calls(entry(0, 'look', { extra_content: {} })), chunk({}, 'tool_calls'), done].join('')
    expect(content(sse).map(({ type }) => type)).toEqual(['tool_use'])
  })

  it('passes both ways where client and upstream speak the chat dialect', () => {
    const translation = translateAnswer({
      from: 'openai-chat',
      to: 'openai-chat',
      delivered: 'stream',
      wants: 'whole',
      parser: {},
      mint: countingMint('openai-chat'),
      includeUsage: true,
      encoding: () => {
        throw new Error('not asked for')
      },
    })
    const { message } = JSON.parse(translation.push(answer) + translation.end()).choices[0]
    expect(message.tool_calls[0].extra_content).toEqual(extra)
    const { messages } = chatToChat(
      {
        messages: [
          { role: 'user', content: 'Look.' },
          message,
          { role: 'tool', tool_call_id: 'a0', content: 'Done.' },
          { role: 'tool', tool_call_id: 'a1', content: 'Done.' },
        ],
      },
      { model, allowedFields: [] },
    )
    expect(messages[1]?.['tool_calls']).toEqual(message.tool_calls)
  })
})
