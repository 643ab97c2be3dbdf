import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { block, callParts, generated, joined, stop, streamed, type AnyPart } from './ai-sdk-model.ts'
import { kimiCall } from './upstream.ts'

const paris = '{"city":"Paris"}'
const section = kimiCall.replace('Let me look.', '')
const calls = { ...stop, finishReason: { unified: 'tool-calls', raw: 'stop' } }

describe('calls in the text of a stream', () => {
  it('become calls between blocks of text, and the finish tells of them', async () => {
    const came = [
      { type: 'stream-start', warnings: [] },
      ...block('text', 't', kimiCall, ' Done.'),
      { type: 'raw', rawValue: 1 },
      stop,
    ]
    expect(joined(await streamed(came))).toEqual([
      { type: 'stream-start', warnings: [] },
      ...block('text', 't', 'Let me look.'),
      ...callParts('call_kimi_n1', 'get_weather', paris),
      { type: 'text-start', id: 'dragoman-1' },
      { type: 'text-delta', id: 'dragoman-1', delta: 'Done.' },
      { type: 'raw', rawValue: 1 },
      { type: 'text-end', id: 'dragoman-1' },
      calls,
    ])
  })

  it('are the same however the text is cut', async () => {
    const whole = joined(await streamed([...block('text', 't', kimiCall), stop]))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(kimiCall.length), { maxLength: 9 }), async (places) => {
        const sorted = [0, ...places.toSorted((a, b) => a - b), kimiCall.length]
        const pieces = sorted.slice(1).map((place, at) => kimiCall.slice(sorted[at], place))
        expect(joined(await streamed([...block('text', 't', ...pieces), stop]))).toEqual(whole)
      }),
      { numRuns: 50 },
    )
  })

  it('leave no empty block behind', async () => {
    expect(joined(await streamed([...block('text', 't', '\n', section, '\n'), stop]))).toEqual([
      ...callParts('call_kimi_n1', 'get_weather', paris),
      calls,
    ])
  })

  it('are read across parts that are no content', async () => {
    const pieces = block('text', 't', section.slice(0, 9), section.slice(9))
    const raw = { type: 'raw', rawValue: 1 }
    const came = [...pieces.flatMap((part) => [raw, part]), stop]
    expect(joined((await streamed(came)).filter(({ type }) => type !== 'raw'))).toEqual([
      ...callParts('call_kimi_n1', 'get_weather', paris),
      calls,
    ])
  })

  it('are read in reasoning too', async () => {
    expect(joined(await streamed([...block('reasoning', 'r', 'Hm. ', section), stop]))).toEqual([
      ...block('reasoning', 'r', 'Hm. '),
      ...callParts('call_kimi_n1', 'get_weather', paris),
      calls,
    ])
  })

  it('reasoning in the text becomes a block of reasoning', async () => {
    const came = [...block('text', 't', '<think>Hm.</think>', 'Hello.'), stop]
    expect(joined(await streamed(came, { format: 'qwen' }))).toEqual([
      ...block('reasoning', 'dragoman-1', 'Hm.'),
      ...block('text', 't', 'Hello.'),
      stop,
    ])
  })

  it('a call that is cut off is no call: an error says so', async () => {
    const parts = await streamed([...block('text', 't', section.slice(0, -50)), stop])
    expect(parts.map(({ type }) => type)).not.toContain('tool-call')
    expect(parts.slice(-2)).toEqual([
      { type: 'error', error: expect.objectContaining({ message: expect.stringContaining('get_weather') }) },
      { ...stop, finishReason: { unified: 'error', raw: 'stop' } },
    ])
  })

  it('a call that the limit of tokens cut off ends as the provider says', async () => {
    const length = { ...stop, finishReason: { unified: 'length', raw: 'length' } }
    const parts = await streamed([...block('text', 't', section.slice(0, -50)), length])
    expect(parts.map(({ type }) => type)).not.toContain('tool-call')
    expect(parts.at(-1)).toEqual(length)
  })

  it('where tools are forbidden, nothing is read as a call', async () => {
    const came = [...block('text', 't', 'A <tool_call> is a tag.'), stop]
    const params = { toolChoice: { type: 'none' } }
    expect(joined(await streamed(came, { format: 'qwen', params }))).toEqual(joined(came))
  })

  it('an object alone is the arguments of the tool that was named', async () => {
    const came = [...block('text', 't', '{"city":"Dallas"}'), stop]
    const params = { toolChoice: { type: 'tool', toolName: 'get_weather' } }
    const parts = await streamed(came, { format: 'qwen', params })
    expect(parts).toContainEqual(
      expect.objectContaining({ type: 'tool-call', toolName: 'get_weather', input: '{"city":"Dallas"}' }),
    )
  })

  it.each([
    { openai: { parallelToolCalls: false } },
    { anthropic: { disableParallelToolUse: true } },
    { xai: { parallel_function_calling: false } },
    { vllm: { parallel_tool_calls: false } },
  ])('where a provider is told to make one call, the first goes on: %o', async (providerOptions) => {
    const call = '<tool_call>{"name":"get_weather","arguments":{"city":"Paris"}}</tool_call>'
    const came = [...block('text', 't', call, call.replace('Paris', 'Rome')), stop]
    const inputs = async (params: object): Promise<unknown[]> =>
      (await streamed(came, { format: 'qwen', params }))
        .filter(({ type }) => type === 'tool-call')
        .map((part) => part['input'])
    expect(await inputs({ providerOptions })).toEqual(['{"city":"Paris"}'])
    expect(await inputs({ providerOptions: { openai: { parallelToolCalls: true } } })).toHaveLength(2)
  })
})

