import { describe, expect, it } from 'vitest'
import { isJsonObject } from '../../../src/json/objects.ts'
import {
  argumentsOfItem,
  fieldsOfCall,
  type ToolKind,
  toolKindsOf,
} from '../../../src/dialects/openai-responses/tools.ts'
import { notedFields, valueAt } from '../../request/translation.ts'
import { decoded, fromChat, toAnthropic, toChat, toOpenAi, toPlain, toResponses } from './requests.ts'

const schema = { type: 'object', properties: { a: { type: 'number' } } }
const run = { type: 'function', name: 'run', description: 'Runs.', parameters: schema, strict: false }
const patch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
}
const agents = {
  type: 'namespace',
  name: 'multi_agent_v1',
  description: 'Agents.',
  tools: [
    { type: 'function', name: 'spawn', parameters: schema },
    { type: 'function', name: 'wait', parameters: schema },
  ],
}
const search = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: schema }

const names = (tools: unknown): unknown[] =>
  Array.isArray(tools)
    ? tools.map((tool: unknown) => valueAt(tool, 'function', 'name') ?? valueAt(tool, 'name'))
    : []

function kindsOf(tools: readonly object[]): ReturnType<typeof toolKindsOf> {
  return toolKindsOf(decoded({ tools }).request.tools)
}

describe('tools', () => {
  it('of every kind are functions to a model, and what they were to the client', () => {
    const tools = [run, patch, agents, search, { type: 'local_shell' }, { type: 'shell' }]
    const flat = ['run', 'apply_patch', 'multi_agent_v1__spawn', 'multi_agent_v1__wait', 'tool_search']
    expect(names(toChat({ tools }).body['tools'])).toEqual([...flat, 'local_shell', 'shell'])
    const kinds = kindsOf(tools)
    expect([...flat, 'local_shell', 'shell', 'unheard_of'].map((name) => kinds.kindOf(name))).toEqual([
      { kind: 'function', name: 'run' },
      { kind: 'custom', name: 'apply_patch' },
      { kind: 'function', name: 'spawn', namespace: 'multi_agent_v1' },
      { kind: 'function', name: 'wait', namespace: 'multi_agent_v1' },
      { kind: 'tool_search', name: 'tool_search' },
      { kind: 'local_shell', name: 'local_shell' },
      { kind: 'shell', name: 'shell' },
      { kind: 'function', name: 'unheard_of' },
    ])
  })

  it('that take a text show its grammar, and have one argument', () => {
    const tool = valueAt(toChat({ tools: [patch] }).body, 'tools', 0, 'function')
    expect(tool).toMatchObject({
      description: expect.stringMatching(/^Edits files\.[^]*lark[^]*start: "x"$/),
      parameters: { properties: { input: { type: 'string' } }, required: ['input'] },
    })
  })

  it('go on as they came in their own dialect, the tools of a namespace together', () => {
    const tools = [run, patch, agents, search, { type: 'web_search' }]
    expect(toOpenAi({ tools }).body['tools']).toEqual(tools)
  })

  it('in the namespace "functions" are in none', () => {
    const inside = { type: 'namespace', name: 'functions', tools: [run, patch] }
    expect(names(toChat({ tools: [inside] }).body['tools'])).toEqual(['run', 'apply_patch'])
    expect(kindsOf([inside]).kindOf('apply_patch')).toEqual({ kind: 'custom', name: 'apply_patch' })
  })

  it('whose flat names are the same get others, and are told apart by the request alone', () => {
    const tools = [
      { type: 'namespace', name: 'a', tools: [{ type: 'function', name: 'b__c' }] },
      { type: 'namespace', name: 'a__b', tools: [{ type: 'function', name: 'c' }] },
    ]
    expect(names(toChat({ tools }).body['tools'])).toEqual(['a__b__c', 'a__b__c_2'])
    const kinds = kindsOf(tools)
    expect(kinds.kindOf('a__b__c_2')).toEqual({ kind: 'function', name: 'c', namespace: 'a__b' })
    expect(kinds.nameOf({ kind: 'function', name: 'c', namespace: 'a__b' })).toBe('a__b__c_2')
  })

  it('with a name too long for the upstream get a short one', () => {
    const long = { type: 'namespace', name: 'n'.repeat(60), tools: [{ type: 'function', name: 'spawn' }] }
    const [name] = names(toChat({ tools: [long] }).body['tools'])
    expect(String(name).length).toBeLessThanOrEqual(64)
  })

  it('of a function without a name are refused, with the place', () => {
    expect(() => decoded({ tools: [{ type: 'function' }] })).toThrow('tools[0].name')
    expect(() => decoded({ tools: [{ ...agents, tools: [{ type: 'custom' }] }] })).toThrow(
      'tools[0].tools[0].name',
    )
  })

  it('say whether they are strict, where nothing else would be taken for it', () => {
    const { strict: _, ...unsaid } = run
    const tools = [unsaid, { ...run, name: 'b' }, { ...run, name: 'c', strict: true }]
    expect(strictOf(toPlain({ tools }).body['tools'])).toEqual([false, false, true])
    expect(strictOf(toOpenAi({ tools }).body['tools'])).toEqual([undefined, false, true])
    const chat = { type: 'function', function: { name: 'run', parameters: schema } }
    expect(fromChat({ tools: [chat] }).body['tools']).toEqual([
      { type: 'function', name: 'run', parameters: schema, strict: false },
    ])
    expect(toChat({ tools: [unsaid] }).body['tools']).not.toHaveProperty('0.function.strict')
  })
})

