import { describe, expect, it } from 'vitest'
import { isRecord } from '../../support/is-record.ts'
import { ant, messageEnd, messageStart, textBlock, thinkingBlock } from '../anthropic-messages/upstream.ts'
import { calls, chunk, done, event, kimiCall } from '../openai-chat/upstream.ts'
import { expectOthersSee } from './other-sdks.ts'
import { sdkReads } from './sdk.ts'
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

const way: WayOptions = { from: 'openai-chat', to: 'openai-responses' }

/** What a client of responses gets for the stream of a chat upstream. The vendor's SDK has to take it, and two others. */
async function encoded(body: string, options: Partial<WayOptions> = {}): Promise<string> {
  const stream = through(body, { ...way, ...options })
  const read = await sdkReads(stream)
  expect(read.output.map(({ type }) => type)).toEqual(outputOf(stream).map(({ type }) => type))
  await expectOthersSee(stream)
  return stream
}

function call(index: number, id: string, name: string, json: string): string {
  return calls({ index, id, type: 'function', function: { name, arguments: json } })
}

function goOn(index: number, json: string): string {
  return calls({ index, function: { arguments: json } })
}

const custom = { type: 'custom', name: 'apply_patch', description: 'Edits files.' }
const customRequest = requestOf({ tools: [custom] })

describe('a text', () => {
  it('comes in exactly these events, numbered without gaps, with one id', async () => {
    const stream = await encoded(
      chunk({ content: 'Hel' }) + chunk({ content: 'lo' }) + chunk({}, 'stop') + done,
    )
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
    expect(
      new Set(events.flatMap((each) => (isRecord(each['response']) ? [each['response']['id']] : []))),
    ).toEqual(new Set(['resp_abc']))
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
  })
})