describe('a stream in which nothing has to change', () => {
  it('passes with the metadata of every part', async () => {
    const signed = { providerMetadata: { vendor: { signature: 's' } } }
    const came: AnyPart[] = [
      { type: 'reasoning-start', id: 'r', ...signed },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'reasoning-delta', id: 'r', delta: '', ...signed },
      { type: 'reasoning-end', id: 'r', ...signed },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example' },
      { type: 'text-start', id: 't', ...signed },
      { type: 'text-delta', id: 't', delta: 'Hello', ...signed },
      { type: 'text-end', id: 't', ...signed, citations: [1] },
      stop,
    ]
    expect(await streamed(came)).toEqual(came)
  })

  it('keeps a block that holds nothing, and one of white space', async () => {
    const came = [...block('reasoning', 'r'), ...block('text', 't', ' \n'), stop]
    expect(await streamed(came)).toEqual(came)
  })

  it('keeps the white space of one block before another', async () => {
    const came = [...block('reasoning', 'r', '\n'), ...block('text', 't', ' ', 'Hello'), stop]
    expect(joined(await streamed(came))).toEqual(joined(came))
  })

  it('passes with the error that the provider tells', async () => {
    const failed = { ...stop, finishReason: { unified: 'error', raw: 'overloaded' } }
    const came = [...block('text', 't', 'Hello'), { type: 'error', error: 'overloaded' }, failed]
    const parts = await streamed(came)
    expect(parts.filter(({ type }) => type !== 'text-end')).toEqual(
      came.filter(({ type }) => type !== 'text-end'),
    )
  })

  it('gives out at its end what looked like the beginning of a call', async () => {
    const came = [...block('text', 't', 'a <|tool_calls'), stop]
    expect(joined(await streamed(came))).toEqual(came)
  })

  it('is passed on without a finish where the provider sends none', async () => {
    const [start, delta] = block('text', 't', 'Hello')
    const came = [start, delta].filter((part) => part !== undefined)
    expect(await streamed(came)).toEqual([...came, { type: 'text-end', id: 't' }])
  })
})

