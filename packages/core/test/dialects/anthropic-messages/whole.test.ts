import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/json/objects.ts'
import { createSseDecoder } from '../../../src/sse/decoder.ts'
import { cuts } from '../../support/model-output.ts'
import {
  ant,
  blockDelta,
  blockStart,
  blockStop,
  messageEnd,
  messageStart,
  messageStop,
  textBlock,
  toolBlock,
} from './upstream.ts'
import { assembleAnthropic } from './assemble.ts'
import { streamOfMessage } from '../../../src/dialects/anthropic-messages/answer/whole.ts'
import { MessageCollector } from '../../answer/stages.ts'

const usage = {
  input_tokens: 2679,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 1200,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: 510,
  server_tool_use: { web_search_requests: 1 },
  service_tier: 'standard',
}

function message(content: readonly unknown[], more: JsonObject = {}): JsonObject {
  return {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
    ...more,
  }
}

const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tea' } }
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [{ type: 'web_search_result', url: 'https://tea.example', encrypted_content: 'Eo8B' }],
}
const citations = [
  { type: 'web_search_result_location', url: 'https://tea.example', cited_text: 'Steep it.' },
  { type: 'char_location', document_index: 0, start_char_index: 0, end_char_index: 9, cited_text: 'Hot.' },
]
const signature = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds/+x=='

function eventsOf(sse: string): JsonObject[] {
  const decoder = createSseDecoder()
  return [...decoder.push(sse), ...decoder.end()].map((item) => {
    const data = item.kind === 'event' ? JSON.parse(item.data) : null
    expect(item).toMatchObject({ kind: 'event', event: data.type })
    return data
  })
}

/** What is said between the start of the message and its end. */
function blockEventsOf(...blocks: readonly unknown[]): JsonObject[] {
  return eventsOf(streamOfMessage(message(blocks))).slice(1, -2)
}

function collect(...pieces: readonly string[]): JsonObject | null {
  const collector = new MessageCollector()
  for (const piece of pieces) collector.push(piece)
  return collector.end()
}

function contentOf(...events: readonly string[]): unknown {
  return collect(messageStart, ...events, messageEnd('end_turn'))?.['content']
}

