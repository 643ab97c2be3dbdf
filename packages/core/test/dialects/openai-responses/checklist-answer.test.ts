import { describe, expect, it } from 'vitest'
import { isRecord } from '../../support/is-record.ts'
import {
  ant,
  messageEnd,
  messageStart,
  textBlock,
  thinkingBlock,
  toolBlock,
} from '../anthropic-messages/upstream.ts'
import { content, finished } from '../gemini/upstream.ts'
import { calls, chunk, done, event, kimiCall, kimiCutCall } from '../openai-chat/upstream.ts'
import { faultsIn, faultsInWhole } from './schema.ts'
import { readable } from './sdk.ts'
import {
  eventsIn,
  type Json,
  lastResponse,
  outputOf,
  requestOf,
  through,
  translation,
  typesIn,
  type WayOptions,
} from './upstream.ts'

// The lines of the conformance checklist for answers, one test each. Every stream goes through the schema of the dialect
// and the vendor's own SDK. The lines about HTTP are with the tests of the gateway.

const way: WayOptions = { from: 'openai-chat', to: 'openai-responses' }
const inKimi = { parser: { format: 'kimi' } } as const

/** What a client of responses gets for the stream of an upstream. */
async function encoded(body: string, options: Partial<WayOptions> = {}): Promise<string> {
  return await readable(through(body, { ...way, ...options }))
}

function call(index: number, id: string, name: string, json: string): string {
  return calls({ index, id, type: 'function', function: { name, arguments: json } })
}

function goOn(index: number, json: string): string {
  return calls({ index, function: { arguments: json } })
}

const stop = chunk({}, 'stop') + done
const called = chunk({}, 'tool_calls') + done
const custom = { type: 'custom', name: 'apply_patch', description: 'Edits files.' }
const customRequest = requestOf({ tools: [custom] })

const everything =
  chunk({ reasoning_content: 'hm' }) +
  chunk({ content: 'I look.' }) +
  call(0, 'call_a', 'f', '{"x":') +
  call(1, 'call_b', 'g', '{"y":2}') +
  goOn(0, '1}') +
  called

function ended(stream: string): unknown[] {
  return eventsIn(stream).flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []))
}

function joined(stream: string, type: string): string {
  return eventsIn(stream)
    .filter((each) => each['type'] === type)
    .map(({ delta }) => delta)
    .join('')
}

