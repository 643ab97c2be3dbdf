import { afterAll, describe, expect, it } from 'vitest'
import { type DialectId, translateAnswer } from '../../src/index.ts'

/** An upstream decides how many calls an answer has: each shape of stream is made for any number of them. */
const shapes: readonly (readonly [string, DialectId, (count: number) => string])[] = [
  [
    'chat: all in one event',
    'openai-chat',
    (count) => chatChunk(times(count, (at) => chatCall(at))) + chatEnd,
  ],
  [
    'chat: an event each',
    'openai-chat',
    (count) => joined(count, (at) => chatChunk([chatCall(at)])) + chatEnd,
  ],
  [
    'chat: all open at once',
    'openai-chat',
    (count) =>
      joined(count, (at) => chatChunk([chatCall(at, '{"a":')])) +
      joined(count, (at) => chatChunk([{ index: at, function: { arguments: '1}' } }])) +
      chatEnd,
  ],
  [
    'chat: in the text, then structured',
    'openai-chat',
    (count) =>
      chunk({ content: joined(count, (at) => inText(at)) }) +
      joined(count, (at) => chatChunk([chatCall(at, `{"a":${count - at}}`)])) +
      chatEnd,
  ],
  [
    'messages: block by block',
    'anthropic-messages',
    (count) => messageStart + joined(count, (at) => toolBlock(at).join('')) + messageEnd,
  ],
  [
    'messages: all begin before one ends',
    'anthropic-messages',
    (count) =>
      messageStart +
      [0, 1, 2].map((part) => joined(count, (at) => toolBlock(at)[part] ?? '')).join('') +
      messageEnd,
  ],
  [
    'responses: item by item',
    'openai-responses',
    (count) =>
      named({
        type: 'response.created',
        response: { id: 'r', model: 'm', status: 'in_progress', output: [] },
      }) +
      joined(count, (at) => responseItem(at)) +
      named({
        type: 'response.completed',
        response: { id: 'r', model: 'm', status: 'completed', output: times(count, (at) => item(at)) },
      }),
  ],
  [
    'gemini: all in one event',
    'gemini',
    (count) =>
      geminiChunk(
        times(count, (at) => geminiCall(at)),
        'STOP',
      ),
  ],
]

const clients: readonly DialectId[] = ['openai-chat', 'anthropic-messages', 'openai-responses', 'gemini']

/** So many milliseconds are little for any number of calls: what takes fewer needs no comparison. */
const allowed = 50

describe.each(shapes)('%s', (_title, from, make) => {
  const known = new Map<number, readonly string[]>()
  /** The events of so many calls: made once for all clients. */
  function eventsWith(count: number): readonly string[] {
    const events = known.get(count) ?? eventsOf(make(count))
    known.set(count, events)
    return events
  }
  afterAll(() => known.clear())

  it.each(clients)(
    'takes time that grows with the number of calls, and not with its square, for a client of %s',
    (to) => {
      const many = eventsWith(4000)
      const first = timeTaken(many, from, to)
      if (first < allowed) return
      const few = eventsWith(1000)
      const time = Math.min(...[1, 2, 3].map(() => timeTaken(few, from, to)))
      // Linear is four times, quadratic sixteen. What runs beside can only make a run slower: one quick run of many proves the point.
      const limit = 10 * time + allowed
      const isQuick = first < limit || Array.from({ length: 8 }).some(() => timeTaken(many, from, to) < limit)
      expect(isQuick, `1,000 calls took ${time} ms, 4,000 never less than ${limit}`).toBe(true)
    },
  )

  it.each(clients)('is given up where it holds more calls than any client runs, for a client of %s', (to) => {
    expect(failureOf(eventsWith(4097), from, to)).toBe('too_many_tool_calls')
  })
})

describe('the name of a call', () => {
  it.each(clients)('has an end, in however many pieces it comes, for a client of %s', (to) => {
    const answer = chatChunk([chatCall(0, '')]) + joined(1025, () => chatChunk([namePiece])) + chatEnd
    expect(failureOf(eventsOf(answer), 'openai-chat', to)).toBe('tool_call_too_large')
  })
})

/** In milliseconds of the processor: a machine that has much to do makes them no more. */
function timeTaken(events: readonly string[], from: DialectId, to: DialectId): number {
  const begun = process.cpuUsage()
  expect(failureOf(events, from, to)).toBeNull()
  // How much of it is the user's is a guess of the system, and may be none.
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}

/** Why the answer is none, or null. */
function failureOf(events: readonly string[], from: DialectId, to: DialectId): string | null {
  let minted = 0
  const answer = translateAnswer({
    from,
    to,
    delivered: 'stream',
    wants: 'stream',
    parser: {},
    mint: () => `call_std_${minted++}`,
    includeUsage: false,
    encoding: () => ({ id: 'a', model: 'm', created: 1, inputTokens: () => 1, signature: () => 'ours' }),
  })
  for (const event of events) answer.push(event)
  answer.end()
  return answer.failure?.code ?? null
}

function eventsOf(stream: string): readonly string[] {
  return stream.split(/(?<=\n\n)/)
}

const namePiece = { index: 0, function: { name: 'x' } }

const chatEnd = `${chunk({}, 'tool_calls')}data: [DONE]\n\n`

const messageStart = named({
  type: 'message_start',
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    usage: { input_tokens: 1 },
  },
})

const messageEnd =
  named({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } }) +
  named({ type: 'message_stop' })

function chatCall(index: number, json = '{"a":1}'): object {
  return { index, id: `call_${index}`, type: 'function', function: { name: 'f', arguments: json } }
}

function chatChunk(calls: readonly object[]): string {
  return chunk({ tool_calls: calls })
}

function chunk(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}

function inText(at: number): string {
  return `<tool_call>{"name":"f","arguments":{"a":${at + 1}}}</tool_call>\n`
}

function toolBlock(index: number): readonly string[] {
  const block = { type: 'tool_use', id: `toolu_${index}`, name: 'f', input: {} }
  return [
    named({ type: 'content_block_start', index, content_block: block }),
    named({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
    }),
    named({ type: 'content_block_stop', index }),
  ]
}

function item(at: number): object {
  return { type: 'function_call', id: `fc_${at}`, call_id: `call_${at}`, name: 'f', arguments: '{"a":1}' }
}

function responseItem(at: number): string {
  return (
    named({ type: 'response.output_item.added', output_index: at, item: { ...item(at), arguments: '' } }) +
    named({
      type: 'response.function_call_arguments.delta',
      output_index: at,
      item_id: `fc_${at}`,
      delta: '{"a":1}',
    }) +
    named({ type: 'response.output_item.done', output_index: at, item: item(at) })
  )
}

function geminiCall(at: number): object {
  return { functionCall: { name: 'f', args: { a: at } } }
}

function geminiChunk(parts: readonly object[], finishReason: string): string {
  return `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts }, finishReason }] })}\n\n`
}

function named(data: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}

function times<T>(count: number, make: (at: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

function joined(count: number, make: (at: number) => string): string {
  return times(count, make).join('')
}