describe('reasoning, text and two calls', () => {
  const body =
    chunk({ reasoning_content: 'hm' }) +
    chunk({ content: 'I look.' }) +
    call(0, 'call_a', 'f', '{"x":') +
    call(1, 'call_b', 'g', '{"y":2}') +
    goOn(0, '1}') +
    chunk({}, 'tool_calls') +
    done

  it('have the places 0 to 3, and one is open at a time', async () => {
    const stream = await encoded(body)
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

  it('are the same items in the stream, at its end and in a whole response', async () => {
    const stream = await encoded(body)
    const finished = eventsIn(stream).flatMap(({ type, item }) =>
      type === 'response.output_item.done' ? [item] : [],
    )
    expect(finished).toEqual(outputOf(stream))
    const whole: unknown = JSON.parse(through(body, { ...way, wants: 'whole' }))
    expect(whole).toEqual(lastResponse(stream))
  })

  it('keep the reasoning in a form that every client shows, with what brings it back', async () => {
    const [reasoning] = outputOf(await encoded(body))
    expect(reasoning).toEqual({
      id: 'rs_abc0',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'ours(reasoning_content,)',
    })
  })
})

describe('the arguments of a call', () => {
  const big = JSON.stringify({ text: 'x'.repeat(1_000_000) })
  it.each([
    ['in one piece', ['{"x":1}']],
    ['by character', Array.from('{"x":"a\\n\\u00e9😀"}')],
    ['of a megabyte', [big.slice(0, 400_000), big.slice(400_000)]],
  ])('%s are joined in every event that repeats them', async (_, pieces) => {
    const body =
      call(0, 'call_a', 'f', '') +
      pieces.map((piece) => goOn(0, piece)).join('') +
      chunk({}, 'tool_calls') +
      done
    const stream = await encoded(body)
    const json = pieces.join('')
    const events = eventsIn(stream)
    const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe(json)
    const repeated = events.find(({ type }) => type === 'response.function_call_arguments.done')
    expect(repeated).toMatchObject({ arguments: json, name: 'f', item_id: 'fc_abc0' })
    expect(outputOf(stream)).toMatchObject([
      { call_id: 'call_a', name: 'f', arguments: json, status: 'completed' },
    ])
  })

  it('that are empty are an object without members', async () => {
    const stream = await encoded(call(0, 'call_a', 'f', '') + chunk({}, 'tool_calls') + done)
    expect(outputOf(stream)).toMatchObject([{ arguments: '{}' }])
  })
})

describe('a call of a custom tool', () => {
  const patch = '*** Begin Patch\n+ "é" \\ 😀\n*** End Patch'

  it('has the decoded text as its input, however its escapes are cut', async () => {
    const json = JSON.stringify({ input: patch }).replace('é', '\\u00e9')
    const body =
      call(0, 'call_a', 'apply_patch', '') +
      Array.from(json, (piece) => goOn(0, piece)).join('') +
      chunk({}, 'tool_calls') +
      done
    const stream = await encoded(body, { request: customRequest })
    const deltas = eventsIn(stream).filter(({ type }) => type === 'response.custom_tool_call_input.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe(patch)
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

  it.each([
    ['under another name', '{"patch":"the text"}'],
    ['beside other keys', '{"input":"the text","explanation":1}'],
    ['as a bare string', '"the text"'],
  ])('takes its text %s, which is told', async (_, json) => {
    const told: string[] = []
    const body = call(0, 'call_a', 'apply_patch', json) + chunk({}, 'tool_calls') + done
    expect(outputOf(await encoded(body, { request: customRequest, told }))).toMatchObject([
      { input: 'the text' },
    ])
    expect(told).toContain('unwrapped-arguments')
  })

  it.each([
    ['no text', '{"a":1}'],
    ['no JSON', '{"input":oops}'],
  ])('with %s is no call: the answer fails, and nothing of it is done', async (_, json) => {
    const answer = translation({ ...way, request: customRequest })
    const body =
      chunk({ content: 'So.' }) + call(0, 'call_a', 'apply_patch', json) + chunk({}, 'tool_calls') + done
    const stream = answer.push(body) + answer.end()
    expect(answer.failure?.code).toBe('invalid_tool_arguments')
    expect(typesIn(stream).slice(-2)).toEqual(['error', 'failed'])
    expect(stream).not.toMatch(/custom_tool_call|response\.completed|\[DONE\]/)
    expect((await sdkReads(stream).catch(() => null))?.status ?? 'failed').toBe('failed')
  })
})

describe('a tool that the client knows otherwise than the model', () => {
  it('is called in its namespace', async () => {
    const request = requestOf({
      tools: [
        { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'spawn', parameters: {} }] },
      ],
    })
    const body = call(0, 'call_a', 'agents__spawn', '{"n":1}') + chunk({}, 'tool_calls') + done
    expect(outputOf(await encoded(body, { request }))).toMatchObject([
      { type: 'function_call', name: 'spawn', namespace: 'agents', arguments: '{"n":1}' },
    ])
  })

  it('is searched with an object as arguments', async () => {
    const request = requestOf({
      tools: [{ type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: {} }],
    })
    const body = call(0, 'call_a', 'tool_search', '{"query":"mail"}') + chunk({}, 'tool_calls') + done
    expect(outputOf(await encoded(body, { request }))).toEqual([
      {
        id: 'tsc_abc0',
        type: 'tool_search_call',
        status: 'completed',
        call_id: 'call_a',
        arguments: { query: 'mail' },
        execution: 'client',
      },
    ])
  })

  it('is a shell with its command', async () => {
    const request = requestOf({ tools: [{ type: 'local_shell' }] })
    const body = call(0, 'call_a', 'local_shell', '{"command":["ls","-l"]}') + chunk({}, 'tool_calls') + done
    expect(outputOf(await encoded(body, { request }))).toMatchObject([
      {
        type: 'local_shell_call',
        call_id: 'call_a',
        action: { type: 'exec', command: ['ls', '-l'], env: {} },
      },
    ])
  })
})

describe('a call that the model wrote into its text', () => {
  it('is a call of a function', async () => {
    const stream = await encoded(chunk({ content: `Let me see.${kimiCall}` }) + chunk({}, 'stop') + done, {
      parser: { format: 'kimi' },
    })
    expect(outputOf(stream)).toMatchObject([
      { type: 'message', content: [{ text: 'Let me see.' }] },
      { type: 'function_call', name: 'get_time', arguments: '{"zone":"UTC"}' },
    ])
  })

  it('is a call of a custom tool where the client has one of that name', async () => {
    const written = kimiCall.replace('get_time', 'apply_patch').replace('{"zone":"UTC"}', '{"input":"a\\nb"}')
    const stream = await encoded(chunk({ content: written }) + chunk({}, 'stop') + done, {
      parser: { format: 'kimi' },
      request: customRequest,
    })
    expect(outputOf(stream)).toMatchObject([{ type: 'custom_tool_call', name: 'apply_patch', input: 'a\nb' }])
  })
})

describe('a call that the model wrote into its reasoning', () => {
  it('gets its end, although the signature of the reasoning comes before it', async () => {
    const said = kimiCall.slice(0, kimiCall.indexOf('<|tool_call_end|>'))
    const body = messageStart + thinkingBlock(0, 'sig', said) + textBlock(1, 'Hm.') + messageEnd('end_turn')
    const stream = await encoded(body, { from: 'anthropic-messages', parser: { format: 'kimi' } })
    expect(outputOf(stream).map(({ type }) => type)).toEqual(['function_call', 'reasoning', 'message'])
  })
})

describe('the object around an answer', () => {
  const body = chunk({ content: 'Hi' }) + chunk({}, 'stop') + done

  it('has every field of the dialect in every event that holds it, with numbers where it wants numbers', async () => {
    const events = eventsIn(await encoded(body))
    const objects = events.flatMap(({ response }) => (isRecord(response) ? [response] : []))
    expect(objects).toHaveLength(3)
    for (const each of objects)
      for (const [field, isRight] of Object.entries(fields)) {
        expect(
          each[field] !== undefined && isRight(each[field]),
          `${field}: ${JSON.stringify(each[field])}`,
        ).toBe(true)
      }
    expect(objects.at(-1)).toMatchObject({
      status: 'completed',
      completed_at: 1_700_000_000,
      model: 'asked-model',
    })
  })

  it('repeats what was asked for', async () => {
    const asked = {
      instructions: 'Be brief.',
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 100,
      metadata: { a: 'b' },
      parallel_tool_calls: false,
      prompt_cache_key: 'key',
      tool_choice: { type: 'function', name: 'f' },
      tools: [
        { type: 'function', name: 'f', parameters: { type: 'object' }, strict: false },
        { type: 'namespace', name: 'ns', tools: [custom, { ...custom, name: 'other' }] },
        { type: 'web_search' },
      ],
      text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } },
    }
    const told = lastResponse(
      await encoded(body, {
        request: requestOf({ ...asked, store: true, reasoning: { effort: 'high', summary: 'auto' } }),
      }),
    )
    expect(told).toMatchObject({ ...asked, store: false, reasoning: { effort: 'high', summary: 'auto' } })
  })
})

const isNumber = (value: unknown): boolean => typeof value === 'number'
const isText = (value: unknown): boolean => typeof value === 'string'
const orNull =
  (isRight: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || isRight(value)
const fields: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: isText,
  object: (value) => value === 'response',
  created_at: isNumber,
  completed_at: orNull(isNumber),
  status: isText,
  error: orNull(isRecord),
  incomplete_details: orNull(isRecord),
  model: isText,
  output: Array.isArray,
  instructions: orNull(isText),
  previous_response_id: orNull(isText),
  tools: Array.isArray,
  tool_choice: (value) => isText(value) || isRecord(value),
  truncation: (value) => value === 'disabled' || value === 'auto',
  parallel_tool_calls: (value) => typeof value === 'boolean',
  text: (value) => isRecord(value) && isRecord(value['format']),
  temperature: isNumber,
  top_p: isNumber,
  presence_penalty: isNumber,
  frequency_penalty: isNumber,
  top_logprobs: isNumber,
  reasoning: orNull(isRecord),
  usage: orNull(isRecord),
  max_output_tokens: orNull(isNumber),
  max_tool_calls: orNull(isNumber),
  store: (value) => value === false,
  background: (value) => value === false,
  service_tier: isText,
  metadata: isRecord,
  safety_identifier: orNull(isText),
  prompt_cache_key: orNull(isText),
}

describe('usage', () => {
  it('counts the cache into the input, and tells each part', async () => {
    const counts = {
      prompt_tokens: 20,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 4 },
    }
    const stream = await encoded(
      chunk({ content: 'Hi' }) + chunk({}, 'stop') + event({ choices: [], usage: counts }) + done,
    )
    expect(lastResponse(stream)['usage']).toEqual({
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 8, cache_write_tokens: 0 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 29,
    })
  })

  it('is an estimate where the upstream counts nothing: without one clients never shorten a conversation', async () => {
    const stream = await encoded(chunk({ content: 'Eight ch' }) + chunk({}, 'stop') + done)
    expect(lastResponse(stream)['usage']).toMatchObject({
      input_tokens: 11,
      output_tokens: 2,
      total_tokens: 13,
    })
  })
})

