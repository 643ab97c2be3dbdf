import { describe, expect, it } from 'vitest'
import { type DialectId, translateAnswer } from '../../src/index.ts'
import { isThorough } from '../support/thorough.ts'

const dialectIds: readonly DialectId[] = ['openai-chat', 'anthropic-messages', 'openai-responses', 'gemini']

const kilobyte = 'x'.repeat(1000)

/** What an upstream sends first, and what it sends over and over: megabytes of it, none of which a client can be given yet. */
interface Flood {
  readonly from: DialectId
  readonly to: readonly DialectId[]
  readonly first: string
  readonly next: (at: number) => string
  readonly failure: string
}

const openCall = chat({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"a' } }] })

const message = named({
  type: 'message_start',
  message: { id: 'm', role: 'assistant', model: 'm', content: [] },
})

const thinking = named({
  type: 'content_block_start',
  index: 0,
  content_block: { type: 'thinking', thinking: 'So', signature: '' },
})

const response = named({
  type: 'response.created',
  response: { id: 'r', model: 'm', status: 'in_progress', output: [] },
})

const floods: Readonly<Record<string, Flood>> = {
  choices: {
    from: 'openai-chat',
    to: ['openai-chat'],
    first: '',
    next: (at) => chat({ content: 'a' }, at),
    failure: 'upstream_limit',
  },
  'proofs behind an open call': {
    from: 'openai-chat',
    to: dialectIds,
    first: openCall,
    next: () => chat({ reasoning_details: [{ type: 'reasoning.encrypted', data: kilobyte }] }),
    failure: 'upstream_limit',
  },
  'calls of other kinds behind an open call': {
    from: 'openai-chat',
    to: ['openai-chat'],
    first: openCall,
    next: (at) =>
      chat({
        tool_calls: [{ index: at + 1, id: `b${at}`, type: 'custom', custom: { name: 'g', input: kilobyte } }],
      }),
    failure: 'tool_call_too_large',
  },
  'fields around calls': {
    from: 'openai-chat',
    to: dialectIds,
    first: openCall,
    next: (at) =>
      chat({
        tool_calls: [
          { index: at + 1, id: `b${at}`, more: kilobyte.repeat(5), function: { name: 'g', arguments: '{}' } },
        ],
      }),
    failure: 'tool_call_too_large',
  },
  'a signature': {
    from: 'anthropic-messages',
    to: dialectIds,
    first: message + thinking,
    next: () => delta({ type: 'signature_delta', signature: kilobyte }),
    failure: 'upstream_limit',
  },
  'a text of white space': {
    from: 'anthropic-messages',
    to: ['anthropic-messages'],
    first: message + blockStart(0, { type: 'text', text: '' }),
    next: () => delta({ type: 'text_delta', text: ' '.repeat(1000) }),
    failure: 'upstream_limit',
  },
  'blocks that do not end': {
    from: 'anthropic-messages',
    to: dialectIds,
    first: message,
    next: (at) => blockStart(at, { type: 'text', text: '', more: kilobyte }),
    failure: 'upstream_limit',
  },
  'blocks of other kinds behind an open call': {
    from: 'anthropic-messages',
    to: ['anthropic-messages'],
    first: message + blockStart(0, { type: 'tool_use', id: 'a', name: 'f' }),
    next: (at) => blockStart(at + 1, { type: 'server_tool_use', id: `b${at}`, more: kilobyte }),
    failure: 'tool_call_too_large',
  },
  'a text that its end has to repeat': {
    from: 'openai-responses',
    to: dialectIds,
    first:
      response +
      named({
        type: 'response.output_item.added',
        output_index: 0,
        item: { type: 'message', id: 'm', content: [] },
      }),
    next: () =>
      named({
        type: 'response.output_text.delta',
        output_index: 0,
        content_index: 0,
        item_id: 'm',
        delta: kilobyte,
      }),
    failure: 'upstream_limit',
  },
  items: {
    from: 'openai-responses',
    to: dialectIds,
    first: response,
    next: (at) =>
      named({
        type: 'response.output_item.done',
        output_index: at,
        item: { type: 'web_search_call', id: `w${at}` },
      }),
    failure: 'upstream_limit',
  },
}

const cases = Object.entries(floods).flatMap(([what, flood]) =>
  flood.to.map((to) => [what, to, flood] as const),
)

describe.each(cases)('an upstream that sends %s without end, for a client of %s', (_what, to, flood) => {
  it('is given up before much of it is held', () => {
    const answer = open(flood.from, to)
    answer.push(flood.first)
    let sent = 0
    for (let at = 0; at < 20_000 && answer.state !== 'ended'; at++) {
      const event = flood.next(at)
      sent += event.length
      answer.push(event)
    }
    expect(answer.failure?.code).toBe(flood.failure)
    expect(sent).toBeLessThan(16_000_000)
  })
})

describe.each(dialectIds)('an upstream of %s that sends comments before its answer', (dialect) => {
  it('is heard, while most of them are not kept', () => {
    const answer = open(dialect, dialect)
    for (let at = 0; at < 2000; at++) expect(answer.push(`: ${kilobyte}\n\n`)).toBe('')
    const begun = answer.push(firstEvents[dialect])
    expect(begun).toContain('Hello')
    expect(begun.length).toBeLessThan(80_000)
  })
})

const manyValues = [
  ['objects', '{},', 250_000],
  ['lists', '[],', 250_000],
  ['numbers', '1,', 500_000],
  ['members', '{"a":1,"b":"\\"}{"},', 170_000],
] as const

describe.each(dialectIds)('an upstream of %s that sends half a million values at once', (from) => {
  it.each(manyValues)('is given up before it keeps others waiting: %s', (what, piece, times) => {
    const values = `{"x":[${piece.repeat(times)}0]}`
    // Where not all is tried, each kind of values has another client.
    const turn = manyValues.findIndex(([each]) => each === what)
    for (const to of dialectIds.filter((_, at) => isThorough || at === turn)) {
      const streamed = open(from, to)
      streamed.push(`data: ${values}\n\n`)
      expect(streamed.failure?.code).toBe('upstream_protocol_error')
      const whole = open(from, to, undefined, 'whole')
      whole.push(values)
      whole.end()
      expect(whole.failure?.code).toBe('upstream_protocol_error')
    }
  })
})

describe('an upstream that has a new word for everything', () => {
  it('is warned of a few times', () => {
    const warnings: string[] = []
    const answer = open('openai-chat', 'anthropic-messages', (warning) => warnings.push(warning))
    for (let at = 0; at < 1000; at++) answer.push(chat({ content: [{ type: `${at}${kilobyte}` }] }))
    expect(warnings.length).toBeLessThan(100)
    expect(Math.max(...warnings.map(({ length }) => length))).toBeLessThan(300)
  })
})

const firstEvents: Readonly<Record<DialectId, string>> = {
  'openai-chat': chat({ role: 'assistant', content: 'Hello' }),
  'anthropic-messages':
    message + blockStart(0, { type: 'text', text: '' }) + delta({ type: 'text_delta', text: 'Hello' }),
  'openai-responses':
    response +
    named({
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'message', id: 'm', content: [] },
    }) +
    named({
      type: 'response.output_text.delta',
      output_index: 0,
      content_index: 0,
      item_id: 'm',
      delta: 'Hello',
    }),
  gemini: `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] } }] })}\n\n`,
}

function open(
  from: DialectId,
  to: DialectId,
  onWarning: (message: string) => void = () => {},
  delivered: 'stream' | 'whole' = 'stream',
) {
  let minted = 0
  return translateAnswer({
    from,
    to,
    delivered,
    wants: 'stream',
    parser: {},
    mint: () => `call_std_${minted++}`,
    includeUsage: false,
    onWarning,
    encoding: () => ({ id: 'a', model: 'm', created: 1, inputTokens: () => 1, signature: () => 'ours' }),
  })
}

function chat(fields: object, index = 0): string {
  return `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index, delta: fields }] })}\n\n`
}

function blockStart(index: number, block: object): string {
  return named({ type: 'content_block_start', index, content_block: block })
}

function delta(fields: object): string {
  return named({ type: 'content_block_delta', index: 0, delta: fields })
}

function named(data: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}
