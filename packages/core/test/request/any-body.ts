import * as fc from 'fast-check'

type Fields = Record<string, unknown>

// Bodies in the one form that a dialect has for each thing: roles alternate, every call is answered in order, a
// single text is a string. Other forms of the same things have tests of their own.

const text = fc
  .string({ minLength: 1, unit: 'grapheme' })
  .filter((value) => !value.startsWith('[tool error] '))
const parameters = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })
const names = ['Bash', 'Read', 'web_fetch']
const name = fc.constantFrom(...names)
const schema = { type: 'object', properties: { a: { type: 'string' } } }
const mark = { type: 'ephemeral' }

/** Of a turn, in terms of neither dialect. */
const anyTurn = fc.record({
  asked: text,
  pictured: fc.boolean(),
  thought: fc.option(text, { nil: undefined }),
  said: fc.option(text, { nil: undefined }),
  calls: fc.array(fc.record({ name, parameters, result: fc.string({ unit: 'grapheme' }) }), { maxLength: 3 }),
  marked: fc.boolean(),
})
type Turn = typeof anyTurn extends fc.Arbitrary<infer T> ? T : never

const anyTurns = fc.array(anyTurn, { minLength: 1, maxLength: 4 })

const sampling = fc.record(
  {
    temperature: fc.constantFrom(0, 0.5, 1),
    top_p: fc.constantFrom(0.1, 1),
    never_seen: fc.jsonValue().filter((value) => value !== null),
  },
  { requiredKeys: [] },
)

export const anyAnthropicBody: fc.Arbitrary<Fields> = fc
  .record({
    turns: anyTurns,
    system: fc.option(text, { nil: undefined }),
    sampling,
    rest: fc.record(
      {
        tool_choice: fc.constantFrom<Fields>(
          { type: 'auto', disable_parallel_tool_use: true },
          { type: 'any' },
          { type: 'none' },
          { type: 'tool', name: 'Read' },
        ),
        thinking: fc.constantFrom<Fields>({ type: 'adaptive', display: 'omitted' }, { type: 'disabled' }),
        metadata: fc.record({ user_id: text }),
        stop_sequences: fc.constant(['END']),
        stream: fc.constant(true),
        context_management: fc.constant({ edits: [] }),
      },
      { requiredKeys: [] },
    ),
  })
  .map(anthropicBodyOf)

interface Drawn {
  readonly turns: readonly Turn[]
  readonly system: string | undefined
  readonly sampling: Fields
  readonly rest: Fields
}

function anthropicBodyOf({ turns, system, sampling: sampled, rest }: Drawn): Fields {
  return {
    model: 'm',
    max_tokens: 100,
    ...(system === undefined ? {} : { system }),
    messages: anthropicMessages(turns),
    tools: names.map((tool) => ({ name: tool, input_schema: schema, cache_control: mark })),
    ...sampled,
    ...rest,
  }
}

function anthropicMessages(turns: readonly Turn[]): Fields[] {
  const messages: Fields[] = []
  let results: Fields[] = []
  for (const [at, turn] of turns.entries()) {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const asked: Fields = { type: 'text', text: turn.asked, ...(turn.marked ? { cache_control: mark } : {}) }
    const isPlain = results.length === 0 && !turn.pictured && !turn.marked
    const content = [...results, asked, ...(turn.pictured ? [picture] : [])]
    messages.push({ role: 'user', content: isPlain ? turn.asked : content })
    const uses = turn.calls.map((called, n) => ({
      type: 'tool_use',
      id: `toolu_${at}_${n}`,
      name: called.name,
      input: called.parameters,
    }))
    const blocks: Fields[] = [
      ...(turn.thought === undefined
        ? []
        : [{ type: 'thinking', thinking: turn.thought, signature: 'EqQB' }]),
      { type: 'text', text: turn.said ?? 'So.' },
      ...uses,
    ]
    messages.push({ role: 'assistant', content: blocks.length === 1 ? (turn.said ?? 'So.') : blocks })
    results = turn.calls.map((called, n) => {
      const head = { type: 'tool_result', tool_use_id: `toolu_${at}_${n}` }
      if (n === 1) return Object.assign(head, { content: [{ type: 'text', text: 'x' }, picture] })
      return Object.assign(head, { content: called.result }, n === 2 ? { is_error: true } : {})
    })
  }
  messages.push({ role: 'user', content: results.length === 0 ? 'And?' : results })
  return messages
}

export const anyChatBody: fc.Arbitrary<Fields> = fc
  .record({
    turns: anyTurns,
    system: fc.option(text, { nil: undefined }),
    sampling,
    rest: fc.record(
      {
        tool_choice: fc.constantFrom<unknown>(
          'auto',
          'required',
          'none',
          { type: 'function', function: { name: 'Read' } },
          { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } },
        ),
        parallel_tool_calls: fc.boolean(),
        max_completion_tokens: fc.integer({ min: 1, max: 1000 }),
        reasoning_effort: fc.constantFrom('none', 'minimal', 'low', 'high'),
        user: text,
        stop: fc.constantFrom<unknown>('END', ['END']),
        seed: fc.integer(),
      },
      { requiredKeys: [] },
    ),
    stream: fc.boolean(),
  })
  .map(chatBodyOf)

function chatBodyOf({ turns, system, sampling: sampled, rest, stream }: Drawn & { stream: boolean }): Fields {
  return {
    model: 'm',
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      ...chatMessages(turns),
    ],
    tools: names.map((tool) => ({ type: 'function', function: { name: tool, parameters: schema } })),
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...sampled,
    ...rest,
  }
}

function chatMessages(turns: readonly Turn[]): Fields[] {
  const messages = turns.flatMap((turn, at): Fields[] => {
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } }
    const calls = turn.calls.map((called, n) => ({
      id: `call_${at}_${n}`,
      type: 'function',
      function: { name: called.name, arguments: JSON.stringify(called.parameters, null, n) },
    }))
    return [
      { role: 'user', content: turn.pictured ? [{ type: 'text', text: turn.asked }, picture] : turn.asked },
      {
        role: 'assistant',
        content: turn.said ?? (calls.length > 0 ? null : 'So.'),
        ...(turn.thought === undefined
          ? {}
          : { [turn.marked ? 'reasoning' : 'reasoning_content']: turn.thought }),
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      },
      ...turn.calls.map((called, n) => ({
        role: 'tool',
        tool_call_id: `call_${at}_${n}`,
        content: (n === 2 ? '[tool error] ' : '') + called.result,
      })),
    ]
  })
  return [...messages, { role: 'user', content: 'And?' }]
}