describe('the stream of a message', () => {
  it('has the events in their order, each with its name, and strict clients take it', () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: [1, { b: null }] } }
    const thought = { type: 'thinking', thinking: 'Hm.\n\nYes.', signature }
    const text = { type: 'text', text: 'Hello.' }
    const assembled = assembleAnthropic(streamOfMessage(message([thought, text, call])))
    expect(assembled).toMatchObject({ content: [thought, text, call], openBlocks: 0, usage })
    expect(assembled.events).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      ...Array.from({ length: 2 }, () => [
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
      ]).flat(),
      'message_delta',
      'message_stop',
    ])
  })

  it('begins with the message as it is before anything is said', () => {
    const container = { id: 'container_1', expires_at: '2026-01-01T00:00:00Z' }
    const whole = message([{ type: 'text', text: 'x' }], { container, never_seen: { a: 1 } })
    const [start] = eventsOf(
      streamOfMessage({ ...whole, stop_reason: 'stop_sequence', stop_sequence: '###' }),
    )
    expect(start).toEqual({
      type: 'message_start',
      message: { ...whole, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    })
  })

  it('ends with the stop reason, the stop sequence, the container and the whole usage', () => {
    const container = { id: 'container_1', expires_at: '2026-01-01T00:00:00Z' }
    const more = { stop_reason: 'stop_sequence', stop_sequence: '###', container }
    expect(eventsOf(streamOfMessage(message([], more))).slice(1)).toEqual([
      { type: 'message_delta', delta: more, usage },
      { type: 'message_stop' },
    ])
  })

  it('says the details of a refusal in the delta, and the edits of the context beside it', () => {
    const stop_details = { type: 'refusal', category: 'cyber' }
    const context_management = { applied_edits: [] }
    const refused = message([], { stop_reason: 'refusal', stop_details, context_management })
    expect(eventsOf(streamOfMessage(refused)).at(-2)).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'refusal', stop_sequence: null, stop_details },
      usage,
      context_management,
    })
  })

  it('counts no token at the start of an answer that has none', () => {
    const [start] = eventsOf(streamOfMessage(message([], { usage: { input_tokens: 3, output_tokens: 0 } })))
    expect(start).toMatchObject({ message: { usage: { input_tokens: 3, output_tokens: 0 } } })
  })

  it.each([[undefined], [null], [{}]])('has counts although the message has usage %j', (none) => {
    const [start, end] = eventsOf(streamOfMessage(message([], { usage: none })))
    expect(start).toMatchObject({ message: { usage: { input_tokens: 0, output_tokens: 0 } } })
    expect(end).toMatchObject({ usage: { input_tokens: 0, output_tokens: 0 } })
  })

  it('gives each citation a delta of its own, after the text', () => {
    expect(blockEventsOf({ type: 'text', text: 'Steep it.', citations })).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: [] } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Steep it.' } },
      ...citations.map((citation) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'citations_delta', citation },
      })),
      { type: 'content_block_stop', index: 0 },
    ])
  })

  it('gives the signature after the thought, and alone where the thought is not shown', () => {
    const started = { type: 'thinking', thinking: '', signature: '' }
    const signed = { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature } }
    expect(blockEventsOf({ type: 'thinking', thinking: 'Hm.', signature })).toEqual([
      { type: 'content_block_start', index: 0, content_block: started },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
      signed,
      { type: 'content_block_stop', index: 0 },
    ])
    expect(blockEventsOf({ type: 'thinking', thinking: '', signature })).toEqual([
      { type: 'content_block_start', index: 0, content_block: started },
      signed,
      { type: 'content_block_stop', index: 0 },
    ])
  })

  it.each(['tool_use', 'server_tool_use', 'mcp_tool_use'])('gives the input of a %s in a delta', (type) => {
    const call = { ...search, type, cache_control: null }
    expect(blockEventsOf(call, { ...call, input: undefined })).toEqual([
      { type: 'content_block_start', index: 0, content_block: { ...call, input: {} } },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"query":"tea"}' },
      },
      { type: 'content_block_stop', index: 0 },
      // One that is missing is for whoever reads the stream to fill in, and to tell.
      { type: 'content_block_start', index: 1, content_block: { ...call, input: undefined } },
      { type: 'content_block_stop', index: 1 },
    ])
  })

  it.each([
    ['the result of a server tool', found],
    ['redacted thinking', { type: 'redacted_thinking', data: 'EmwKAhgB' }],
    ['a block that nobody knows', { type: 'hologram', text: 'x', input: { a: 1 } }],
  ])('has %s whole in its start', (_, block) => {
    expect(blockEventsOf(block)).toEqual([
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
    ])
  })

  it('has no delta for an empty text', () => {
    expect(blockEventsOf({ type: 'text', text: '', citations: null })).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: null } },
      { type: 'content_block_stop', index: 0 },
    ])
  })

  it('leaves the message alone', () => {
    const whole = message([search, found, { type: 'text', text: 'Steep it.', citations }])
    const before = structuredClone(whole)
    streamOfMessage(whole)
    expect(whole).toEqual(before)
  })
})

