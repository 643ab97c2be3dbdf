import { describe, expect, it } from 'vitest'
import {
  anthropicToAnthropic,
  anthropicToChat,
  chatToAnthropic,
  chatToChat,
  notedFields,
  valueAt,
} from './translation.ts'

type Fields = Record<string, unknown>

const ask = { role: 'user', content: 'go' }
const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
const pngPart = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }

function use(id: string, name = 'Read'): Fields {
  return { type: 'tool_use', id, name, input: {} }
}

function result(id: string, fields: Fields = { content: `from ${id}` }): Fields {
  return { type: 'tool_result', tool_use_id: id, ...fields }
}

/** The messages behind the calls, where the user answers with these blocks. */
function answers(ids: readonly string[], blocks: readonly Fields[], target = {}): Fields[] {
  const uses = ids.map((id) => use(id))
  return anthropicToChat(
    { messages: [ask, { role: 'assistant', content: uses }, { role: 'user', content: blocks }] },
    target,
  ).messages.slice(2)
}

function toolContent(fields: Fields): unknown {
  return answers(['toolu_1'], [result('toolu_1', fields)])[0]?.['content']
}

describe('the order of results', () => {
  it('results come first and text of the same message after them', () => {
    const messages = answers(
      ['toolu_1', 'toolu_2'],
      [
        { type: 'text', text: 'before' },
        result('toolu_1'),
        { type: 'text', text: 'between' },
        result('toolu_2'),
      ],
    )
    expect(messages).toEqual([
      { role: 'tool', tool_call_id: 'toolu_1', content: 'from toolu_1' },
      { role: 'tool', tool_call_id: 'toolu_2', content: 'from toolu_2' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'before' },
          { type: 'text', text: 'between' },
        ],
      },
    ])
  })

  it('results out of order come in the order of the calls', () => {
    const messages = answers(['toolu_1', 'toolu_2'], [result('toolu_2'), result('toolu_1')])
    expect(messages.map((message) => message['tool_call_id'])).toEqual(['toolu_1', 'toolu_2'])
  })

  it('a result that comes turns later stands behind its call', () => {
    const { messages } = anthropicToChat({
      messages: [
        ask,
        { role: 'assistant', content: [use('toolu_1')] },
        { role: 'user', content: 'well?' },
        { role: 'assistant', content: 'Wait.' },
        { role: 'user', content: [result('toolu_1')] },
      ],
    })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
  })

  it('a missing result is replaced by words that blame nobody', () => {
    const [first, second, ...rest] = answers(['toolu_1', 'toolu_2'], [result('toolu_2')])
    expect(first).toEqual({
      role: 'tool',
      tool_call_id: 'toolu_1',
      content: 'The result of this call is not available.',
    })
    expect(second).toMatchObject({ tool_call_id: 'toolu_2' })
    expect(rest).toEqual([])
  })

  it('a missing result is noted with the id of the call', () => {
    const { notes } = anthropicToChat({ messages: [ask, { role: 'assistant', content: [use('toolu_9')] }] })
    expect(notes).toContainEqual(
      expect.objectContaining({ kind: 'changed', reason: expect.stringContaining('toolu_9') }),
    )
  })

  it('a result that answers no call becomes text of the user', () => {
    const { messages, notes } = anthropicToChat({
      messages: [{ role: 'user', content: [result('toolu_7'), { type: 'text', text: 'so?' }] }],
    })
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Result of an earlier tool call:' },
          { type: 'text', text: 'from toolu_7' },
          { type: 'text', text: 'so?' },
        ],
      },
    ])
    expect(notes[0]?.reason).toContain('toolu_7')
  })

  it('two results for one call become one, an equal one only once', () => {
    const different = answers(
      ['toolu_1'],
      [result('toolu_1', { content: 'a' }), result('toolu_1', { content: 'b' })],
    )
    expect(different).toEqual([{ role: 'tool', tool_call_id: 'toolu_1', content: 'a\nb' }])
    const equal = answers(['toolu_1'], [result('toolu_1'), result('toolu_1')])
    expect(equal).toEqual([{ role: 'tool', tool_call_id: 'toolu_1', content: 'from toolu_1' }])
  })
})

