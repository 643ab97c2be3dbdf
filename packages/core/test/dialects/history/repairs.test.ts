import { describe, expect, it } from 'vitest'
import { decodeHistory, encodeHistory } from '../../../src/dialects/history.ts'
import type { FormatId } from '../../../src/formats/format-id.ts'

type Fields = Record<string, unknown>

/** The messages as an upstream gets them, with every reason that is noted on the way. */
function sent(messages: readonly Fields[], format: FormatId = 'standard') {
  const decoded = decodeHistory('openai-chat', { messages })
  if ('error' in decoded) throw new Error(decoded.error.message)
  const encoded = encodeHistory(decoded.history, { dialect: 'openai-chat', format })
  return {
    messages: encoded.messages,
    reasons: [...decoded.notes, ...encoded.notes].map(({ reason }) => reason),
  }
}

const user = { role: 'user', content: 'go' }

function calling(...calls: (readonly [id: string, name?: string, json?: unknown])[]): Fields {
  return {
    role: 'assistant',
    content: null,
    tool_calls: calls.map(([id, name = 'f', json = '{}']) => ({
      id,
      type: 'function',
      function: { name, arguments: json },
    })),
  }
}

function result(id: string, content = `from ${id}`, more: Fields = {}): Fields {
  return { role: 'tool', tool_call_id: id, content, ...more }
}

function contents(messages: readonly Fields[]): unknown[] {
  return messages.map(({ role, content, tool_call_id: id }) => [role, id ?? content])
}

describe('what is repaired in a history is recorded', () => {
  it('nothing is, where nothing is wrong', () => {
    const messages = [user, calling(['call_1'], ['call_2']), result('call_1'), result('call_2'), user]
    expect(sent(messages)).toEqual({ messages, reasons: [] })
  })

  it('results out of order', () => {
    const { messages, reasons } = sent([
      user,
      calling(['call_1'], ['call_2']),
      result('call_2'),
      result('call_1'),
    ])
    expect(contents(messages).slice(2)).toEqual([
      ['tool', 'call_1'],
      ['tool', 'call_2'],
    ])
    expect(reasons).toEqual(['Results were put in the order of their calls.'])
  })

  it('a result that comes after the user spoke', () => {
    const { messages, reasons } = sent([user, calling(['call_1']), user, result('call_1')])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(reasons).toEqual(['The result for "hist_tool_1" was put behind its call.'])
  })

  it('a missing result', () => {
    const { messages, reasons } = sent([user, calling(['call_1']), user])
    expect(messages[2]).toEqual(result('call_1', 'The result of this call is not available.'))
    expect(reasons).toEqual(['The call "hist_tool_1" has no result; a neutral one was put in its place.'])
  })

  it('a result without a call', () => {
    const { messages, reasons } = sent([result('call_9', 'late'), user])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user'])
    expect(JSON.stringify(messages[0])).toContain('late')
    expect(reasons).toEqual(['The result for "hist_tool_9" answers no call; it became text of the user.'])
  })

  it('a result that came twice', () => {
    const { messages, reasons } = sent([user, calling(['call_1']), result('call_1'), result('call_1')])
    expect(messages).toHaveLength(3)
    expect(reasons).toEqual(['The result for "hist_tool_1" came more than once; it is sent once.'])
  })

  it('two results for one call', () => {
    const { messages, reasons } = sent([
      user,
      calling(['call_1']),
      result('call_1', 'a'),
      result('call_1', 'b'),
    ])
    expect(messages[2]).toEqual(result('call_1', 'a\nb'))
    expect(reasons).toEqual(['The call "hist_tool_1" has several results; they became one.'])
  })

  it('a call without a name, which its result may tell', () => {
    const told = sent([user, calling(['call_1', '']), result('call_1', 'x', { name: 'read' })])
    expect(told.messages[1]).toEqual(calling(['call_1', 'read']))
    expect(told.reasons).toEqual(['The call "call_1" has no name; it is called read.'])
    const untold = sent([user, calling(['call_1', '']), result('call_1')])
    expect(untold.messages[1]).toEqual(calling(['call_1', 'unknown_tool']))
  })

  it('empty arguments', () => {
    const { messages, reasons } = sent([user, calling(['call_1', 'f', '']), result('call_1')])
    expect(messages[1]).toEqual(calling(['call_1', 'f', '{}']))
    expect(reasons).toEqual(['They are empty; {} stands for them.'])
  })

  it('messages of one role in a row, for a template that refuses them', () => {
    const { messages, reasons } = sent([user, user], 'gemma')
    expect(messages).toHaveLength(1)
    expect(reasons).toEqual(['Messages of one role in a row became one.'])
  })
})

describe('messages that cannot be read', () => {
  it('are refused with the field at fault', () => {
    expect(decodeHistory('openai-chat', { messages: [{ role: 'wizard' }] })).toEqual({
      error: { field: 'messages[0].role', message: expect.stringContaining('messages[0].role') },
    })
    expect(decodeHistory('anthropic-messages', { messages: [] })).toHaveProperty('error')
  })
})

describe('a history that goes from one dialect to the other', () => {
  const anthropic = {
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'So.' },
          { type: 'tool_use', id: 'toolu_a', name: 'f', input: { x: 1 } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'ok' }] },
    ],
  }

  it('has its instructions where that dialect has them, and ids in its style', () => {
    const decoded = decodeHistory('anthropic-messages', anthropic)
    if ('error' in decoded) throw new Error(decoded.error.message)
    const chat = encodeHistory(decoded.history, { dialect: 'openai-chat', format: 'standard' })
    expect(chat.system).toBeUndefined()
    expect(chat.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: 'So.',
        tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      { role: 'tool', tool_call_id: 'call_a', content: 'ok' },
    ])
    const back = encodeHistory(decoded.history, { dialect: 'anthropic-messages', format: 'anthropic' })
    expect(back).toMatchObject(anthropic)
  })
})
