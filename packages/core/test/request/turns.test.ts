import { describe, expect, it } from 'vitest'
import {
  anthropicToAnthropic,
  anthropicToChat,
  chatToAnthropic,
  chatToChat,
  notedFields,
  valueAt,
} from './translation.ts'

const user = { role: 'user', content: 'hi' }
const bash = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }
const done = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] }

describe('messages of the model', () => {
  it('texts are joined without a newline and without trimming', () => {
    const content = [
      { type: 'text', text: ' one' },
      { type: 'text', text: 'two\n' },
    ]
    const { messages } = anthropicToChat({ messages: [user, { role: 'assistant', content }, user] })
    expect(messages[1]).toEqual({ role: 'assistant', content: ' onetwo\n' })
  })

  it('with calls alone have null for a text, or what the upstream wants instead', () => {
    const messages = [user, { role: 'assistant', content: [bash] }, done]
    expect(anthropicToChat({ messages }).messages[1]?.['content']).toBeNull()
    expect(anthropicToChat({ messages }, { emptyContent: 'empty' }).messages[1]?.['content']).toBe('')
    expect(anthropicToChat({ messages }, { emptyContent: 'absent' }).messages[1]).not.toHaveProperty(
      'content',
    )
  })

  it('empty texts, which Anthropic forbids, are left out', () => {
    const { messages } = chatToAnthropic({
      messages: [
        user,
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'Bash', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'ok' },
      ],
    })
    expect(messages[1]?.['content']).toEqual([{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }])
  })

  it('an input that came as text is read as JSON, or wrapped', () => {
    const inputs = ['{"command":"ls"}', 'ls', '', null].map((input) => {
      const messages = [user, { role: 'assistant', content: [{ ...bash, input }] }, done]
      return valueAt(anthropicToChat({ messages }).messages, 1, 'tool_calls', 0, 'function', 'arguments')
    })
    expect(inputs).toEqual(['{"command":"ls"}', '{"input":"ls"}', '{}', '{}'])
  })

  it('calls that only Anthropic ran are dropped together with their results', () => {
    const { messages, notes } = anthropicToChat({
      messages: [
        user,
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
            { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
            { type: 'text', text: 'Found.' },
          ],
        },
        user,
      ],
    })
    expect(messages[1]).toEqual({ role: 'assistant', content: 'Found.' })
    expect(notes.map(({ reason }) => reason).join()).toMatch(/server_tool_use.*web_search_tool_result/)
  })

  it('a summary of what was compacted stays as text', () => {
    const content = [{ type: 'compaction', content: 'Earlier: much.' }]
    const { messages } = anthropicToChat({ messages: [user, { role: 'assistant', content }, user] })
    expect(messages[1]).toEqual({ role: 'assistant', content: 'Earlier: much.' })
  })

  it('all these blocks return to Anthropic unchanged', () => {
    const content = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'text', text: 'Found.', citations: [{ type: 'x' }] },
      { type: 'compaction', content: 'Earlier: much.' },
    ]
    const { messages } = anthropicToAnthropic({ messages: [user, { role: 'assistant', content }, user] })
    expect(messages[1]).toEqual({ role: 'assistant', content })
  })
})

describe('the beginning of an answer as the last message', () => {
  const messages = [user, { role: 'assistant', content: '{"a":' }]

  it('is marked in the way that the upstream knows', () => {
    expect(anthropicToChat({ messages }, { prefill: 'prefix' }).messages[1]).toMatchObject({ prefix: true })
    expect(anthropicToChat({ messages }, { prefill: 'partial' }).messages[1]).toMatchObject({ partial: true })
    expect(anthropicToChat({ messages }, { prefill: 'continue_final_message' }).body).toMatchObject({
      continue_final_message: true,
      add_generation_prompt: false,
    })
  })

  it('is sent and noted where the upstream knows none', () => {
    const { messages: sent, notes } = anthropicToChat({ messages })
    expect(sent[1]).toEqual({ role: 'assistant', content: '{"a":' })
    expect(notedFields(notes)).toEqual(['changed messages'])
  })
})