describe('the conformance checklist for answers', () => {
  it('17. text answer: exact events, gapless sequence, equal ids', async () => {
    const stream = await encoded(chunk({ content: 'Hel' }) + chunk({ content: 'lo' }) + stop)
    expect(typesIn(stream)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ])
    const events = eventsIn(stream)
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, at) => at))
    const ids = events.flatMap(({ item_id: id, item }) => [id, isRecord(item) ? item['id'] : undefined])
    expect(new Set(ids.filter((id) => id !== undefined))).toEqual(new Set(['msg_abc0']))
    expect(outputOf(stream).map(({ id }) => id)).toEqual(['msg_abc0'])
    const responses = events.flatMap(({ response }) => (isRecord(response) ? [response['id']] : []))
    expect(new Set(responses)).toEqual(new Set(['resp_abc']))
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('18. reasoning, text, two calls: indexes 0–3, one open at a time', async () => {
    const stream = await encoded(everything)
    let open: unknown = null
    const order: unknown[] = []
    for (const each of eventsIn(stream)) {
      if (each['type'] === 'response.output_item.added') {
        expect(open).toBeNull()
        open = each['output_index']
        order.push(open)
      } else if (each['output_index'] !== undefined) {
        expect(each['output_index']).toBe(open)
        if (each['type'] === 'response.output_item.done') open = null
      }
    }
    expect(order).toEqual([0, 1, 2, 3])
    expect(outputOf(stream).map(({ type, arguments: json }) => json ?? type)).toEqual([
      'reasoning',
      'message',
      '{"x":1}',
      '{"y":2}',
    ])
  })

  it('19. arguments whole, by character, empty, 1 MB', async () => {
    const big = JSON.stringify({ text: 'x'.repeat(1_000_000) })
    for (const pieces of [
      ['{"x":1}'],
      Array.from('{"x":"a\\n\\u00e9😀"}'),
      [big],
      [big.slice(0, 400_000), big.slice(400_000)],
    ]) {
      const deltas = pieces.map((piece) => goOn(0, piece)).join('')
      const stream = await encoded(call(0, 'call_a', 'f', '') + deltas + called)
      const json = pieces.join('')
      expect(joined(stream, 'response.function_call_arguments.delta')).toBe(json)
      const repeated = eventsIn(stream).find(({ type }) => type === 'response.function_call_arguments.done')
      expect(repeated).toMatchObject({ arguments: json, name: 'f', item_id: 'fc_abc0' })
      expect(outputOf(stream)).toMatchObject([
        { call_id: 'call_a', name: 'f', arguments: json, status: 'completed' },
      ])
    }
    for (const empty of ['', '{}']) {
      const stream = await encoded(call(0, 'call_a', 'f', empty) + called)
      expect(outputOf(stream)).toMatchObject([{ arguments: '{}' }])
      expect(joined(stream, 'response.function_call_arguments.delta')).toBe('{}')
    }
  })

  it('20. custom call: deltas join to input, escapes split over chunks', async () => {
    const patch = '*** Begin Patch\n+ "é" \\ 😀\n*** End Patch'
    const json = JSON.stringify({ input: patch }).replace('é', '\\u00e9').replace('😀', '\\ud83d\\ude00')
    const pieces = Array.from(json, (piece) => goOn(0, piece)).join('')
    const stream = await encoded(call(0, 'call_a', 'apply_patch', '') + pieces + called, {
      request: customRequest,
    })
    expect(joined(stream, 'response.custom_tool_call_input.delta')).toBe(patch)
    expect(outputOf(stream)).toEqual([
      {
        id: 'ctc_abc0',
        type: 'custom_tool_call',
        status: 'completed',
        call_id: 'call_a',
        name: 'apply_patch',
        input: patch,
      },
    ])
    expect(typesIn(stream).slice(2)).toEqual([
      'output_item.added',
      'custom_tool_call_input.delta',
      'custom_tool_call_input.done',
      'output_item.done',
      'completed',
    ])
  })

  it('21. custom call with other key, extra keys, no JSON', async () => {
    const taken = ['{"patch":"the text"}', '{"input":"the text","explanation":1}', '"the text"']
    for (const json of taken) {
      const told: string[] = []
      const stream = await encoded(call(0, 'call_a', 'apply_patch', json) + called, {
        request: customRequest,
        told,
      })
      expect(outputOf(stream)).toMatchObject([{ type: 'custom_tool_call', input: 'the text' }])
      expect(told).toContain('unwrapped-arguments')
    }
    for (const json of ['{"a":1}', '{"input":oops}', '{"a":"x","b":"y"}']) {
      const answer = translation({ ...way, request: customRequest })
      const body = chunk({ content: 'So.' }) + call(0, 'call_a', 'apply_patch', json) + called
      const stream = await readable(answer.push(body) + answer.end())
      expect(answer.failure?.code).toBe('invalid_tool_arguments')
      expect(typesIn(stream).slice(-2)).toEqual(['error', 'failed'])
      expect(stream).not.toMatch(/custom_tool_call|response\.completed|\[DONE\]/)
    }
  })

  it('22. namespace and tool_search restored', async () => {
    const spawn = { type: 'function', name: 'spawn', parameters: {} }
    const request = requestOf({
      tools: [
        { type: 'namespace', name: 'agents', tools: [spawn, { ...custom, name: 'note' }] },
        { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: {} },
      ],
    })
    const body =
      call(0, 'call_a', 'agents__spawn', '{"n":1}') +
      call(1, 'call_b', 'agents__note', '{"input":"x"}') +
      call(2, 'call_c', 'tool_search', '{"query":"mail"}') +
      called
    expect(outputOf(await encoded(body, { request }))).toEqual([
      expect.objectContaining({
        type: 'function_call',
        name: 'spawn',
        namespace: 'agents',
        arguments: '{"n":1}',
      }),
      expect.objectContaining({ type: 'custom_tool_call', name: 'note', namespace: 'agents', input: 'x' }),
      {
        id: 'tsc_abc2',
        type: 'tool_search_call',
        status: 'completed',
        call_id: 'call_c',
        arguments: { query: 'mail' },
        execution: 'client',
      },
    ])
  })

  it('23. in-band calls become function_call and custom_tool_call', async () => {
    const patch = kimiCall.replace('get_time', 'apply_patch').replace('{"zone":"UTC"}', '{"input":"a\\nb"}')
    for (const pieces of [[`Let me see.${kimiCall}${patch}`], Array.from(`Let me see.${kimiCall}${patch}`)]) {
      const body = pieces.map((piece) => chunk({ content: piece })).join('') + stop
      const stream = await encoded(body, { ...inKimi, request: customRequest })
      expect(outputOf(stream)).toMatchObject([
        { type: 'message', content: [{ text: 'Let me see.' }] },
        { type: 'function_call', name: 'get_time', arguments: '{"zone":"UTC"}' },
        { type: 'custom_tool_call', name: 'apply_patch', input: 'a\nb' },
      ])
      expect(stream).not.toContain('tool_call_begin')
    }
  })

  it('24. completed.output = collected items = non-stream body', async () => {
    const inBand = chunk({ reasoning_content: 'hm' }) + chunk({ content: `So.${kimiCall}` }) + stop
    for (const body of [everything, inBand]) {
      const stream = await encoded(body, inKimi)
      expect(ended(stream)).toEqual(outputOf(stream))
      expect(outputOf(stream).length).toBeGreaterThan(2)
      const whole: unknown = JSON.parse(through(body, { ...way, ...inKimi, wants: 'whole' }))
      expect(whole).toEqual(lastResponse(stream))
    }
  })

  it('25. object passes the schema in every lifecycle event', async () => {
    const requests = [
      undefined,
      requestOf({}),
      requestOf({
        instructions: 'Be brief.',
        temperature: 0.5,
        max_output_tokens: 100,
        metadata: { a: 'b' },
        tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'f' }] },
        tools: [{ type: 'function', name: 'f' }, custom, { type: 'web_search' }],
        text: { format: { type: 'json_schema', name: 'n', schema: {} }, verbosity: 'low' },
        reasoning: { effort: 'max', summary: 'none' },
        store: true,
      }),
      requestOf({ tool_choice: 'none', text: { format: { type: 'json_object' } }, truncation: 'auto' }),
    ]
    const ends = [everything, everything.replace('tool_calls"}', 'length"}'), chunk({ content: 'a' }), stop]
    for (const request of requests) {
      for (const end of ends) {
        const stream = await encoded(chunk({ content: 'Hi' }) + end, { request })
        const objects = eventsIn(stream).filter(({ response }) => isRecord(response))
        expect(objects).toHaveLength(3)
      }
      const whole: unknown = JSON.parse(through(everything, { ...way, wants: 'whole', request }))
      expect(isRecord(whole) ? faultsInWhole(whole) : ['no object']).toEqual([])
    }
  })

  it('26. usage with cache, reasoning, none upstream', async () => {
    const counts = {
      prompt_tokens: 20,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 4 },
    }
    const trailing = event({ choices: [], usage: counts })
    const chat = await encoded(chunk({ content: 'Hi' }) + chunk({}, 'stop') + trailing + done)
    expect(lastResponse(chat)['usage']).toEqual({
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 8, cache_write_tokens: 0 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 29,
    })
    const cached = ant('message_start', {
      message: {
        id: 'm',
        model: 'm',
        role: 'assistant',
        content: [],
        usage: { input_tokens: 9, cache_read_input_tokens: 4, cache_creation_input_tokens: 3 },
      },
    })
    const message = await encoded(cached + textBlock(0, 'Hi') + messageEnd('end_turn'), {
      from: 'anthropic-messages',
    })
    expect(lastResponse(message)['usage']).toEqual({
      input_tokens: 16,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
      output_tokens: 12,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 28,
    })
    // Without any a client would never shorten its conversation.
    const uncounted = await encoded(chunk({ content: 'Eight ch' }) + stop)
    expect(lastResponse(uncounted)['usage']).toMatchObject({
      input_tokens: 11,
      output_tokens: 2,
      total_tokens: 13,
    })
  })

  it('27. length in text: incomplete; in arguments: no done, not in output', async () => {
    const cut = chunk({}, 'length') + done
    const incomplete = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    const inText = await encoded(chunk({ content: 'Once' }) + cut)
    expect(lastResponse(inText)).toMatchObject({
      ...incomplete,
      output: [{ type: 'message', status: 'incomplete', content: [{ text: 'Once' }] }],
    })
    expect(typesIn(inText).at(-1)).toBe('incomplete')
    for (const half of [
      call(0, 'call_a', 'f', '{"x":'),
      call(0, 'call_a', 'apply_patch', '{"input":"*** Beg'),
      chunk({ content: kimiCutCall }),
    ]) {
      const stream = await encoded(chunk({ content: 'So.' }) + half + cut, {
        ...inKimi,
        request: customRequest,
      })
      expect(lastResponse(stream)).toMatchObject(incomplete)
      expect(outputOf(stream).map(({ type }) => type)).toEqual(['message'])
      expect(ended(stream)).toHaveLength(1)
    }
  })

  it('28. content filter; refusal as output_text', async () => {
    const filtered = await encoded(chunk({ content: 'No' }) + chunk({}, 'content_filter') + done)
    expect(lastResponse(filtered)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
      output: [{ content: [{ text: 'No' }] }],
    })
    const refused = await encoded(chunk({ refusal: 'I will not.' }) + stop)
    expect(outputOf(refused)).toMatchObject([{ content: [{ type: 'output_text', text: 'I will not.' }] }])
    expect(refused).not.toContain('refusal')
  })

  it('29. empty answer: failed. Reasoning only: completed with that item', async () => {
    for (const nothing of ['', chunk({ content: '\n' }), chunk({ content: '' })]) {
      const answer = translation(way)
      const stream = await readable(answer.push(nothing + stop) + answer.end())
      expect(typesIn(stream)).toEqual(['created', 'in_progress', 'error', 'failed'])
      expect(lastResponse(stream)).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
      expect(answer.failure?.code).toBe('upstream_empty')
    }
    const thought = await encoded(chunk({ reasoning_content: 'hm' }) + stop)
    expect(lastResponse(thought)).toMatchObject({ status: 'completed', output: [{ type: 'reasoning' }] })
  })

  it('33. error, cut, garbage in text and in a call: error, failed, no completed, no done for the open call', async () => {
    const text = chunk({ content: 'So ' })
    const error = event({ error: { message: 'Busy.', type: 'overloaded_error' } })
    const garbage = `data: {"x\n\n${chunk({ content: 'y' })}`
    for (const begun of [
      text,
      text + call(0, 'call_a', 'f', '{"x":'),
      text + chunk({ content: kimiCutCall }),
    ]) {
      for (const broken of [error, '', garbage]) {
        const answer = translation({ ...way, ...inKimi })
        const stream = await readable(answer.push(begun + broken) + answer.end())
        expect(answer.failure).not.toBeNull()
        const types = typesIn(stream)
        expect(types.slice(-2)).toEqual(['error', 'failed'])
        expect(types).not.toContain('completed')
        expect(stream).not.toContain('[DONE]')
        // A text that is left for a call is done; what is open stays so.
        expect(types.filter((type) => type === 'output_item.done')).toHaveLength(begun === text ? 0 : 1)
        expect(answer.push(chunk({ content: 'more' }))).toBe('')
        const [told, failed] = eventsIn(stream).slice(-2)
        expect(told).toMatchObject({ code: 'server_error', error: { code: 'server_error', param: null } })
        expect(failed).toMatchObject({ response: { status: 'failed', error: { code: 'server_error' } } })
      }
    }
  })

  it('34. no finish reason upstream: failed', async () => {
    for (const body of [
      chunk({ content: 'So' }) + event({ choices: [] }),
      call(0, 'call_a', 'f', '{"x":1}'),
    ]) {
      const answer = translation(way)
      const stream = await readable(answer.push(body) + answer.end())
      expect(answer.failure?.code).toBe('upstream_truncated')
      expect(typesIn(stream).slice(-2)).toEqual(['error', 'failed'])
    }
  })

  it('47. chat, Anthropic, Gemini upstream give one item list', async () => {
    const chat =
      chunk({ reasoning_content: 'hm' }) +
      chunk({ content: 'I look.' }) +
      call(0, 'call_a', 'f', '{"x":1}') +
      call(1, 'call_b', 'g', '{}') +
      called
    const message =
      messageStart +
      thinkingBlock(0, 'sig', 'hm') +
      textBlock(1, 'I look.') +
      toolBlock(2, 'call_a', 'f', '{"x":1}') +
      toolBlock(3, 'call_b', 'g', '{}') +
      messageEnd('tool_use')
    const gemini =
      content([{ text: 'hm', thought: true }]) +
      content([{ text: 'I look.' }]) +
      content([
        { functionCall: { id: 'call_a', name: 'f', args: { x: 1 } } },
        { functionCall: { id: 'call_b', name: 'g', args: {} } },
      ]) +
      finished('STOP')
    const items = outputOf(await encoded(chat)).map(withoutSeal)
    expect(items).toHaveLength(4)
    for (const [from, body] of [
      ['anthropic-messages', message],
      ['gemini', gemini],
    ] as const) {
      expect(outputOf(await encoded(body, { from })).map(withoutSeal)).toEqual(items)
    }
    expect(faultsIn(through(gemini, { ...way, from: 'gemini' }))).toEqual([])
  })
})

/** Where the reasoning came from differs from dialect to dialect. */
function withoutSeal(item: Json): Json {
  const { encrypted_content: _, ...rest } = item
  return rest
}
