import { describe, expect, it } from 'vitest'
import { decodeResponsesRequest } from '../../../src/dialects/openai-responses/request/decode.ts'
import { refuseServerTools } from '../../../src/dialects/openai-responses/request/server-tools.ts'
import { makeSignature } from '../../../src/request/reasoning-signature.ts'
import { errorIn, notedFields, valueAt } from '../../request/translation.ts'
import {
  decoded,
  responsesBody,
  toAnthropic,
  toChat,
  toGemini,
  toOpenAi,
  toPlain,
  toResponses,
} from './requests.ts'

// The lines of the conformance checklist for requests, one test each. Those about HTTP are with the tests of the gateway.

const user = (text: string): object => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})
const spoken = (text: string): object => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})
const thought = (text: string): object => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text }],
})
const call = (id: string, name = 'run', more: object = {}): object => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: '{"a":1}',
  ...more,
})
const output = (id: string, said: unknown = `result of ${id}`): object => ({
  type: 'function_call_output',
  call_id: id,
  output: said,
})

const schema = { type: 'object', properties: { a: { type: 'number' } } }
const run = { type: 'function', name: 'run', description: 'Runs.', parameters: schema, strict: false }
const patch = { type: 'custom', name: 'apply_patch', description: 'Edits files.' }
const agents = {
  type: 'namespace',
  name: 'multi_agent_v1',
  tools: [
    { type: 'function', name: 'spawn', parameters: schema },
    { type: 'function', name: 'wait', parameters: schema },
  ],
}
const search = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: schema }
const hosted = [{ type: 'web_search' }, { type: 'mcp', server_label: 'x' }]

type Items = readonly Record<string, unknown>[]

const roles = (items: Items): unknown[] => items.map(({ role }) => role)
const resultIds = (items: Items): unknown[] =>
  items.filter(({ role }) => role === 'tool').map(({ tool_call_id: id }) => id)
const names = (tools: unknown): unknown[] =>
  Array.isArray(tools)
    ? tools.map((tool: unknown) => valueAt(tool, 'function', 'name') ?? valueAt(tool, 'name'))
    : []

const chosenBy = (name: string, original: object): unknown[] => [
  { type: 'function', function: { name } },
  { type: 'tool', name },
  { type: 'function', name },
  original,
]
const strictIn = (given: unknown, ...path: string[]): unknown[] =>
  Array.isArray(given) ? given.map((tool: unknown) => valueAt(tool, ...path, 'strict')) : []
const formatOf = (given: object): unknown => toChat({ text: { format: given } }).body['response_format']
const refusalOf = (fields: Record<string, unknown>): unknown =>
  errorIn(decodeResponsesRequest(responsesBody(fields)))