describe('turns', () => {
  const again = { role: 'user', content: 'again' }
  const both = {
    role: 'user',
    content: [
      { type: 'text', text: 'hi' },
      { type: 'text', text: 'again' },
    ],
  }

  it('messages of one role in a row stay what they are where the dialect is the same', () => {
    const said = ['Well.', 'Then.'].map((content) => ({ role: 'assistant', content }))
    const { messages, notes } = chatToChat({ messages: [user, again, ...said, user] })
    expect(messages).toEqual([user, again, ...said, user])
    expect(notes).toEqual([])
  })

  it('messages of one role in a row are one for a template that refuses them, which is noted', () => {
    const { messages, notes } = chatToChat({ messages: [user, again] }, { format: 'mistral' })
    expect(messages).toEqual([both])
    expect(notes).toEqual([
      { kind: 'changed', field: 'messages', reason: 'Messages of one role in a row became one.' },
    ])
  })

  it('messages of the user in a row are one where the dialect is another', () => {
    expect(anthropicToChat({ messages: [user, again] }).messages).toEqual([both])
  })

  it('what else a message says goes to the same dialect, and is noted where it is lost', () => {
    const named = { ...user, name: 'ann', vendor: { of: 'this' } }
    const begun = { role: 'assistant', content: 'So', prefix: true }
    const calling = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'Bash', arguments: '{}' } }],
    }
    const result = { role: 'tool', tool_call_id: 'call_1', name: 'Bash', content: 'ok', vendor: 1 }
    const all = [named, calling, result, begun]
    expect(chatToChat({ messages: all }).messages).toEqual(all)
    const { messages, notes } = chatToAnthropic({ max_tokens: 1, messages: [named] })
    expect(messages).toEqual([user])
    expect(notedFields(notes)).toEqual(['dropped messages.name', 'dropped messages.vendor'])
  })

  it('what a server only gives out is not sent back to any', () => {
    const given = { role: 'assistant', content: 'Hi.', refusal: null, annotations: [] }
    const { messages, notes } = chatToChat({ messages: [user, given, user] })
    expect(messages[1]).toEqual({ role: 'assistant', content: 'Hi.', refusal: null })
    expect(notedFields(notes)).toEqual(['dropped messages.annotations'])
  })

  it('a field that is null goes only where the format says nothing: other servers may refuse the field', () => {
    const given = { role: 'assistant', content: 'Hi.', refusal: null }
    const { messages, notes } = chatToChat({ messages: [user, given, user] }, { format: 'kimi' })
    expect(messages[1]).toEqual({ role: 'assistant', content: 'Hi.' })
    expect(notes).toEqual([])
  })

  it('messages of the model in a row are one, with the results of both behind it', () => {
    const other = { ...bash, id: 'toolu_2' }
    const { messages } = anthropicToChat({
      messages: [
        user,
        { role: 'assistant', content: [bash] },
        { role: 'assistant', content: [other] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_2', content: 'ok' }] },
        done,
      ],
    })
    expect(messages.map((message) => message['tool_call_id'] ?? message['role'])).toEqual([
      'user',
      'assistant',
      'toolu_1',
      'toolu_2',
    ])
  })

  it('messages of the model with results between them stay apart', () => {
    const second = { ...bash, id: 'toolu_2' }
    const { messages } = anthropicToChat({
      messages: [
        user,
        { role: 'assistant', content: [bash] },
        done,
        { role: 'assistant', content: [second] },
      ],
    })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool'])
  })

  it('messages without content are left out', () => {
    const { messages } = anthropicToChat({
      messages: [
        user,
        { role: 'assistant', content: '' },
        { role: 'user', content: [] },
        { role: 'user', content: 'so?' },
      ],
    })
    expect(messages).toHaveLength(1)
  })

  it('a conversation that the model began gets a user message where one is demanded', () => {
    const messages = [{ role: 'assistant', content: 'Welcome.' }, user]
    const roles = (format: 'mistral' | 'standard'): unknown[] =>
      anthropicToChat({ messages }, { format }).messages.map(({ role }) => role)
    expect(roles('mistral')).toEqual(['user', 'assistant', 'user'])
    expect(roles('standard')).toEqual(['assistant', 'user'])
    expect(anthropicToAnthropic({ messages }).messages[0]).toEqual({ role: 'user', content: 'Go on.' })
  })

  it('Mistral’s model speaks between a tool and the user', () => {
    const messages = [
      user,
      { role: 'assistant', content: [bash] },
      { role: 'user', content: [...done.content, { type: 'text', text: 'so?' }] },
    ]
    const roles = anthropicToChat({ messages }, { format: 'mistral' }).messages.map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  })

  it('half a surrogate pair becomes U+FFFD, in texts, arguments and names', () => {
    const { body } = anthropicToChat({
      messages: [
        { role: 'user', content: 'a\ud83d b \u{1f600}' },
        { role: 'assistant', content: [{ ...bash, input: { '\udc00': ['\ud800'] } }] },
        done,
      ],
    })
    const text = JSON.stringify(body)
    expect(text).toContain('a\u{fffd} b \u{1f600}')
    expect(text).not.toMatch(/\\ud[89a-f]/i)
  })

  it('half a surrogate pair that is escaped in arguments goes too', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'Bash', arguments: '{"a":"\\ud800"}' } }
    const { messages } = chatToChat({
      messages: [
        user,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
      ],
    })
    expect(messages[1]?.['tool_calls']).toMatchObject([{ function: { arguments: '{"a":"\u{fffd}"}' } }])
  })
})

