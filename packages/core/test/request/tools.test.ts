import { describe, expect, it } from 'vitest'
import { decodeChatRequest } from '../../src/dialects/openai-chat/request/decode.ts'
import { encodeChatRequest } from '../../src/dialects/openai-chat/request/encode.ts'
import { shortToolNames } from '../../src/request/tools.ts'
import {
  anthropicToAnthropic,
  anthropicToChat,
  chatBody,
  chatToAnthropic,
  chatToChat,
  notedFields,
  valueAt,
} from './translation.ts'

const schema = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] }
const bash = { name: 'Bash', description: 'Runs a command.', input_schema: schema }
const bashFunction = {
  type: 'function',
  function: { name: 'Bash', description: 'Runs a command.', parameters: schema },
}

describe('tools', () => {
  it('are functions in Chat and back, the schema as the client wrote it', () => {
    expect(anthropicToChat({ tools: [bash] }).body['tools']).toEqual([bashFunction])
    expect(chatToAnthropic({ tools: [bashFunction] }).body['tools']).toEqual([bash])
  })

  it('a schema that lists no properties gets an empty list', () => {
    const written = [{ type: 'object' }, {}, undefined].map((input_schema) => {
      const { body } = anthropicToChat({ tools: [{ name: 'now', input_schema }] })
      return valueAt(body, 'tools', 0, 'function', 'parameters')
    })
    const empty = { type: 'object', properties: {} }
    expect(written).toEqual([empty, empty, empty])
  })

  it('go on as the client wrote them in its own dialect', () => {
    const bare = { type: 'function', function: { name: 'now' } }
    const empty = { type: 'function', function: { name: 'then', parameters: { type: 'object' }, x: 1 } }
    expect(chatToChat({ tools: [bare, empty] }).body['tools']).toEqual([bare, empty])
    const anthropic = { name: 'now', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } }
    expect(anthropicToAnthropic({ tools: [anthropic] }).body['tools']).toEqual([anthropic])
  })

  it('unions, references and unknown keywords in a schema are passed on', () => {
    const odd = { $schema: 'x', $ref: '#/$defs/a', $defs: { a: { type: 'object', format: 'uri' } } }
    const { body } = anthropicToChat({ tools: [{ name: 'odd', input_schema: odd }] })
    expect(valueAt(body, 'tools', 0, 'function', 'parameters')).toEqual(odd)
  })

  it('that Anthropic runs are stripped and noted, never sent as functions', () => {
    const tools = [
      { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
      { type: 'mcp_toolset', mcp_server_name: 'x' },
      bash,
    ]
    const { body, notes } = anthropicToChat({ tools })
    expect(body['tools']).toEqual([bashFunction])
    expect(notedFields(notes)).toEqual(['dropped tools (web_search_20250305)', 'dropped tools (mcp_toolset)'])
  })

  it('that Anthropic runs go to Anthropic', () => {
    const tools = [bash, { type: 'web_search_20250305', name: 'web_search', max_uses: 5 }]
    expect(anthropicToAnthropic({ tools }).body['tools']).toEqual(tools)
  })

  it('of type custom are the client’s own', () => {
    expect(anthropicToChat({ tools: [{ type: 'custom', ...bash }] }).body['tools']).toEqual([bashFunction])
  })

  it('with deferred loading are visible, and the placeholder for them is hidden', () => {
    const { body } = anthropicToChat({
      tools: [
        { ...bash, defer_loading: true },
        { name: 'DeferredToolPlaceholder', input_schema: { type: 'object' }, defer_loading: true },
      ],
    })
    expect(body['tools']).toEqual([bashFunction])
  })

  it('of Chat that are no functions are kept for Chat and dropped elsewhere', () => {
    const tools = [bashFunction, { type: 'web_search', external_web_access: true }]
    expect(chatToChat({ tools }).body['tools']).toEqual(tools)
    expect(chatToAnthropic({ tools }).body['tools']).toEqual([bash])
  })

  it('in the old field functions are tools', () => {
    const { body } = chatToChat({ functions: [bashFunction.function], function_call: { name: 'Bash' } })
    expect(body).toMatchObject({
      tools: [bashFunction],
      tool_choice: { type: 'function', function: { name: 'Bash' } },
    })
    expect(body).not.toHaveProperty('functions')
  })

  it('that are strict have closed objects at Anthropic', () => {
    const parameters = {
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'object', properties: {} } },
        title: { type: 'string' },
      },
    }
    const { body } = chatToAnthropic({
      tools: [{ type: 'function', function: { name: 'f', parameters, strict: true } }],
    })
    expect(valueAt(body, 'tools', 0)).toEqual({
      name: 'f',
      strict: true,
      input_schema: {
        type: 'object',
        properties: {
          a: { type: 'array', items: { type: 'object', properties: {}, additionalProperties: false } },
          title: { type: 'string' },
        },
        additionalProperties: false,
      },
    })
  })

  it('beyond the number that the upstream takes are left out and noted', () => {
    const tools = ['a', 'b', 'c'].map((name) => ({ name, input_schema: schema }))
    const { body, notes } = anthropicToChat({ tools }, { maxTools: 2 })
    expect(body['tools']).toHaveLength(2)
    expect(notedFields(notes)).toEqual(['dropped tools'])
  })
})