describe('the content of a result', () => {
  it('a text stays as it is', () => {
    expect(toolContent({ content: ' a\n' })).toBe(' a\n')
    // No block of the dialect, but what a tool gave.
    expect(toolContent({ content: { a: 1 } })).toBe('{"a":1}')
    expect(toolContent({ content: [7, { b: [] }] })).toBe('7\n{"b":[]}')
  })

  it('texts in an array are one text', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]
    expect(toolContent({ content })).toBe('a\nb')
  })

  it('is an empty text where it is missing, null or empty', () => {
    expect([{}, { content: null }, { content: '' }, { content: [] }].map(toolContent)).toEqual([
      '',
      '',
      '',
      '',
    ])
  })

  it('of a document of text and of a search result is their text', () => {
    const content = [
      { type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'dear' } },
      {
        type: 'search_result',
        title: 'Page',
        source: 'https://a.example',
        content: [{ type: 'text', text: 'found' }],
      },
    ]
    expect(toolContent({ content })).toBe('Notes\n\ndear\nPage\nhttps://a.example\nfound')
  })

  it('that is a block unknown to us is left out and noted, never an error', () => {
    const { messages, notes } = anthropicToChat({
      messages: [
        ask,
        { role: 'assistant', content: [use('toolu_1')] },
        {
          role: 'user',
          content: [result('toolu_1', { content: [{ type: 'hologram', beam: 1 }] }), { type: 'hologram' }],
        },
      ],
    })
    expect(messages[2]).toEqual({ role: 'tool', tool_call_id: 'toolu_1', content: '' })
    expect(notedFields(notes)).toContain('dropped messages')
  })

  it('that refers to a tool shows the schema of the tool', () => {
    const { messages } = anthropicToChat({
      tools: [
        {
          name: 'WebFetch',
          description: 'Fetches a page.',
          input_schema: { type: 'object', properties: { url: { type: 'string' } } },
          defer_loading: true,
        },
      ],
      messages: [
        ask,
        { role: 'assistant', content: [use('toolu_1', 'ToolSearch')] },
        {
          role: 'user',
          content: [result('toolu_1', { content: [{ type: 'tool_reference', tool_name: 'WebFetch' }] })],
        },
      ],
    })
    expect(messages[2]?.['content']).toBe(
      'The tool WebFetch can be called now. Fetches a page.\n' +
        'Its arguments, as JSON Schema: {"type":"object","properties":{"url":{"type":"string"}}}',
    )
  })
})

describe('a failed call', () => {
  it('is marked in its text towards Chat, and the mark is read back', () => {
    expect(toolContent({ content: 'no such file', is_error: true })).toBe('[tool error] no such file')
    const call = { id: 'toolu_1', type: 'function', function: { name: 'Read', arguments: '{}' } }
    const { messages } = chatToAnthropic({
      messages: [
        ask,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'toolu_1', content: '[tool error] no such file' },
      ],
    })
    expect(messages[2]?.['content']).toEqual([
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'no such file', is_error: true },
    ])
  })

  it('is not marked where the client says that it did not fail', () => {
    expect(toolContent({ content: 'fine', is_error: false })).toBe('fine')
  })

  it('keeps its field between two sides that speak Messages', () => {
    const content = [result('toolu_1', { content: 'no', is_error: true })]
    const { messages } = anthropicToAnthropic({
      messages: [ask, { role: 'assistant', content: [use('toolu_1')] }, { role: 'user', content }],
    })
    expect(messages[2]?.['content']).toEqual(content)
  })
})