describe('an answer that was cut by its length', () => {
  it('is incomplete, with the text that came', async () => {
    const stream = await encoded(chunk({ content: 'Once' }) + chunk({}, 'length') + done)
    expect(lastResponse(stream)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ type: 'message', status: 'incomplete', content: [{ text: 'Once' }] }],
    })
    expect(typesIn(stream).at(-1)).toBe('incomplete')
  })

  it('does not end the call in which it was cut, nor name it', async () => {
    const body = chunk({ content: 'So.' }) + call(0, 'call_a', 'f', '{"x":') + chunk({}, 'length') + done
    const stream = await encoded(body)
    expect(outputOf(stream)).toMatchObject([{ type: 'message' }])
    expect(typesIn(stream).filter((type) => type === 'output_item.added')).toHaveLength(2)
    expect(typesIn(stream).filter((type) => type === 'output_item.done')).toHaveLength(1)
  })
})

describe('an answer that was refused', () => {
  it('is incomplete where a filter ended it', async () => {
    const stream = await encoded(chunk({ content: 'No' }) + chunk({}, 'content_filter') + done)
    expect(lastResponse(stream)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
    })
  })

  it('is text where the model refused: a part of its own makes the message unreadable to clients', async () => {
    const stream = await encoded(chunk({ refusal: 'I will not.' }) + chunk({}, 'stop') + done)
    expect(outputOf(stream)).toMatchObject([{ content: [{ type: 'output_text', text: 'I will not.' }] }])
    expect(stream).not.toContain('refusal')
  })
})