function choices(...given: unknown[]): unknown[] {
  return given.map((tool_choice) => anthropicToChat({ tools: [bash], tool_choice }).body['tool_choice'])
}

describe('the choice of a tool', () => {
  it('has its word in each dialect', () => {
    expect(
      choices({ type: 'auto' }, { type: 'any' }, { type: 'none' }, { type: 'tool', name: 'Bash' }),
    ).toEqual(['auto', 'required', 'none', { type: 'function', function: { name: 'Bash' } }])
    const back = ['auto', 'required', 'none', { type: 'function', function: { name: 'Bash' } }].map(
      (tool_choice) => chatToAnthropic({ tools: [bashFunction], tool_choice }).body['tool_choice'],
    )
    expect(back).toEqual([
      { type: 'auto' },
      { type: 'any' },
      { type: 'none' },
      { type: 'tool', name: 'Bash' },
    ])
  })

  it('is left out where there are no tools', () => {
    const { body, notes } = anthropicToChat({
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    })
    expect(body).not.toHaveProperty('tool_choice')
    expect(body).not.toHaveProperty('parallel_tool_calls')
    expect(notes.map(({ field }) => field)).toEqual(['tool_choice', 'parallel_tool_calls'])
    expect(chatToAnthropic({ tool_choice: 'auto' }).body).not.toHaveProperty('tool_choice')
  })

  it('is left out where it names a tool that is not offered', () => {
    const { body, notes } = anthropicToChat({
      tools: [bash, { type: 'web_search_20250305', name: 'web_search' }],
      tool_choice: { type: 'tool', name: 'web_search' },
    })
    expect(body).not.toHaveProperty('tool_choice')
    expect(notedFields(notes)).toContain('dropped tool_choice')
  })

  it('of one call at a time goes both ways', () => {
    const { body } = anthropicToChat({
      tools: [bash],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    })
    expect(body).toMatchObject({ tool_choice: 'auto', parallel_tool_calls: false })
    const back = chatToAnthropic({ tools: [bashFunction], parallel_tool_calls: false })
    expect(back.body['tool_choice']).toEqual({ type: 'auto', disable_parallel_tool_use: true })
  })

  it('that forces a call is asked for in words where the upstream refuses it', () => {
    const { body, messages, notes } = anthropicToChat(
      { tools: [bash], tool_choice: { type: 'tool', name: 'Bash' } },
      { forcedToolChoice: 'nudge' },
    )
    expect(body['tool_choice']).toBe('auto')
    expect(messages[0]).toEqual({
      role: 'system',
      content: 'Answer the next message with a call of the tool Bash.',
    })
    expect(notedFields(notes)).toEqual(['changed tool_choice'])
  })

  it('of a type that we do not know is dropped, not refused', () => {
    const { body, notes } = anthropicToChat({ tools: [bash], tool_choice: { type: 'whim' } })
    expect(body).not.toHaveProperty('tool_choice')
    expect(notedFields(notes)).toEqual(['dropped tool_choice'])
  })

  it('of Chat of a type that we do not know goes to Chat, and nowhere else', () => {
    const tools = [
      { type: 'function', function: { name: 'Bash', parameters: { type: 'object', properties: {} } } },
    ]
    const choice = { type: 'whim', whim: { mode: 'auto', tools } }
    expect(chatToChat({ tools, tool_choice: choice }).body['tool_choice']).toEqual(choice)
    const { body, notes } = chatToAnthropic({ max_tokens: 1, tools, tool_choice: choice })
    expect(body).not.toHaveProperty('tool_choice')
    expect(notedFields(notes)).toEqual(['dropped tool_choice'])
    expect(notedFields(chatToChat({ tools, tool_choice: 'whim' }).notes)).toEqual(['dropped tool_choice'])
  })

  it('among some of the tools goes to Chat as it came; elsewhere its mode is said, and every tool stays', () => {
    const tools = ['Bash', 'Read'].map((name) => ({
      type: 'function',
      function: { name, parameters: { type: 'object', properties: {} } },
    }))
    for (const mode of ['auto', 'required']) {
      const choice = { type: 'allowed_tools', allowed_tools: { mode, tools: tools.slice(0, 1) } }
      expect(chatToChat({ tools, tool_choice: choice }).body).toMatchObject({ tools, tool_choice: choice })
      const { body, notes } = chatToAnthropic({ max_tokens: 1, tools, tool_choice: choice })
      expect(body['tools']).toHaveLength(2)
      expect(body['tool_choice']).toEqual({ type: mode === 'auto' ? 'auto' : 'any' })
      expect(notedFields(notes)).toEqual([])
    }
  })
})