describe('images in results', () => {
  it('are shown in one user message after all results, before what the user says', () => {
    const messages = answers(
      ['toolu_1', 'toolu_2'],
      [
        result('toolu_1', { content: [{ type: 'text', text: 'a page' }, png] }),
        result('toolu_2'),
        { type: 'text', text: 'what is it?' },
      ],
    )
    expect(messages).toEqual([
      { role: 'tool', tool_call_id: 'toolu_1', content: 'a page\n[shown in the next message]' },
      { role: 'tool', tool_call_id: 'toolu_2', content: 'from toolu_2' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of Read:' },
          pngPart,
          { type: 'text', text: 'what is it?' },
        ],
      },
    ])
  })

  it('get a user message of their own where the user says nothing', () => {
    const messages = answers(['toolu_1'], [result('toolu_1', { content: [png] })])
    expect(messages[1]).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'From the result of Read:' }, pngPart],
    })
  })

  it('stay in the result for an upstream that takes them there', () => {
    const messages = answers(['toolu_1'], [result('toolu_1', { content: [png] })], {
      mediaInToolResults: true,
    })
    expect(messages).toEqual([{ role: 'tool', tool_call_id: 'toolu_1', content: [pngPart] }])
  })
})

describe('results for an upstream that takes images in them', () => {
  it('hold no empty parts for blocks that say nothing there', () => {
    const content = [{ type: 'hologram', beam: 1 }, png]
    const messages = answers(['toolu_1'], [result('toolu_1', { content })], { mediaInToolResults: true })
    expect(messages).toEqual([{ role: 'tool', tool_call_id: 'toolu_1', content: [pngPart] }])
  })
})

describe('results from Chat', () => {
  const calls = ['call_1', 'call_2'].map((id) => ({
    id,
    type: 'function',
    function: { name: 'Read', arguments: '{}' },
  }))

  it('tool messages in a row and the text after them are one user message', () => {
    const { messages } = chatToAnthropic({
      messages: [
        ask,
        { role: 'assistant', content: '', tool_calls: calls },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'two' }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'one' },
        { role: 'user', content: 'and?' },
      ],
    })
    expect(messages).toHaveLength(3)
    const ids = [0, 1].map((at) => valueAt(messages, 1, 'content', at, 'id'))
    expect(messages[2]?.['content']).toEqual([
      { type: 'tool_result', tool_use_id: ids[0], content: 'one' },
      { type: 'tool_result', tool_use_id: ids[1], content: [{ type: 'text', text: 'two' }] },
      { type: 'text', text: 'and?' },
    ])
  })

  it('a result without content is an empty text', () => {
    const { messages } = chatToChat({
      messages: [
        ask,
        { role: 'assistant', tool_calls: calls.slice(0, 1) },
        { role: 'tool', tool_call_id: 'call_1', content: null },
      ],
    })
    expect(messages[2]).toEqual({ role: 'tool', tool_call_id: 'call_1', content: '' })
  })

  it('parts of text stay parts for an upstream of the same dialect', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]
    const { messages } = chatToChat({
      messages: [
        ask,
        { role: 'assistant', content: null, tool_calls: calls.slice(0, 1) },
        { role: 'tool', tool_call_id: 'call_1', content },
      ],
    })
    expect(messages[2]).toEqual({ role: 'tool', tool_call_id: 'call_1', content })
  })

  it('the old function role answers the call before it, and both become modern', () => {
    const { messages } = chatToChat({
      messages: [
        ask,
        { role: 'assistant', content: null, function_call: { name: 'Read', arguments: '{"p":1}' } },
        { role: 'function', name: 'Read', content: 'one' },
        { role: 'assistant', content: null, function_call: { name: 'Read', arguments: '' } },
        { role: 'function', name: 'Read', content: 'two' },
      ],
    })
    const ids = [1, 3].map((at) => valueAt(messages, at, 'tool_calls', 0, 'id'))
    expect(ids[0]).not.toBe(ids[1])
    expect(messages.map((message) => message['tool_call_id'])).toEqual([
      undefined,
      undefined,
      ids[0],
      undefined,
      ids[1],
    ])
    expect(messages[3]?.['tool_calls']).toMatchObject([{ function: { name: 'Read', arguments: '{}' } }])
  })
})