describe('the message that a stream adds up to', () => {
  it('is nothing where no message began', () => {
    expect(collect()).toBeNull()
    expect(
      collect(': hello\n\n', ant('ping'), ant('error', { error: { type: 'overloaded_error' } })),
    ).toBeNull()
    expect(collect(textBlock(0, 'x'), messageEnd('end_turn'))).toBeNull()
  })

  it('joins the pieces of text, thinking, signature and input', () => {
    expect(
      contentOf(
        blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
        blockDelta(0, { type: 'thinking_delta', thinking: 'H' }),
        blockDelta(0, { type: 'thinking_delta', thinking: 'm.' }),
        blockDelta(0, { type: 'signature_delta', signature: signature.slice(0, 9) }),
        blockDelta(0, { type: 'signature_delta', signature: signature.slice(9) }),
        blockStop(0),
        textBlock(1, 'Hel', 'lo.'),
        toolBlock(2, 'toolu_1', 'f', '{"a', '":[1', ']}'),
      ),
    ).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature },
      { type: 'text', text: 'Hello.' },
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: [1] } },
    ])
  })

  it('has the citations of a block in an array, also where its start had none', () => {
    const cited = citations.map((citation) => blockDelta(0, { type: 'citations_delta', citation }))
    for (const start of [{}, { citations: null }, { citations: [] }]) {
      expect(contentOf(blockStart(0, { type: 'text', text: '', ...start }), ...cited, blockStop(0))).toEqual([
        { type: 'text', text: '', citations },
      ])
    }
  })

  it('passes over pings, comments, events that nobody knows, and data that is not JSON', () => {
    const noise = `${ant('ping')}: keep-alive\n\n${ant('aurora', { index: 0 })}data: [DONE]\n\nretry: 3\n\n`
    const events = [
      messageStart,
      blockStart(0, { type: 'text', text: '' }),
      blockDelta(0, { type: 'text_delta', text: 'a' }),
      blockStop(0),
      messageEnd('end_turn'),
    ]
    expect(collect(events.join(noise))).toEqual(collect(...events))
  })

  it('has the fields of a delta that nobody knows, the last value of each, and keeps the type of the block', () => {
    expect(
      contentOf(
        blockStart(0, { type: 'compaction', content: 'old', kept: 1 }),
        blockDelta(0, { type: 'compaction_delta', content: 'one', encrypted_content: 'Eo8B' }),
        blockDelta(0, { type: 'compaction_delta', content: null }),
        blockStop(0),
      ),
    ).toEqual([{ type: 'compaction', content: null, kept: 1, encrypted_content: 'Eo8B' }])
  })

  it('leaves out a call whose pieces make no JSON', () => {
    const calls = toolBlock(0, 'toolu_1', 'f', '{"a":') + toolBlock(1, 'toolu_2', 'f', '{}{}')
    expect(contentOf(calls, textBlock(2, 'Hi.'))).toEqual([{ type: 'text', text: 'Hi.' }])
  })

  it('has an empty input where the pieces say nothing', () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }
    expect(contentOf(toolBlock(0, 'toolu_1', 'f'))).toEqual([call])
    expect(contentOf(toolBlock(0, 'toolu_1', 'f', ' ', '\n'))).toEqual([call])
    expect(
      contentOf(
        blockStart(0, { type: 'tool_use', id: 'toolu_1', name: 'f' }),
        blockDelta(0, { type: 'input_json_delta', partial_json: '' }),
        blockStop(0),
      ),
    ).toEqual([call])
  })

  it('keeps an input that came in the start of the block', () => {
    const empty = blockDelta(0, { type: 'input_json_delta', partial_json: '' })
    expect(contentOf(blockStart(0, search), blockStop(0))).toEqual([search])
    expect(contentOf(blockStart(0, search), empty, blockStop(0))).toEqual([search])
  })

  it('has the text of a stream that was cut, but not half a call', () => {
    const call = blockStart(1, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} })
    const begun = [messageStart, blockStart(0, { type: 'text', text: '' })]
    const said = blockDelta(0, { type: 'text_delta', text: 'I am' })
    expect(collect(...begun, said)?.['content']).toEqual([{ type: 'text', text: 'I am' }])
    expect(collect(...begun, said, blockStop(0), call)?.['content']).toEqual([{ type: 'text', text: 'I am' }])
  })

  it('takes the later counts and the fields it does not know from the end', () => {
    const end = ant('message_delta', {
      delta: {
        stop_reason: 'pause_turn',
        stop_sequence: null,
        container: { id: 'container_1' },
        mood: 'calm',
      },
      usage: {
        output_tokens: 12,
        cache_read_input_tokens: null,
        server_tool_use: { web_search_requests: 2 },
      },
      context_management: { applied_edits: [] },
    })
    expect(collect(messageStart, end, messageStop)).toEqual({
      id: 'msg_up',
      type: 'message',
      role: 'assistant',
      model: 'up-model',
      content: [],
      stop_reason: 'pause_turn',
      stop_sequence: null,
      container: { id: 'container_1' },
      mood: 'calm',
      context_management: { applied_edits: [] },
      usage: {
        input_tokens: 9,
        cache_read_input_tokens: 4,
        output_tokens: 12,
        service_tier: 'standard',
        server_tool_use: { web_search_requests: 2 },
      },
    })
  })

  it('keeps the container of the start where the end has none', () => {
    const container = { id: 'container_1' }
    const start = ant('message_start', { message: message([], { container }) })
    expect(collect(start, messageEnd('end_turn', { container: null }))).toMatchObject({ container })
  })

  it('holds an event of many megabytes', () => {
    const whole = message([{ type: 'text', text: 'x'.repeat(9_000_000) }])
    // Compared as a boolean: on failure the difference would be printed.
    expect(JSON.stringify(collect(streamOfMessage(whole))) === JSON.stringify(whole)).toBe(true)
  })

  it('has a field named __proto__ as a field', () => {
    const start: unknown = JSON.parse('{"type":"odd","__proto__":{"a":1}}')
    const delta: unknown = JSON.parse('{"type":"odd_delta","__proto__":{"a":2}}')
    const events = [blockStart(0, Object(start)), blockDelta(0, Object(delta)), blockStop(0)]
    expect(JSON.stringify(contentOf(...events))).toBe('[{"type":"odd","__proto__":{"a":2}}]')
  })
})