describe('an answer of nothing', () => {
  it('is a failure: clients end the turn without a word on a response without items', async () => {
    const answer = translation(way)
    const stream = answer.push(chunk({ content: '\n' }) + chunk({}, 'stop') + done) + answer.end()
    expect(typesIn(stream)).toEqual(['created', 'in_progress', 'error', 'failed'])
    expect(lastResponse(stream)).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
    expect(answer.failure?.code).toBe('upstream_empty')
  })

  it('but reasoning is an ordinary answer', async () => {
    const stream = await encoded(chunk({ reasoning_content: 'hm' }) + chunk({}, 'stop') + done)
    expect(lastResponse(stream)).toMatchObject({ status: 'completed', output: [{ type: 'reasoning' }] })
  })
})

describe('a failure', () => {
  const error = event({ error: { message: 'Busy.', type: 'overloaded_error' } })
  const text = chunk({ content: 'So ' })
  const half = text + call(0, 'call_a', 'f', '{"x":')

  it.each([
    ['an error in a text', text + error],
    ['an error in a call', half + error],
    ['a cut in a text', text],
    ['a cut in a call', half],
    ['garbage', `${text}data: {"x\n\n${chunk({ content: 'y' })}`],
    ['no finish reason', text + done.replace('[DONE]', '{"choices":[]}')],
  ])('is told by two events, and nothing follows: %s', (_, body) => {
    const answer = translation(way)
    const stream = answer.push(body) + answer.end()
    expect(answer.failure).not.toBeNull()
    const types = typesIn(stream)
    expect(types.slice(-2)).toEqual(['error', 'failed'])
    expect(types).not.toContain('completed')
    expect(stream).not.toContain('[DONE]')
    expect(types.filter((type) => type === 'output_item.done')).toHaveLength(body.includes('call_a') ? 1 : 0)
    expect(answer.push(chunk({ content: 'more' }))).toBe('')
    const [told, failed] = eventsIn(stream).slice(-2)
    expect(told).toMatchObject({ code: 'server_error', error: { code: 'server_error', param: null } })
    expect(failed).toMatchObject({ response: { status: 'failed', error: { code: 'server_error' } } })
  })

  it.each([
    ['a rate limit', { message: 'Slow down.', type: 'rate_limit_error' }, 'rate_limit_exceeded'],
    ['a window that is full', { message: 'x', code: 'context_length_exceeded' }, 'context_length_exceeded'],
    ['a wrong request', { message: 'Bad.', type: 'invalid_request_error' }, 'invalid_prompt'],
  ])('has a text as its code, by which clients decide: %s', (_, fault, code) => {
    const stream = through(text + event({ error: fault }), way)
    expect(lastResponse(stream)).toMatchObject({ error: { code } })
  })

  it('before anything was said is no stream at all', () => {
    const answer = translation(way)
    expect(answer.push(error) + answer.end()).toBe('')
    expect(answer.isStarted).toBe(false)
    expect(answer.failure?.kind).toBe('overloaded')
  })

  it('names the items that were done before it, so that a client can go on from them', () => {
    const body = call(0, 'call_a', 'f', '{"x":1}') + call(1, 'call_b', 'g', '{"y"') + error
    const stream = through(body, way)
    const [first] = outputOf(stream)
    expect(outputOf(stream)).toHaveLength(1)
    const request = requestOf({
      input: [
        { role: 'user', content: 'Hi.' },
        first,
        { type: 'function_call_output', call_id: 'call_a', output: '1' },
      ],
    })
    expect(request.contents.map(({ speaker }) => speaker)).toEqual(['human', 'ai', 'tool'])
  })
})