describe('tool names that are too long', () => {
  const long = `mcp__${'server'.repeat(12)}__read`
  const names = shortToolNames([{ name: long }, { name: 'Bash' }, { name: `${long}2` }])

  it('become short ones that differ, and come back', () => {
    const short = names.toUpstream(long)
    expect(short).toMatch(/^mcp__server[a-zA-Z0-9_-]{1,53}$/)
    expect(names.toUpstream(`${long}2`)).not.toBe(short)
    expect(names.toClient(short)).toBe(long)
    expect(names.toClient(names.toUpstream(`${long}2`))).toBe(`${long}2`)
  })

  it('become the same in every request, whatever other tools there are', () => {
    expect(shortToolNames([{ name: 'other' }, { name: long }]).toUpstream(long)).toBe(names.toUpstream(long))
    expect(shortToolNames([]).toUpstream(long)).toBe(names.toUpstream(long))
  })

  it('leave other names alone, their case too', () => {
    expect([names.toUpstream('Bash'), names.toClient('Bash')]).toEqual(['Bash', 'Bash'])
  })

  it('never take the name of another tool', () => {
    const squatter = shortToolNames([{ name: long }]).toUpstream(long)
    const both = shortToolNames([{ name: long }, { name: squatter }])
    expect(both.toUpstream(long)).not.toBe(squatter)
    expect(both.toClient(squatter)).toBe(squatter)
  })

  it('are legal where the client’s had characters that are not', () => {
    const dotted = shortToolNames([{ name: 'files.read' }])
    expect(dotted.toUpstream('files.read')).toMatch(/^files_read_[a-zA-Z0-9]{9}$/)
    expect(dotted.toClient(dotted.toUpstream('files.read'))).toBe('files.read')
  })

  it('are replaced in tools, choice, history and ids alike', () => {
    const { body, messages } = anthropicToChat(
      {
        tools: [{ name: long, input_schema: schema }],
        tool_choice: { type: 'tool', name: long },
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: long, input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] },
        ],
      },
      { format: 'kimi' },
    )
    const short = names.toUpstream(long)
    expect(JSON.stringify(body)).not.toContain(long)
    expect(valueAt(body, 'tools', 0, 'function', 'name')).toBe(short)
    expect(body['tool_choice']).toEqual({ type: 'function', function: { name: short } })
    expect(messages[1]?.['tool_calls']).toMatchObject([
      { id: `functions.${short}:0`, function: { name: short } },
    ])
  })

  it('are turned back by what the encoder gives out, also where only the history has the tool', () => {
    const decoded = decodeChatRequest(
      chatBody({
        tools: [bashFunction],
        messages: [
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: long, arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
        ],
      }),
    )
    if ('error' in decoded) throw new Error(decoded.error.message)
    const { body, toolNames } = encodeChatRequest(decoded.request, { model: 'm', format: 'standard' })
    const sent = valueAt(body, 'messages', 1, 'tool_calls', 0, 'function', 'name')
    expect(sent).not.toBe(long)
    expect(toolNames.toClient(String(sent))).toBe(long)
    expect(toolNames.toClient('Bash')).toBe('Bash')
  })

  it('may be twice as long at Anthropic', () => {
    const tools = [{ type: 'function', function: { name: long, parameters: schema } }]
    expect(valueAt(chatToAnthropic({ tools }).body, 'tools', 0, 'name')).toBe(long)
  })
})