describe('any message', () => {
  it('comes back from its stream, field for field in order, however the stream is cut', () => {
    fc.assert(
      fc.property(messages, cuts(), (whole, fractions) => {
        const sse = streamOfMessage(whole)
        const expected = JSON.stringify(whole)
        expect(JSON.stringify(collect(sse))).toBe(expected)
        expect(JSON.stringify(collect(...cut(sse, fractions)))).toBe(expected)
        expect(JSON.stringify(collect(...sse.split('')))).toBe(expected)
      }),
      { numRuns: 200 },
    )
  })

  it('comes back from its stream cut in two anywhere', () => {
    const thought = { type: 'thinking', thinking: 'Hm 🍵\r\n\r\n', signature }
    const whole = message([thought, search, found, { type: 'text', text: 'Steep it.', citations }])
    const sse = streamOfMessage(whole)
    for (let at = 0; at <= sse.length; at++) expect(collect(sse.slice(0, at), sse.slice(at))).toEqual(whole)
  })
})

function cut(text: string, fractions: readonly number[]): string[] {
  const offsets = fractions.map((part) => Math.floor(part * text.length)).toSorted((a, b) => a - b)
  const at = [0, ...offsets, text.length]
  return at.slice(1).map((end, n) => text.slice(at[n], end))
}

const words = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\r\n\r\n', 'data: x\n\n', '🍵', '\ud83c', '\u2028', '\ufeff'),
)
const json = fc.jsonValue({ maxDepth: 2 })
const input = fc.dictionary(fc.oneof(words, fc.constant('__proto__')), json, { maxKeys: 3 })

/** Blocks and messages have some fields always; what else they have must not be among these. */
function withUnknown(
  known: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  optional: Readonly<Record<string, fc.Arbitrary<unknown>>> = {},
): fc.Arbitrary<JsonObject> {
  const unknown = fc.dictionary(
    fc.constantFrom('cache_control', 'never_seen', '__proto__', '7', 'caller', 'data'),
    json,
    { maxKeys: 2 },
  )
  const fields = fc.record({ ...known, ...optional }, { requiredKeys: Object.keys(known) })
  const inAnyOrder = fc.oneof(fc.tuple(unknown, fields), fc.tuple(fields, unknown))
  return inAnyOrder.map((parts) => Object.fromEntries(parts.flatMap((part) => Object.entries(part))))
}

const blocks = fc.oneof(
  withUnknown({ type: fc.constant('text'), text: words }, { citations: fc.option(fc.array(json)) }),
  withUnknown({ type: fc.constant('thinking'), thinking: words, signature: words }),
  withUnknown({
    type: fc.constantFrom('tool_use', 'server_tool_use', 'mcp_tool_use'),
    id: words,
    name: words,
    input,
  }),
  withUnknown(
    { type: fc.constantFrom('web_search_tool_result', 'redacted_thinking', 'compaction', 'hologram') },
    { content: json, text: json, input: json, citations: json },
  ),
)

const count = fc.nat()
const messages = withUnknown(
  {
    id: words,
    type: fc.constant('message'),
    content: fc.array(blocks, { maxLength: 4 }),
    stop_reason: fc.option(words),
    stop_sequence: fc.option(words),
    usage: withUnknown(
      { output_tokens: count, input_tokens: count },
      { server_tool_use: json, cache_read_input_tokens: fc.option(count) },
    ),
  },
  { container: json, stop_details: json, context_management: json, model: words },
)