describe('media', () => {
  const data = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
  const url = { type: 'image', source: { type: 'url', url: 'https://a.example/i.png' } }
  const dataPart = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
  const urlPart = { type: 'image_url', image_url: { url: 'https://a.example/i.png' } }
  const pdf = {
    type: 'document',
    title: 'a.pdf',
    source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
  }
  const pdfPart = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } }

  it('images go both ways, as data and as addresses', () => {
    const toChat = anthropicToChat({ messages: [{ role: 'user', content: [data, url] }] })
    expect(toChat.messages[0]?.['content']).toEqual([dataPart, urlPart])
    const toAnthropic = chatToAnthropic({ messages: [{ role: 'user', content: [dataPart, urlPart] }] })
    expect(toAnthropic.messages[0]?.['content']).toEqual([data, url])
  })

  it('images become a word and a note for a model that reads text alone', () => {
    const { messages, notes } = anthropicToChat(
      { messages: [{ role: 'user', content: [data] }] },
      { images: false },
    )
    expect(messages[0]?.['content']).toBe('[image/png: not shown]')
    expect(notedFields(notes)).toEqual(['dropped messages'])
  })

  it('documents of text are text', () => {
    const content = [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'dear' } }]
    expect(anthropicToChat({ messages: [{ role: 'user', content }] }).messages[0]?.['content']).toBe('dear')
  })

  it('other documents are files for who takes files, else noted', () => {
    const messages = [{ role: 'user', content: [pdf] }]
    expect(anthropicToChat({ messages }, { files: true }).messages[0]?.['content']).toEqual([pdfPart])
    const without = anthropicToChat({ messages })
    expect(without.messages[0]?.['content']).toBe('[a.pdf: not shown]')
    expect(notedFields(without.notes)).toEqual(['dropped messages'])
  })

  it('files of Chat are documents', () => {
    const { messages } = chatToAnthropic({ messages: [{ role: 'user', content: [pdfPart] }] })
    expect(messages[0]?.['content']).toEqual([pdf])
  })
})