describe('tools that nobody runs', () => {
  const hosted = [{ type: 'web_search' }, { type: 'mcp', server_label: 'x' }]

  it('leave neither tools nor a choice, with a note each', () => {
    const { body, notes } = toChat({ tools: hosted, tool_choice: 'auto', parallel_tool_calls: true })
    expect(body).not.toHaveProperty('tools')
    expect(body).not.toHaveProperty('tool_choice')
    expect(notedFields(notes)).toEqual([
      'dropped tool_choice',
      'dropped parallel_tool_calls',
      'dropped tools (web_search)',
      'dropped tools (mcp)',
    ])
    expect(toPlain({ tools: hosted, tool_choice: 'auto' }).body).not.toHaveProperty('tools')
  })
})

describe('calls in the history', () => {
  const user = { role: 'user', content: 'hi' }

  it('of shells and patches are calls of their functions, with their results as text', () => {
    const input = [
      user,
      { type: 'local_shell_call', call_id: 'l', action: { type: 'exec', command: ['ls'], env: {} } },
      { type: 'local_shell_call_output', call_id: 'l', output: 'a.txt' },
      { type: 'shell_call', call_id: 's', action: { commands: ['ls', 'pwd'] } },
      {
        type: 'shell_call_output',
        call_id: 's',
        output: [{ stdout: '/', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
      },
      { type: 'apply_patch_call', call_id: 'p', operation: { type: 'delete_file', path: 'a' } },
      { type: 'apply_patch_call_output', call_id: 'p', status: 'failed', output: 'no such file' },
    ]
    const { items } = toAnthropic({ input })
    const blocks = items.flatMap(({ content }) =>
      Array.isArray(content) ? content.filter(isJsonObject) : [],
    )
    expect(blocks.flatMap(({ name, input: given }) => (name === undefined ? [] : [[name, given]]))).toEqual([
      ['local_shell', { command: ['ls'] }],
      ['shell', { commands: ['ls', 'pwd'] }],
      ['apply_patch', { type: 'delete_file', path: 'a' }],
    ])
    const results = blocks.filter(({ type }) => type === 'tool_result')
    expect(results.map(({ content }) => content)).toEqual(['a.txt', '/\n[exit code 0]', 'no such file'])
    expect(results[2]).toMatchObject({ is_error: true })
    expect(toResponses({ input }).items.slice(1)).toEqual(input.slice(1))
  })
})

describe('the arguments of a call and the fields of its item', () => {
  const custom: ToolKind = { kind: 'custom', name: 'apply_patch' }

  it('are the same both ways', () => {
    const calls: readonly [ToolKind['kind'], object][] = [
      ['custom', { input: 'a "b"\n' }],
      ['tool_search', { query: 'x' }],
      ['local_shell', { command: ['ls', '-l'], workdir: '/tmp', timeout_ms: 5 }],
      ['shell', { commands: ['ls'], timeout_ms: 5, max_output_length: 10 }],
      ['apply_patch', { type: 'update_file', path: 'a', diff: '+b' }],
    ]
    for (const [kind, given] of calls) {
      const made = fieldsOfCall({ kind, name: kind }, JSON.stringify(given))
      if (made.is !== 'fields') throw new Error(made.message)
      expect(made.repair).toBeUndefined()
      expect(argumentsOfItem(kind, made.fields)).toEqual(given)
    }
  })

  it('a text under another name, bare, or beside others is taken, and that is told', () => {
    for (const json of ['{"patch":"x"}', '"x"', '{"input":"x","why":"y"}']) {
      expect(fieldsOfCall(custom, json)).toMatchObject({
        is: 'fields',
        fields: { input: 'x' },
        repair: expect.any(String),
      })
    }
  })

  it('anything else is no call of it', () => {
    for (const json of ['{"a":"x","b":"y"}', '{"input":1}', '[]', '{}', 'no JSON']) {
      expect(fieldsOfCall(custom, json).is).toBe('invalid')
    }
    expect(fieldsOfCall({ kind: 'local_shell', name: 'local_shell' }, '{"command":[]}').is).toBe('invalid')
  })
})

function strictOf(tools: unknown): unknown[] {
  return Array.isArray(tools) ? tools.map((tool: unknown) => valueAt(tool, 'strict')) : []
}
