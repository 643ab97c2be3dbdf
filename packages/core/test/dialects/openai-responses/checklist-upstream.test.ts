import { describe, expect, it } from 'vitest'
import { assembleAnthropic } from '../anthropic-messages/assemble.ts'
import { kimiCall } from '../openai-chat/upstream.ts'
import { sdkReads } from './sdk.ts'
import {
  callEvents,
  callItem,
  completed,
  created,
  eventsIn,
  lastResponse,
  messageEvents,
  messageItem,
  numbered,
  outputOf,
  resp,
  through,
  translation,
  typesIn,
  type WayOptions,
} from './upstream.ts'

// The lines of the conformance checklist for upstreams that speak the dialect, one test each.

const passing: WayOptions = {
  from: 'openai-responses',
  to: 'openai-responses',
  parser: { format: 'kimi' },
}
const translating: WayOptions = { ...passing, to: 'anthropic-messages' }

/** What a client of the same dialect gets. The vendor's SDK has to take it, and say the same at its end. */
async function passed(body: string): Promise<string> {
  const stream = through(body, passing)
  const read = await sdkReads(stream)
  expect(read.output).toMatchObject(outputOf(stream))
  expect(collected(stream)).toEqual(outputOf(stream))
  return stream
}

/** The items by their ends, which clients collect. */
function collected(stream: string): unknown[] {
  return eventsIn(stream).flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []))
}

const message = (text: string): object => ({ type: 'message', content: [{ type: 'output_text', text }] })
const called = (call_id: string, name: string, json: string): object => ({
  type: 'function_call',
  call_id,
  name,
  arguments: json,
})
const text = (said: string): object => ({ type: 'text', text: said })
const thinking = (said: string): object => ({ type: 'thinking', thinking: said })
const used = (id: string, name: string, input: object): object => ({ type: 'tool_use', id, name, input })

interface Row {
  readonly body: string
  /** What a client of the same dialect has at the end. */
  readonly items: readonly object[]
  /** What a client of messages has. */
  readonly blocks: readonly object[]
  readonly status?: 'incomplete'
}

const atPlace = { output_index: 0, item_id: 'msg_1', content_index: 0 }
const inThought = { output_index: 0, item_id: 'rs_1', content_index: 0 }
const begunMessage = resp('response.output_item.added', {
  output_index: 0,
  item: { ...messageItem('msg_1', ''), content: [], status: 'in_progress' },
})
const begunPart = resp('response.content_part.added', {
  ...atPlace,
  part: { type: 'output_text', text: '', annotations: [] },
})
const raw = { type: 'reasoning_text', text: 'hm' }
const short = { type: 'summary_text', text: 'hm' }
const hi = messageEvents(1, 'msg_1', 'Hi')
const hiItem = messageItem('msg_1', 'Hi')

/** An item of reasoning in its raw form, under these names of its events. */
function rawReasoning(part: string, said: string): string {
  const item = { id: 'rs_1', type: 'reasoning', summary: [], content: [] }
  return (
    resp('response.output_item.added', { output_index: 0, item }) +
    (part === '' ? '' : resp(`${part}.added`, { ...inThought, part: { ...raw, text: '' } })) +
    resp(`${said}.delta`, { ...inThought, delta: 'hm' }) +
    resp(`${said}.done`, { ...inThought, text: 'hm' }) +
    (part === '' ? '' : resp(`${part}.done`, { ...inThought, part: raw })) +
    resp('response.output_item.done', { output_index: 0, item: { ...item, content: [raw] } })
  )
}

function patchItem(id: string, input: string): object {
  return { id, type: 'custom_tool_call', status: 'completed', call_id: 'call_p', name: 'patch', input }
}

const rawItem = { id: 'rs_1', type: 'reasoning', summary: [], content: [raw] }
const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }

