import { describe, expect, it } from 'vitest'
import { dialects, type DialectId } from '../../src/dialects/index.ts'
import type { RefusedServerTools } from '../../src/dialects/dialect.ts'
import { isJsonObject, type JsonObject } from '../../src/json/objects.ts'

const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 }
const fetching = { type: 'web_fetch_20250910', name: 'web_fetch' }
const bash = { name: 'Bash', input_schema: { type: 'object', properties: {} } }
const user = { role: 'user', content: 'Perform a web search for the query: tea in "Kyoto"' }

function refused(dialect: DialectId, body: object): RefusedServerTools | null {
  const decoded = dialects[dialect].request.decode({ model: 'm', max_tokens: 9, messages: [user], ...body })
  if ('error' in decoded) throw new Error(decoded.error.message)
  return dialects[dialect].serverTools?.refuse(decoded.request, { id: '1' }) ?? null
}

function contentFor(body: object): readonly unknown[] {
  const told = refused('anthropic-messages', body)
  const message: unknown = told?.is === 'answer' ? JSON.parse(told.text) : undefined
  const content = isJsonObject(message) ? message['content'] : undefined
  return Array.isArray(content) ? content : []
}

describe('a request of an Anthropic client that has only tools of the server', () => {
  it('is answered with a call of the tool that failed, as Anthropic says it', () => {
    const told = refused('anthropic-messages', { tools: [search] })
    expect(told).toMatchObject({ is: 'answer', tools: ['web_search_20250305'] })
    expect(told?.is === 'answer' && JSON.parse(told.text)).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tea in "Kyoto"' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
        },
        { type: 'text', text: expect.stringContaining('web_search was not run') },
      ],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 0,
      },
    })
  })

  it('gets the same as a stream that adds up to it', () => {
    const whole = refused('anthropic-messages', { tools: [search] })
    const streamed = refused('anthropic-messages', { tools: [search], stream: true })
    if (whole?.is !== 'answer' || streamed?.is !== 'answer') throw new Error('no answer')
    const collector = dialects['anthropic-messages'].answer.whole.collect()
    collector.push(streamed.text)
    expect(collector.end()?.value).toEqual(JSON.parse(whole.text))
    expect(streamed.text).toMatch(/^event: message_start\n[^]*event: message_stop\n.*\n\n$/)
  })

  it.each([
    ['a question in its own words', 'Who won?', search, { query: 'Who won?' }],
    ['a page', 'Read https://tea.example/a, please.', fetching, { url: 'https://tea.example/a' }],
    ['no page', 'Read it.', fetching, {}],
    ['code', 'Sort it.', { type: 'code_execution_20250522', name: 'code_execution' }, {}],
  ])('has what the user says as input: %s', (_, content, tool, input) => {
    const [call] = contentFor({ tools: [tool], messages: [{ role: 'user', content }] })
    expect(call).toEqual({ type: 'server_tool_use', id: 'srvtoolu_1', name: tool.name, input })
  })

  it.each([
    ['web_fetch_20260209', 'web_fetch', 'web_fetch'],
    ['code_execution_20250522', 'code_execution', 'code_execution'],
    ['code_execution_20250825', 'code_execution', 'bash_code_execution'],
  ])('names the result of %s as its own', (type, name, kind) => {
    const [call, result] = contentFor({ tools: [{ type, name }] })
    expect(call).toMatchObject({ name: kind })
    expect(result).toMatchObject({
      type: `${kind}_tool_result`,
      content: { type: `${kind}_tool_result_error`, error_code: 'unavailable' },
    })
  })

  it('has the tool fail that the client chose', () => {
    const chosen = { tool_choice: { type: 'tool', name: 'web_fetch' } }
    expect(contentFor({ tools: [search, fetching], ...chosen })[0]).toMatchObject({ name: 'web_fetch' })
    expect(contentFor({ tools: [search, fetching] })[0]).toMatchObject({ name: 'web_search' })
  })

  it.each<[string, JsonObject]>([
    ['has other tools too', { tools: [search, bash] }],
    ['has tools that the client runs', { tools: [search, { type: 'bash_20250124', name: 'bash' }] }],
    ['has a placeholder too', { tools: [search, { name: 'DeferredToolPlaceholder' }] }],
    ['wants no call', { tools: [search], tool_choice: { type: 'none' } }],
    ['has no tools', {}],
  ])('goes to the model where it %s', (_, body) => {
    expect(refused('anthropic-messages', body)).toBeNull()
  })
})

describe('a request of a chat client that has only tools of the server', () => {
  it('is refused with the name of the field', () => {
    expect(refused('openai-chat', { web_search_options: {} })).toMatchObject({
      is: 'failure',
      tools: ['web_search_options'],
      failure: { kind: 'invalid-request', code: 'unsupported_tool', field: 'web_search_options' },
    })
    expect(refused('openai-chat', { tools: [{ type: 'web_search' }] })).toMatchObject({
      tools: ['web_search'],
      failure: { field: 'tools' },
    })
  })

  const fn = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }
  it.each<[string, JsonObject]>([
    ['has functions too', { tools: [fn], web_search_options: {} }],
    ['has tools that the client runs', { tools: [{ type: 'custom', custom: { name: 'c' } }] }],
    ['wants no call', { tools: [{ type: 'web_search' }], tool_choice: 'none' }],
    ['has no tools', {}],
  ])('goes to the model where it %s', (_, body) => {
    expect(refused('openai-chat', body)).toBeNull()
  })
})