describe('the conformance checklist for requests', () => {
  it('1. input string; items; message without type; content string, parts', () => {
    for (const input of [
      'hi',
      [{ type: 'message', role: 'user', content: 'hi' }],
      [{ role: 'user', content: 'hi' }],
      [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
      [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
    ]) {
      expect(toChat({ input }).items).toEqual([{ role: 'user', content: 'hi' }])
      expect(roles(toAnthropic({ input }).items)).toEqual(['user'])
      expect(toGemini({ input }).items).toEqual([{ role: 'user', parts: [{ text: 'hi' }] }])
      expect(toPlain({ input }).items).toEqual([user('hi')])
    }
    expect(refusalOf({ input: [{ role: 7, content: 'hi' }] })).toMatchObject({ field: 'input[0].role' })
    expect(refusalOf({ input: 7 })).toMatchObject({ field: 'input' })
  })

  it('2. instructions, developer and system keep their order; late developer stays in place', () => {
    const input = [
      { role: 'developer', content: 'second' },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'third' }] },
      user('hi'),
      { type: 'message', role: 'developer', content: 'late' },
      user('go on'),
    ]
    const fields = { instructions: 'first', input }
    const { items } = toChat(fields)
    expect(items[0]).toEqual({ role: 'system', content: 'first\n\nsecond\n\nthird' })
    expect(JSON.stringify(items[1])).toMatch(/hi.*<system-reminder>.*late.*go on/s)
    expect(JSON.stringify(toAnthropic(fields).body['system'])).toMatch(/first.*second.*third/s)
    const own = toOpenAi(fields)
    expect(own.body['instructions']).toBe('first')
    expect(own.items).toEqual([{ type: 'message', ...input[0] }, ...input.slice(1)])
  })

  it('3. lite form: additional_tools, no tools', () => {
    const input = [
      { type: 'additional_tools', tools: [{ type: 'namespace', name: 'functions', tools: [run, patch] }] },
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ]
    const { body, items } = toChat({ input })
    expect(names(body['tools'])).toEqual(['run', 'apply_patch'])
    expect(items).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ])
    expect(names(toPlain({ input }).body['tools'])).toEqual(['run', 'apply_patch'])
    const own = toOpenAi({ input })
    expect(own.body['tools']).toBeUndefined()
    expect(own.items[0]).toEqual(input[0])
  })

  it('4. reasoning, text, calls before an output are one assistant message', () => {
    const input = [
      user('hi'),
      thought('hm'),
      spoken('I look.'),
      call('a'),
      spoken('And there.'),
      call('b'),
      output('a'),
      output('b'),
    ]
    const { items } = toChat({ input })
    expect(roles(items)).toEqual(['user', 'assistant', 'tool', 'tool'])
    expect(items[1]).toMatchObject({ reasoning_content: 'hm', tool_calls: [{}, {}] })
    expect(items[1]?.['content']).toMatch(/^I look\.\s*And there\.$/)
    expect(roles(toAnthropic({ input }).items)).toEqual(['user', 'assistant', 'user'])
    expect(roles(toGemini({ input }).items)).toEqual(['user', 'model', 'user'])
  })

  it('5. outputs reversed, interleaved, doubled, missing, orphaned, without call_id', () => {
    const reversed = [call('a'), call('b'), output('b'), output('a')]
    const interleaved = [call('a'), output('a'), call('b'), output('b')]
    const doubled = [call('a'), call('b'), output('a'), output('a'), output('b')]
    const missing = [call('a'), call('b'), output('b')]
    for (const turn of [reversed, interleaved, doubled, missing]) {
      const { items } = toChat({ input: [user('hi'), ...turn] })
      expect(resultIds(items)).toEqual(['a', 'b'])
      for (const id of turn === missing ? ['b'] : ['a', 'b']) {
        expect(items.find(({ tool_call_id: of }) => of === id)?.['content']).toBe(`result of ${id}`)
      }
    }
    const filled = toChat({ input: [user('hi'), ...missing] }).items
    expect(filled.find(({ tool_call_id: id }) => id === 'a')?.['content']).toContain('not available')
    const event = { type: 'function_call_output', name: 'watch', output: 'changed' }
    const { items, notes } = toChat({ input: [user('hi'), output('x'), event] })
    expect(resultIds(items)).toEqual([])
    expect(JSON.stringify(items)).toMatch(/result of x.*Output of watch:.*changed/s)
    expect(notedFields(notes)).toContain('changed input[2]')
    expect(toOpenAi({ input: [user('hi'), event] }).items[1]).toEqual(event)
  })

  it('6. output array with image', () => {
    const parts = [
      { type: 'input_text', text: 'seen' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ]
    const input = [user('hi'), call('a'), output('a', parts)]
    expect(valueAt(toAnthropic({ input }).items, 2, 'content', 0, 'content')).toMatchObject([
      { type: 'text', text: 'seen' },
      { type: 'image' },
    ])
    const chat = toChat({ input }).items
    expect(roles(chat)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(JSON.stringify(chat[3])).toContain('data:image/png;base64,AAAA')
    expect(JSON.stringify(toGemini({ input }).items)).toContain('AAAA')
    const plain = toPlain({ input }).items
    expect(plain[2]).toMatchObject({ output: 'seen\n[shown in the next message]' })
    expect(valueAt(plain, 3, 'content', 1)).toMatchObject({ type: 'input_image' })
    expect(toOpenAi({ input }).items[2]).toEqual(output('a', parts))
  })

  it('7. custom call history round trip: quotes, newlines, astral, lone surrogates', () => {
    // A half of a surrogate pair cannot be sent as UTF-8; the sign for that stands in its place.
    for (const input of [
      '"quoted" \\ and \n\r\t lines',
      'astral 😀 and \u0000',
      'half \ud83d of one',
      'other half \ude00',
      '',
    ]) {
      const custom = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'apply_patch', input }
      const result = { type: 'custom_tool_call_output', call_id: 'c', output: 'done' }
      const fields = { tools: [patch], input: [user('hi'), custom, result] }
      const kept = input.toWellFormed()
      const called = toChat(fields).items[1]
      expect(JSON.parse(String(valueAt(called, 'tool_calls', 0, 'function', 'arguments')))).toEqual({
        input: kept,
      })
      expect(valueAt(toAnthropic(fields).items, 1, 'content', 0, 'input')).toEqual({ input: kept })
      expect(valueAt(toGemini(fields).items, 1, 'parts', 0, 'functionCall', 'args')).toEqual({ input: kept })
      const plain = toPlain(fields).items
      expect(plain[1]).toMatchObject({ type: 'function_call', id: 'ctc_1', name: 'apply_patch' })
      expect(JSON.parse(String(plain[1]?.['arguments']))).toEqual({ input: kept })
      expect(plain[2]).toEqual({ type: 'function_call_output', call_id: 'c', output: 'done' })
      expect(toOpenAi(fields).items.slice(1)).toEqual([{ ...custom, input: kept }, result])
    }
  })

  it("8. namespaced history call has the tool's flat name", () => {
    const called = call('c', 'spawn', { namespace: 'multi_agent_v1' })
    const fields = { tools: [agents], input: [user('hi'), called, output('c')] }
    const flat = 'multi_agent_v1__spawn'
    expect(names(toChat(fields).body['tools'])).toEqual([flat, 'multi_agent_v1__wait'])
    expect(valueAt(toChat(fields).items, 1, 'tool_calls', 0, 'function', 'name')).toBe(flat)
    expect(valueAt(toAnthropic(fields).items, 1, 'content', 0, 'name')).toBe(flat)
    expect(toPlain(fields).items[1]).toMatchObject({ name: flat })
    expect(toPlain(fields).items[1]).not.toHaveProperty('namespace')
    expect(toOpenAi(fields).items[1]).toEqual(called)
  })

  it('9. tool_search round trip; found tools offered next time', () => {
    const looked = {
      type: 'tool_search_call',
      call_id: 's',
      execution: 'client',
      arguments: { a: 1 },
      status: 'completed',
    }
    const found = { type: 'tool_search_output', call_id: 's', execution: 'client', tools: [agents] }
    const fields = { tools: [search], input: [user('hi'), looked, found] }
    const { body, items } = toChat(fields)
    expect(names(body['tools'])).toEqual(['tool_search', 'multi_agent_v1__spawn', 'multi_agent_v1__wait'])
    expect(valueAt(items, 1, 'tool_calls', 0, 'function')).toEqual({
      name: 'tool_search',
      arguments: '{"a":1}',
    })
    expect(items[2]?.['content']).toContain('multi_agent_v1__spawn')
    const own = toOpenAi(fields)
    expect(own.body['tools']).toEqual([search])
    expect(own.items.slice(1)).toEqual([looked, found])
  })

  it('10. item_reference, unknown item, part, tool, field: read, one note each', () => {
    const { body, notes } = toChat({
      input: [
        user('hi'),
        { type: 'item_reference', id: 'rs_1' },
        { type: 'hologram', id: 'h' },
        { type: 'message', role: 'user', content: [{ type: 'input_smell', smell: 'x' }] },
      ],
      tools: [{ type: 'telepathy' }],
      truncation: 'auto',
    })
    expect(body['messages']).toEqual([{ role: 'user', content: 'hi' }])
    expect(notes.map(({ field, reason }) => `${field} ${reason}`).toSorted()).toEqual([
      expect.stringContaining('input[1]'),
      expect.stringContaining('hologram'),
      expect.stringContaining('input_smell'),
      expect.stringContaining('tools (telepathy)'),
      expect.stringContaining('truncation'),
    ])
  })

  it('11. all tools dropped: neither tools nor tool_choice upstream; required is refused', () => {
    for (const written of [toChat, toAnthropic, toGemini, toPlain]) {
      const { body } = written({ tools: hosted, tool_choice: 'auto', parallel_tool_calls: true })
      for (const field of ['tools', 'tool_choice', 'toolConfig', 'parallel_tool_calls']) {
        expect(body).not.toHaveProperty(field)
      }
    }
    const refused = (fields: object): unknown =>
      refuseServerTools(decoded({ tools: hosted, ...fields }).request)
    expect(refused({})).toBeNull()
    expect(refused({ tool_choice: 'required', tools: [...hosted, run] })).toBeNull()
    expect(refused({ tool_choice: 'required' })).toMatchObject({
      is: 'failure',
      tools: ['web_search', 'mcp'],
      failure: { kind: 'invalid-request', field: 'tools' },
    })
  })

  // That calls of other tools are not delivered is held in allowed-tools.test.ts, for the clients of every dialect.
  it('12. tool_choice in every shape; allowed_tools enforced', () => {
    const tools = [run, patch, agents, search]
    const chosen = (tool_choice: unknown): unknown[] => [
      toChat({ tools, tool_choice }).body['tool_choice'],
      toAnthropic({ tools, tool_choice }).body['tool_choice'],
      toPlain({ tools, tool_choice }).body['tool_choice'],
      toOpenAi({ tools, tool_choice }).body['tool_choice'],
    ]
    expect(chosen('auto')).toEqual(['auto', { type: 'auto' }, 'auto', 'auto'])
    expect(chosen('none')).toEqual(['none', { type: 'none' }, 'none', 'none'])
    expect(chosen('required')).toEqual(['required', { type: 'any' }, 'required', 'required'])
    for (const [choice, name] of [
      [{ type: 'function', name: 'run' }, 'run'],
      [{ type: 'custom', name: 'apply_patch' }, 'apply_patch'],
      [{ type: 'function', name: 'wait', namespace: 'multi_agent_v1' }, 'multi_agent_v1__wait'],
      [{ type: 'tool_search' }, 'tool_search'],
    ] as const) {
      expect(chosen(choice)).toEqual(chosenBy(name, choice))
    }
    const other = { type: 'web_search' }
    expect(chosen(other)).toEqual(['auto', { type: 'auto' }, 'auto', other])
    expect(notedFields(toChat({ tools, tool_choice: other }).notes)).toEqual(['changed tool_choice'])
    for (const [mode, anthropic] of [
      ['auto', 'auto'],
      ['required', 'any'],
      ['none', 'none'],
    ] as const) {
      const some = { type: 'allowed_tools', mode, tools: [run, patch, { type: 'web_search' }] }
      const { body } = toChat({ tools, tool_choice: some })
      expect(names(body['tools'])).toHaveLength(5)
      expect(chosen(some)).toEqual([mode, { type: anthropic }, mode, some])
      expect(decoded({ tools, tool_choice: some }).request.toolChoice).toMatchObject({
        type: mode,
        allowed: ['run', 'apply_patch'],
      })
    }
  })

  it('13. strict omitted, true, false', () => {
    const { strict: _, ...unsaid } = run
    const tools = [unsaid, { ...run, name: 'b', strict: true }, { ...run, name: 'c', strict: false }]
    expect(strictIn(toChat({ tools }).body['tools'], 'function')).toEqual([undefined, true, false])
    expect(strictIn(toPlain({ tools }).body['tools'])).toEqual([false, true, false])
    expect(strictIn(toOpenAi({ tools }).body['tools'])).toEqual([undefined, true, false])
  })

  it('14. text.format each; each effort word; configuration_update wins', () => {
    const described = { type: 'json_schema', name: 'n', schema, strict: true, description: 'd' }
    expect(formatOf({ type: 'text' })).toEqual({ type: 'text' })
    expect(formatOf({ type: 'json_object' })).toEqual({ type: 'json_object' })
    expect(formatOf(described)).toEqual({
      type: 'json_schema',
      json_schema: { name: 'n', schema, strict: true },
    })
    expect(toOpenAi({ text: { format: described, verbosity: 'low' } }).body['text']).toEqual({
      format: described,
      verbosity: 'low',
    })
    for (const effort of ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']) {
      const mode = effort === 'none' ? 'off' : 'on'
      expect(decoded({ reasoning: { effort } }).request.reasoning).toEqual({ mode, effort })
      expect(toOpenAi({ reasoning: { effort, summary: 'auto' } }).body['reasoning']).toEqual({
        effort,
        summary: 'auto',
      })
    }
    const input = [
      user('hi'),
      { type: 'configuration_update', reasoning: { effort: 'low' } },
      { type: 'configuration_update', reasoning: { effort: 'high' } },
    ]
    const { request, notes } = decoded({ input, reasoning: { effort: 'medium' } })
    expect(request.reasoning).toEqual({ mode: 'on', effort: 'high' })
    expect(notes).toEqual([])
  })

  it('15. previous_response_id, conversation, prompt, background: refused with param; store:true read', () => {
    expect(refusalOf({ previous_response_id: 'resp_1' })).toMatchObject({
      field: 'previous_response_id',
      code: 'previous_response_not_found',
    })
    for (const [field, value] of [
      ['conversation', 'conv_1'],
      ['conversation', { id: 'conv_1' }],
      ['prompt', { id: 'p' }],
      ['background', true],
    ] as const) {
      expect(refusalOf({ [field]: value })).toMatchObject({ field })
    }
    const empty = { previous_response_id: null, conversation: null, prompt: null, background: false }
    const { request, notes } = decoded({ ...empty, store: true })
    expect(request.extra).toEqual({})
    expect(notes).toEqual([])
    expect(toOpenAi({ store: true }).body).toMatchObject({ store: false })
    for (const written of [toPlain, toChat, toAnthropic]) {
      expect(written({ store: true }).body).not.toHaveProperty('store')
    }
  })

  it('39. encrypted_content: ours restored byte-exact to the family, foreign and damaged survive', () => {
    // Trailing space, quotes and letters outside of ASCII: what a template would show the model differently.
    const text = ' Let me "think" – 思考 😀\n\n'
    const source = { format: 'kimi', field: 'reasoning_content', model: 'k' } as const
    const item = (encrypted: string): object => ({ ...thought(text), encrypted_content: encrypted })
    const input = (encrypted: string): unknown[] => [
      user('hi'),
      item(encrypted),
      spoken('yes'),
      user('go on'),
    ]
    const ours = makeSignature(source)
    const toKimi = { model: 'k', format: 'kimi' } as const
    expect(toChat({ input: input(ours) }, toKimi).items[1]).toMatchObject({ reasoning_content: text })
    expect(toPlain({ input: input(ours) }, toKimi).items[1]).toMatchObject({
      content: [{ type: 'reasoning_text', text }],
    })
    const foreign = `gAAAAAB${'x'.repeat(80)}`
    expect(toOpenAi({ input: input(foreign) }).items[1]).toEqual(item(foreign))
    for (const encrypted of [foreign, `${ours}x`, ours.slice(0, -4), 'no envelope at all', '']) {
      for (const written of [toChat, toAnthropic, toGemini, toPlain, toResponses, toOpenAi]) {
        const { items } = written({ input: input(encrypted) })
        expect(JSON.stringify(items)).toMatch(/hi.*yes.*go on/s)
        expect(JSON.stringify(items)).not.toContain('dragoman_')
        if (written !== toOpenAi && written !== toResponses)
          expect(JSON.stringify(items)).not.toContain('gAAAA')
      }
    }
  })
})