const rows: Readonly<Record<string, Row>> = {
  'vLLM: only completed ends a stream, and has the status': {
    body: created + messageEvents(0, 'msg_1', 'Once') + completed([messageItem('msg_1', 'Once')], cut),
    items: [message('Once')],
    blocks: [text('Once')],
    status: 'incomplete',
  },
  'vLLM: the parts of reasoning have a name of their own': {
    body:
      created +
      rawReasoning('response.reasoning_part', 'response.reasoning_text') +
      hi +
      completed([rawItem, hiItem]),
    items: [{ type: 'reasoning', content: [raw] }, message('Hi')],
    blocks: [thinking('hm'), text('Hi')],
  },
  'llama.cpp: no places, no numbers, all items end at the end': {
    body: [
      created,
      resp('response.output_item.added', {
        item: { ...messageItem('msg_1', ''), content: [], status: 'in_progress' },
      }),
      resp('response.content_part.added', {
        item_id: 'msg_1',
        part: { type: 'output_text', text: '', annotations: [] },
      }),
      resp('response.output_text.delta', { item_id: 'msg_1', delta: 'I look.' }),
      resp('response.output_item.added', { item: callItem('fc_1', 'call_a', 'f', '') }),
      resp('response.function_call_arguments.delta', { item_id: 'fc_1', delta: '{"x":1}' }),
      resp('response.output_item.added', { item: callItem('fc_2', 'call_b', 'g', '') }),
      resp('response.function_call_arguments.delta', { item_id: 'fc_2', delta: '{"y":2}' }),
      resp('response.output_text.done', { item_id: 'msg_1', text: 'I look.' }),
      resp('response.content_part.done', {
        item_id: 'msg_1',
        part: { type: 'output_text', text: 'I look.', annotations: [] },
      }),
      resp('response.output_item.done', { item: messageItem('msg_1', 'I look.') }),
      resp('response.output_item.done', { item: callItem('fc_1', 'call_a', 'f', '{"x":1}') }),
      resp('response.output_item.done', { item: callItem('fc_2', 'call_b', 'g', '{"y":2}') }),
      completed([
        messageItem('msg_1', 'I look.'),
        callItem('fc_1', 'call_a', 'f', '{"x":1}'),
        callItem('fc_2', 'call_b', 'g', '{"y":2}'),
      ]),
    ].join(''),
    items: [message('I look.'), called('call_a', 'f', '{"x":1}'), called('call_b', 'g', '{"y":2}')],
    blocks: [text('I look.'), used('call_a', 'f', { x: 1 }), used('call_b', 'g', { y: 2 })],
  },
  'Ollama: plain reasoning in encrypted_content, a summary without the beginning of its part': {
    body:
      created +
      resp('response.output_item.added', {
        output_index: 0,
        item: { id: 'rs_1', type: 'reasoning', summary: [] },
      }) +
      resp('response.reasoning_summary_text.delta', { output_index: 0, item_id: 'rs_1', delta: 'hm' }) +
      resp('response.reasoning_summary_text.done', { output_index: 0, item_id: 'rs_1', text: 'hm' }) +
      resp('response.output_item.done', {
        output_index: 0,
        item: { id: 'rs_1', type: 'reasoning', summary: [short], encrypted_content: 'hm' },
      }) +
      hi +
      completed([
        { id: 'rs_1', type: 'reasoning', summary: [short], encrypted_content: 'hm' },
        messageItem('msg_1', 'Hi'),
      ]),
    items: [{ type: 'reasoning', summary: [short], encrypted_content: 'ours(thinking,)' }, message('Hi')],
    blocks: [thinking('hm'), text('Hi')],
  },
  'Ollama: plain reasoning in encrypted_content alone': {
    body:
      created +
      resp('response.output_item.done', {
        output_index: 0,
        item: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'so I think' },
      }) +
      hi +
      completed(),
    items: [
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'so I think' }],
        encrypted_content: 'ours(thinking,)',
      },
      message('Hi'),
    ],
    blocks: [thinking('so I think'), text('Hi')],
  },
  'SGLang: summary form, the status inside completed': {
    body:
      created +
      resp('response.output_item.added', {
        output_index: 0,
        item: { id: 'rs_1', type: 'reasoning', summary: [] },
      }) +
      resp('response.reasoning_summary_part.added', {
        output_index: 0,
        item_id: 'rs_1',
        summary_index: 0,
        part: { ...short, text: '' },
      }) +
      resp('response.reasoning_summary_text.delta', {
        output_index: 0,
        item_id: 'rs_1',
        summary_index: 0,
        delta: 'hm',
      }) +
      resp('response.output_item.done', {
        output_index: 0,
        item: { id: 'rs_1', type: 'reasoning', summary: [short] },
      }) +
      hi +
      completed([{ id: 'rs_1', type: 'reasoning', summary: [short] }, hiItem], cut),
    items: [{ type: 'reasoning', summary: [short] }, message('Hi')],
    blocks: [thinking('hm'), text('Hi')],
    status: 'incomplete',
  },
  'LM Studio: raw form with parts': {
    body:
      created +
      rawReasoning('response.content_part', 'response.reasoning_text') +
      hi +
      completed([rawItem, hiItem]),
    items: [{ type: 'reasoning', content: [raw] }, message('Hi')],
    blocks: [thinking('hm'), text('Hi')],
  },
  'Copilot: item ids change between events': {
    body:
      created +
      resp('response.output_item.added', {
        output_index: 0,
        item: { ...messageItem('a', ''), content: [], status: 'in_progress' },
      }) +
      resp('response.content_part.added', {
        ...atPlace,
        item_id: 'b',
        part: { type: 'output_text', text: '', annotations: [] },
      }) +
      resp('response.output_text.delta', { ...atPlace, item_id: 'c', delta: 'Hello' }) +
      resp('response.output_text.done', { ...atPlace, item_id: 'd', text: 'Hello' }) +
      resp('response.content_part.done', {
        ...atPlace,
        item_id: 'e',
        part: { type: 'output_text', text: 'Hello', annotations: [] },
      }) +
      resp('response.output_item.done', { output_index: 0, item: messageItem('f', 'Hello') }) +
      callEvents(1, 'fc_1', { call_id: 'call_a', name: 'f' }, '{"x":1}').replaceAll(
        /"(id|item_id)":"fc_1"/g,
        (_, field: string, at: number) => `"${field}":"fc_${at}"`,
      ) +
      resp('response.output_item.added', { output_index: 2, item: patchItem('ctc_1', '') }) +
      resp('response.custom_tool_call_input.delta', { output_index: 2, item_id: 'ctc_2', delta: 'x' }) +
      resp('response.custom_tool_call_input.done', { output_index: 2, item_id: 'ctc_3', input: 'x' }) +
      resp('response.output_item.done', { output_index: 2, item: patchItem('ctc_4', 'x') }) +
      completed([
        messageItem('g', 'Hello'),
        callItem('fc_9', 'call_a', 'f', '{"x":1}'),
        patchItem('ctc_5', 'x'),
      ]),
    items: [message('Hello'), called('call_a', 'f', '{"x":1}'), patchItem('ctc_1', 'x')],
    blocks: [text('Hello'), used('call_a', 'f', { x: 1 }), used('call_p', 'patch', { input: 'x' })],
  },
  'others: an empty done, and deltas behind it': {
    body:
      created +
      begunMessage +
      begunPart +
      resp('response.output_text.done', { ...atPlace, text: '' }) +
      resp('response.output_text.delta', { ...atPlace, delta: 'Hel' }) +
      resp('response.output_text.delta', { ...atPlace, delta: 'lo' }) +
      resp('response.output_item.done', { output_index: 0, item: messageItem('msg_1', 'Hello') }) +
      completed([messageItem('msg_1', 'Hello')]),
    items: [message('Hello')],
    blocks: [text('Hello')],
  },
  'others: an empty done of a part as well, and deltas behind it': {
    body:
      created +
      begunMessage +
      begunPart +
      resp('response.output_text.done', { ...atPlace, text: '' }) +
      resp('response.content_part.done', {
        ...atPlace,
        part: { type: 'output_text', text: '', annotations: [] },
      }) +
      resp('response.output_text.delta', { ...atPlace, delta: 'Hello' }) +
      resp('response.output_item.done', { output_index: 0, item: messageItem('msg_1', 'Hello') }) +
      completed([messageItem('msg_1', 'Hello')]),
    items: [message('Hello')],
    blocks: [text('Hello')],
  },
  'others: no items at the end of the response': {
    body:
      created +
      messageEvents(0, 'msg_1', 'Hi') +
      callEvents(1, 'fc_1', { call_id: 'call_a', name: 'f' }, '{}') +
      completed([]),
    items: [message('Hi'), called('call_a', 'f', '{}')],
    blocks: [text('Hi'), used('call_a', 'f', {})],
  },
  'others: items only at the end of the response': {
    body: created + completed([hiItem, callItem('fc_1', 'call_a', 'f', '{"x":1}')]),
    items: [message('Hi'), called('call_a', 'f', '{"x":1}')],
    blocks: [text('Hi'), used('call_a', 'f', { x: 1 })],
  },
  "others: the open standard's name for the deltas of reasoning": {
    body:
      created +
      rawReasoning('response.content_part', 'response.reasoning') +
      hi +
      completed([rawItem, hiItem]),
    items: [{ type: 'reasoning', content: [raw] }, message('Hi')],
    blocks: [thinking('hm'), text('Hi')],
  },
  'others: nothing was created': {
    body: messageEvents(0, 'msg_1', 'Hi') + completed([messageItem('msg_1', 'Hi')]),
    items: [message('Hi')],
    blocks: [text('Hi')],
  },
  'others: in progress, and never created': {
    body:
      created.replaceAll('response.created', 'response.in_progress') +
      messageEvents(0, 'msg_1', 'Hi') +
      completed([messageItem('msg_1', 'Hi')]),
    items: [message('Hi')],
    blocks: [text('Hi')],
  },
}