describe('the sign of life', () => {
  it('is an event with the next number, once the response was created and before it ends', async () => {
    const answer = translation(way)
    expect(answer.keepAlive?.()).toBeNull()
    let stream = answer.push(chunk({ content: 'a' }))
    const sign = answer.keepAlive?.() ?? ''
    expect(sign).toMatch(/^event: keepalive\ndata: \{"type":"keepalive","sequence_number":\d+\}\n\n$/)
    stream += sign + answer.push(chunk({ content: 'b' }) + chunk({}, 'stop') + done) + answer.end()
    expect(answer.keepAlive?.()).toBeNull()
    expect(eventsIn(stream).map(({ sequence_number: number }) => number)).toEqual(
      eventsIn(stream).map((_, at) => at),
    )
    expect((await sdkReads(stream)).output_text).toBe('ab')
  })

  it('is nothing where the client does not stream', () => {
    const answer = translation({ ...way, wants: 'whole' })
    answer.push(chunk({ content: 'a' }))
    expect(answer.keepAlive?.()).toBeNull()
  })
})

describe('one answer of upstreams that speak different dialects', () => {
  const message =
    ant('message_start', { message: { id: 'm', model: 'm', role: 'assistant', content: [], usage: {} } }) +
    ant('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    ant('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'I look.' } }) +
    ant('content_block_stop', { index: 0 }) +
    ant('content_block_start', {
      index: 1,
      content_block: { type: 'tool_use', id: 'call_a', name: 'f', input: {} },
    }) +
    ant('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: '{"x":1}' } }) +
    ant('content_block_stop', { index: 1 }) +
    ant('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } }) +
    ant('message_stop', {})

  it('is one list of items', async () => {
    const chat =
      chunk({ content: 'I look.' }) + call(0, 'call_a', 'f', '{"x":1}') + chunk({}, 'tool_calls') + done
    const items: Json[] = outputOf(await encoded(chat))
    expect(outputOf(await encoded(message, { from: 'anthropic-messages' }))).toEqual(items)
  })
})