describe('calls that the provider read itself', () => {
  const structured = callParts('functions.get_weather:0', 'get_weather', paris)

  it('pass as they are', async () => {
    const came = [...block('text', 't', 'Let me look.'), ...structured, calls]
    expect(await streamed(came)).toEqual(came)
  })

  it('pass piece by piece, with the metadata of every part', async () => {
    const signed = { providerMetadata: { vendor: { signature: 's' } } }
    const pieces = ['', '{"city"', ': "Paris",', ' "days', '": 3', ' }']
    const came = [
      { type: 'tool-input-start', id: 'a', toolName: 'get_weather', dynamic: true, ...signed },
      ...pieces.map((delta) => ({ type: 'tool-input-delta', id: 'a', delta, ...signed })),
      { type: 'tool-input-end', id: 'a', ...signed },
      { type: 'tool-call', toolCallId: 'a', toolName: 'get_weather', input: pieces.join(''), ...signed },
      calls,
    ]
    expect(await streamed(came)).toEqual(came)
  })

  it('pass as one part where they come as one, and keep its metadata where their input is put right', async () => {
    const signed = { providerMetadata: { vendor: { signature: 's' } } }
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'get_weather', input: paris, ...signed }
    expect(await streamed([call, calls])).toEqual([call, calls])
    expect(await streamed([{ ...call, input: "{'city':'Paris'}" }, calls])).toEqual([call, calls])
    expect(await streamed([{ ...call, input: '' }, calls])).toEqual([{ ...call, input: '{}' }, calls])
  })

  it('come out one after the other where they come mixed', async () => {
    const [start, delta, end, whole] = structured
    const other = callParts('b', 'get_weather', '{"city":"Oslo"}')
    const came = [start, other[0], delta, other[1], other[2], other[3], end, whole, calls]
    expect(await streamed(came.filter((part) => part !== undefined))).toEqual([
      ...structured,
      ...other,
      calls,
    ])
  })

  it('end with the answer where the provider leaves their ends out', async () => {
    expect(await streamed([...structured.slice(0, 2), stop])).toEqual([...structured, calls])
  })

  it('are none where they are broken: an error says so, and only the finish follows it', async () => {
    const [start, delta] = callParts('a', 'get_weather', '{"city":Paris}')
    const came = [start, delta, ...block('text', 't', 'And so on.'), calls]
    const parts = await streamed(came.filter((part) => part !== undefined))
    expect(parts.slice(-2)).toEqual([
      { type: 'error', error: expect.objectContaining({ message: expect.stringContaining('get_weather') }) },
      { ...calls, finishReason: { unified: 'error', raw: 'stop' } },
    ])
    expect(parts.map(({ type }) => type)).toEqual([
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'error',
      'finish',
    ])
  })

  it('get a new id where the conversation has theirs already', async () => {
    const content = [{ type: 'tool-call', toolCallId: 'functions.get_weather:0', toolName: 'a', input: {} }]
    const params = { prompt: [{ role: 'assistant', content }] }
    expect(await streamed([...structured, calls], { params })).toEqual([
      ...callParts('call_kimi_n1', 'get_weather', paris),
      calls,
    ])
  })

  it('are dropped where they repeat a call in the text', async () => {
    const records: string[] = []
    const came = [...block('text', 't', section), ...structured, calls]
    const parts = await streamed(came, { onRecord: ({ code }) => records.push(code) })
    expect(joined(parts)).toEqual([...callParts('call_kimi_n1', 'get_weather', paris), calls])
    expect(records).toEqual(['repeated-call'])
  })

  it('are kept where they say something else', async () => {
    const oslo = callParts('functions.get_weather:1', 'get_weather', '{"city":"Oslo"}')
    const parts = await streamed([...block('text', 't', section), ...oslo, calls])
    expect(joined(parts)).toEqual([...callParts('call_kimi_n1', 'get_weather', paris), ...oslo, calls])
  })

  it('make markup in the text behind them a leftover', async () => {
    const parts = await streamed([...structured, ...block('text', 't', section), calls])
    expect(parts).toEqual([...structured, calls])
  })

  it('of tools that the provider runs decide nothing', async () => {
    const search = {
      type: 'tool-call',
      toolCallId: 's',
      toolName: 'search',
      input: '{}',
      providerExecuted: true,
    }
    const result = { type: 'tool-result', toolCallId: 's', toolName: 'search', result: 'found' }
    const parts = await streamed([search, result, ...block('text', 't', section), stop])
    expect(joined(parts)).toEqual([search, result, ...callParts('call_kimi_n1', 'get_weather', paris), calls])
  })

  it('of tools that the provider runs pass with their results, whatever the provider says of its end', async () => {
    const [start, delta, end, call] = callParts('s', 'search', '{"q":')
    const input = [
      { ...start, type: 'tool-input-start', providerExecuted: true },
      { ...delta, type: 'tool-input-delta' },
      { ...end, type: 'tool-input-end' },
      { ...call, type: 'tool-call', providerExecuted: true },
    ]
    const result = { type: 'tool-result', toolCallId: 's', toolName: 'search', result: 'found' }
    for (const finish of [stop, calls]) {
      const came = [...input, result, ...block('text', 't', 'Found.'), finish]
      expect(await streamed(came)).toEqual(came)
    }
  })
})

describe('calls in a whole answer', () => {
  it('become calls, in their place', async () => {
    const result = await generated([
      { type: 'reasoning', text: 'Hm.', providerMetadata: { vendor: { signature: 's' } } },
      { type: 'text', text: kimiCall, providerMetadata: { vendor: { kept: true } } },
      { type: 'source', id: 's' },
    ])
    expect(result).toEqual({
      content: [
        { type: 'reasoning', text: 'Hm.', providerMetadata: { vendor: { signature: 's' } } },
        { type: 'text', text: 'Let me look.', providerMetadata: { vendor: { kept: true } } },
        { type: 'tool-call', toolCallId: 'call_kimi_n1', toolName: 'get_weather', input: paris },
        { type: 'source', id: 's' },
      ],
      finishReason: { unified: 'tool-calls', raw: 'stop' },
      usage: {},
      warnings: [],
    })
  })

  it('an answer of nothing, for which nothing was counted, fails', async () => {
    const zero = { outputTokens: { total: 0 } }
    await expect(generated([], {}, zero)).rejects.toThrow('no content')
    await expect(generated([], {}, { outputTokens: { total: 1 } })).resolves.toMatchObject({ content: [] })
  })

  it('half a call fails the answer', async () => {
    await expect(generated([{ type: 'text', text: section.slice(0, -50) }])).rejects.toThrow('get_weather')
  })
})