describe('the conformance checklist for upstreams', () => {
  it('45. pass-through: unknown events survive, in-band markup goes', async () => {
    const odd = resp('response.vendor_thing', { a: 1 })
    const plain =
      created + odd + messageEvents(0, 'msg_1', 'Hi') + odd + completed([messageItem('msg_1', 'Hi')])
    expect(through(plain, passing)).toBe(plain)
    for (const pieces of [[`So. ${kimiCall}`], Array.from(`So. ${kimiCall}`)]) {
      const said = pieces.join('')
      const body = numbered(
        created + odd + messageEvents(0, 'msg_1', ...pieces) + odd + completed([messageItem('msg_1', said)]),
      )
      const stream = through(body, passing)
      expect(typesIn(stream).filter((type) => type === 'vendor_thing')).toHaveLength(2)
      const known = numbered(
        created + messageEvents(0, 'msg_1', ...pieces) + completed([messageItem('msg_1', said)]),
      )
      for (const one of [stream, await passed(known)]) {
        expect(one).not.toContain('tool_call')
        expect(outputOf(one)).toMatchObject([
          message('So. '),
          { type: 'function_call', name: 'get_time', arguments: '{"zone":"UTC"}', status: 'completed' },
        ])
        const numbers = eventsIn(one).map(({ sequence_number: number }) => number)
        expect(numbers).toEqual(numbers.map((_, at) => at))
      }
    }
  })

  it.each(Object.entries(rows))('46. upstream decoder, each server: %s', async (_, row) => {
    const translated = assembleAnthropic(through(row.body, translating))
    expect(translated.content).toMatchObject(row.blocks)
    expect(translated.content).toHaveLength(row.blocks.length)
    if (row.status === 'incomplete') expect(translated.stop_reason).toBe('max_tokens')
    for (const body of [row.body, numbered(row.body)]) {
      const stream = await passed(body)
      expect(outputOf(stream)).toMatchObject(row.items)
      expect(outputOf(stream)).toHaveLength(row.items.length)
      const status = row.status ?? 'completed'
      expect(lastResponse(stream)).toMatchObject({ status })
      expect(typesIn(stream).at(-1)).toBe(status)
      const ids = eventsIn(stream).flatMap(({ response }) => Object(response)['id'] ?? [])
      expect(new Set(ids).size).toBe(1)
    }
  })

  it('46. upstream decoder: no terminal event is a truncated answer', () => {
    for (const end of ['', 'data: [DONE]\n\n']) {
      for (const way of [passing, translating]) {
        const answer = translation(way)
        const stream = answer.push(created + messageEvents(0, 'msg_1', 'So') + end) + answer.end()
        expect(answer.failure?.code).toBe('upstream_truncated')
        expect(stream).toContain('event: error')
      }
    }
  })
})
