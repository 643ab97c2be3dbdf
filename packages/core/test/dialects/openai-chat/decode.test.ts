import { describe, expect, it } from 'vitest'
import { AnswerLog } from '../../answer/answer-log.ts'
import { calls, chunk, countingMint, done, event, kimiCall, kimiCutCall } from './upstream.ts'
import { decode, readWhole, said, stop, toolStop } from './decode-chat.ts'
import { createChatAnswerDecoder } from '../../answer/stages.ts'

describe('text and reasoning', () => {
  it('an answer begins with the id and model of the first chunk', () => {
    const later = chunk({ content: 'b' }, 'stop', { id: 'other', model: 'other' })
    expect(decode([chunk({ content: 'a' }), later]).lines).toEqual([
      'start chatcmpl-1 some-model',
      'text "ab"',
      'finish stop',
    ])
  })

  it.each([
    ['an empty delta', {}],
    ['a null delta', null],
    ['null content', { content: null }],
    ['empty content', { content: '' }],
    ['a role alone', { role: 'assistant' }],
  ])('%s says nothing', (_, delta) => {
    expect(said([chunk(delta), chunk({ role: 'assistant', content: 'a' }), ...stop])).toEqual([
      'text "a"',
      'finish stop',
    ])
  })

  it('content in parts is text', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: [{ type: 'text', text: 'b' }] },
      'c',
    ]
    expect(said([chunk({ content }), ...stop])).toEqual([
      'text "a"',
      'reasoning reasoning "b"',
      'text "c"',
      'finish stop',
    ])
  })

  it('content beside the finish reason comes before the end', () => {
    expect(said([chunk({ content: 'a' }, 'stop'), done])).toEqual(['text "a"', 'finish stop'])
  })

  it('one chunk with everything is read as reasoning, text, calls', () => {
    const delta = {
      tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: '{}' } }],
      content: 'text',
      reasoning: 'hm',
    }
    expect(said([chunk(delta, 'tool_calls'), done])).toEqual([
      'reasoning reasoning "hm"',
      'text "text"',
      'call 0 x f',
      'delta 0 {}',
      'call-end 0',
      'finish tool-calls',
    ])
  })

  it.each([
    ['reasoning_content', { reasoning_content: 'hm' }],
    ['reasoning', { reasoning: 'hm' }],
    ['reasoning_text', { reasoning_text: 'hm' }],
    ['reasoning', { reasoning: [{ text: 'h' }, 'm'] }],
    ['reasoning_details', { reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] }],
    ['reasoning_details', { reasoning_details: [{ type: 'reasoning.summary', summary: 'hm' }] }],
    ['thinking_blocks', { thinking_blocks: [{ type: 'thinking', thinking: 'hm' }] }],
  ])('reasoning in %s is told with its field', (field, delta) => {
    expect(said([chunk(delta), ...stop])).toEqual([`reasoning ${field} "hm"`, 'finish stop'])
  })

  it('reasoning that two fields repeat comes once', () => {
    const delta = {
      reasoning: 'hm',
      reasoning_content: 'hm',
      reasoning_details: [{ type: 'reasoning.text', text: 'hm' }],
    }
    expect(said([chunk(delta), ...stop])).toEqual(['reasoning reasoning_content "hm"', 'finish stop'])
  })

  it('encrypted details and signatures are proofs, without the text', () => {
    const details = [
      { type: 'reasoning.text', text: 'hm', signature: 'sig', index: 0 },
      { type: 'reasoning.encrypted', data: 'abc', id: 'r1', index: 1 },
    ]
    expect(said([chunk({ reasoning: 'hm', reasoning_details: details }), ...stop])).toEqual([
      'reasoning reasoning "hm"',
      'proof {"type":"reasoning.text","signature":"sig","index":0}',
      'proof {"type":"reasoning.encrypted","data":"abc","id":"r1","index":1}',
      'finish stop',
    ])
  })

  it('reasoning written in the content is reasoning of the content', () => {
    expect(said([chunk({ content: '<think>hm</think>Yes' }), ...stop])).toEqual([
      'reasoning content "hm"',
      'text "Yes"',
      'finish stop',
    ])
  })

  it('what a stream says in `message` is read, but not a message that repeats its deltas', () => {
    const whole = event({ choices: [{ index: 0, message: { content: 'ab' }, finish_reason: 'stop' }] })
    expect(said([whole, ...stop])).toEqual(['text "ab"', 'finish stop'])
    expect(said([chunk({ content: 'ab' }), whole, ...stop])).toEqual(['text "ab"', 'finish stop'])
  })

  it('a refusal is text', () => {
    expect(said([chunk({ refusal: 'No.' }), ...stop])).toEqual(['text "No."', 'finish stop'])
  })

  it('of several choices the first is read, and that the others were dropped is recorded once', () => {
    const other = event({ choices: [{ index: 1, delta: { content: 'b' } }] })
    const both = event({
      choices: [
        { index: 1, delta: { content: 'b' } },
        { index: 0, delta: { content: 'a' } },
      ],
    })
    const { lines, notes } = decode([both, other, ...stop])
    expect(lines.slice(1)).toEqual(['text "a"', 'finish stop'])
    expect(notes).toEqual(['repair dropped-choice'])
  })

  it('what has no place is dropped with one warning', () => {
    const warnings: string[] = []
    const audio = chunk({ audio: { data: 'x' }, annotations: [] })
    said([audio, audio, ...stop], { onWarning: (message) => warnings.push(message) })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('audio')
  })
})

describe('calls in the text', () => {
  it('become calls, and the end says so', () => {
    expect(said([chunk({ content: `Sure.${kimiCall}` }), ...stop])).toEqual([
      'text "Sure."',
      'call 0 toolu_kimi_n0 get_time',
      'delta 0 {"zone":"UTC"}',
      'call-end 0',
      'finish tool-calls',
    ])
  })

  it('are read in the reasoning too', () => {
    expect(said([chunk({ reasoning_content: `Hm.${kimiCall}` }), ...stop])).toEqual([
      'reasoning reasoning_content "Hm."',
      'call 0 toolu_kimi_n0 get_time',
      'delta 0 {"zone":"UTC"}',
      'call-end 0',
      'finish tool-calls',
    ])
  })

  it('are plain text where no tools were offered', () => {
    expect(said([chunk({ content: kimiCall }), ...stop], { parser: { format: 'kimi', tools: [] } })).toEqual([
      `text ${JSON.stringify(kimiCall)}`,
      'finish stop',
    ])
  })

  it('after a structured call, markup in the text is removed', () => {
    const pieces = [
      calls({ index: 0, id: 'a', function: { name: 'get_time', arguments: '{}' } }),
      chunk({ content: `Done.${kimiCall}` }),
      ...toolStop,
    ]
    expect(said(pieces)).toEqual([
      'call 0 a get_time',
      'delta 0 {}',
      'call-end 0',
      'text "Done."',
      'finish tool-calls',
    ])
  })

  it('a structured call that repeats one in the text is dropped, which is told', () => {
    const pieces = [
      chunk({ content: kimiCall }),
      calls({ index: 0, id: 'a', function: { name: 'get_time', arguments: '{ "zone"' } }),
      calls({ index: 0, function: { arguments: ': "UTC"}' } }),
      ...toolStop,
    ]
    const { lines, notes } = decode(pieces)
    expect(lines.filter((line) => line.startsWith('call '))).toEqual(['call 0 toolu_kimi_n0 get_time'])
    expect(notes).toEqual(['repair repeated-call'])
  })

  it('another structured call after one in the text comes last, with the next index', () => {
    const pieces = [
      chunk({ content: kimiCall }),
      calls({ index: 0, id: 'a', function: { name: 'g', arguments: '{"x":1}' } }),
      ...stop,
    ]
    expect(said(pieces).slice(3)).toEqual([
      'call 1 a g',
      'delta 1 {"x":1}',
      'call-end 1',
      'finish tool-calls',
    ])
  })

  it('a call cut by the length ends as length and is not closed', () => {
    expect(said([chunk({ content: kimiCutCall }), chunk({}, 'length'), done])).toEqual([
      'call 0 toolu_kimi_n0 get_time',
      'delta 0 {"zone":"U',
      'finish length',
    ])
  })

  it.each([
    ['stop', [chunk({}, 'stop'), done]],
    ['[DONE] alone', [done]],
  ])('a call cut before %s fails the answer', (_, end) => {
    expect(said([chunk({ content: kimiCutCall }), ...end]).at(-1)).toBe('fail upstream incomplete_tool_call')
  })

  it('with delivery complete, arguments that are no JSON come out as text and fail the answer', () => {
    const text = kimiCall.replace('"UTC"', '')
    const lines = said([chunk({ content: text }), ...stop], {
      parser: { format: 'kimi', delivery: 'complete' },
    })
    expect(lines[0]).toMatch(/^text /)
    expect(lines.at(-1)).toBe('fail upstream invalid_tool_arguments')
  })

  it('a call over the limit fails the answer at once', () => {
    const sink = new AnswerLog()
    const decoder = createChatAnswerDecoder({
      parser: { format: 'kimi', delivery: 'complete', limits: { toolCallBytes: 100 } },
      mint: countingMint(),
      sink,
    })
    decoder.push(chunk({ content: `${kimiCutCall}${'x'.repeat(200)}` }))
    expect(sink.failure).toMatchObject({ kind: 'upstream', code: 'tool_call_too_large' })
    expect(decoder.state).toBe('ended')
  })
})

describe('the end', () => {
  it.each([
    ['stop', 'finish stop'],
    ['length', 'finish length'],
    ['max_tokens', 'finish length'],
    ['tool_calls', 'finish stop'],
    ['function_call', 'finish stop'],
    ['content_filter', 'finish content-filter'],
    ['eos', 'finish stop'],
    ['unknown', 'finish stop'],
    ['error', 'fail upstream error'],
    ['insufficient_system_resource', 'fail overloaded insufficient_system_resource'],
  ])('finish reason %s without calls: %s', (word, expected) => {
    expect(said([chunk({ content: 'a' }, word), done])).toEqual(['text "a"', expected])
  })

  it('length stays length beside a whole call', () => {
    expect(said([chunk({ content: kimiCall }, 'length'), done]).at(-1)).toBe('finish length')
  })

  it('a structured call cut by the length is not closed', () => {
    const pieces = [
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x' } }),
      chunk({}, 'length'),
      done,
    ]
    expect(said(pieces)).toEqual(['call 0 a f', 'delta 0 {"x', 'finish length'])
  })

  it('the stop sequence is told where the server tells it', () => {
    const last = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: 'END' }] })
    expect(said([chunk({ content: 'a' }), last, done]).at(-1)).toBe('finish stop-sequence END')
  })

  it('a finish reason without [DONE] is a whole answer', () => {
    expect(said([chunk({ content: 'a' }, 'stop')])).toEqual(['text "a"', 'finish stop'])
  })

  it('[DONE] without a finish reason is a whole answer', () => {
    expect(said([chunk({ content: 'a' }), done])).toEqual(['text "a"', 'finish stop'])
    expect(said([chunk({ content: kimiCall }), done]).at(-1)).toBe('finish tool-calls')
  })

  it('a repeated finish reason ends the answer once, with the first', () => {
    expect(said([chunk({ content: 'a' }, 'stop'), chunk({}, 'length'), done, done])).toEqual([
      'text "a"',
      'finish stop',
    ])
  })

  it('text between the finish reason and [DONE] is not lost', () => {
    expect(said([chunk({ content: 'a' }, 'stop'), chunk({ content: 'b' }), done])).toEqual([
      'text "ab"',
      'finish stop',
    ])
  })

  it('what follows [DONE] is ignored', () => {
    expect(said([chunk({ content: 'a' }, 'stop'), done, chunk({ content: 'b' })])).toEqual([
      'text "a"',
      'finish stop',
    ])
  })

  it('tells from the finish reason on that only usage may follow', () => {
    const decoder = createChatAnswerDecoder({ parser: {}, mint: countingMint(), sink: new AnswerLog() })
    decoder.push(chunk({ content: 'a' }))
    expect(decoder.state).toBe('reading')
    decoder.push(chunk({}, 'stop'))
    expect(decoder.state).toBe('finishing')
    decoder.push(done)
    expect(decoder.state).toBe('ended')
  })
})

describe('faults', () => {
  it('a stream that closes early gives out what was held and fails', () => {
    expect(said([chunk({ content: 'a <|tool_ca' })])).toEqual([
      'text "a <|tool_ca"',
      'fail upstream upstream_truncated',
    ])
  })

  it('a stream cut inside a line or a character fails as truncated', () => {
    const bytes = new TextEncoder().encode(chunk({ content: 'a' }) + chunk({ content: 'é' }))
    for (const cut of [1, 20, bytes.length - 60]) {
      const log = decode([bytes.subarray(0, bytes.length - cut)])
      expect(log.failure?.code).toBe('upstream_truncated')
    }
  })

  it('a last event without its blank line is read', () => {
    expect(said([chunk({ content: 'a' }), chunk({ content: 'b' }, 'stop').trimEnd()])).toEqual([
      'text "ab"',
      'finish stop',
    ])
  })

  it('an empty stream, or [DONE] alone, fails before the start', () => {
    expect(decode([]).lines).toEqual(['fail upstream upstream_empty'])
    expect(decode([': ping\n\n']).lines).toEqual(['fail upstream upstream_empty'])
    expect(decode([done]).lines).toEqual(['fail upstream upstream_empty'])
  })

  it('a page of HTML fails before the start', () => {
    expect(decode(['<html>\n<p>Hello</p>\n\n</html>']).lines).toEqual([
      'fail upstream upstream_protocol_error',
    ])
  })

  it.each([
    [
      'an error object',
      event({ error: { message: 'slow down', type: 'rate_limit_error', code: 'rl' } }),
      'rate-limit rl',
    ],
    ['a numeric code', event({ error: { message: 'busy', code: 529 } }), 'overloaded upstream_error'],
    [
      'an error event',
      'event: error\ndata: {"message":"busy","type":"overloaded_error"}\n\n',
      'overloaded overloaded_error',
    ],
    ['an error event of plain text', 'event: error\ndata: boom\n\n', 'upstream upstream_error'],
    [
      'the object "error"',
      event({ object: 'error', message: 'bad', type: 'BadRequestError', code: 400 }),
      'invalid-request BadRequestError',
    ],
    ['choices beside an error', event({ choices: [], error: { message: 'x', code: 'c' } }), 'upstream c'],
    ['an error in an array', event([{ error: { message: 'x', code: 404 } }]), 'not-found upstream_error'],
    [
      'a refused key',
      event({ error: { message: 'x', type: 'authentication_error' } }),
      'upstream authentication_error',
    ],
  ])('%s in the stream gives out what was held and fails', (_, error, expected) => {
    const lines = said([chunk({ content: 'a <' }), error, chunk({ content: 'b' }), ...stop])
    expect(lines).toEqual(['text "a <"', `fail ${expected}`])
  })

  it('an error as the first event fails before the start', () => {
    expect(decode([event({ error: { message: 'x' } })]).lines).toEqual(['fail upstream upstream_error'])
  })

  it('data that is not JSON fails, after what came before it', () => {
    expect(said([chunk({ content: 'a' }), 'data: <oops>\n\n', ...stop])).toEqual([
      'text "a"',
      'fail upstream upstream_protocol_error',
    ])
  })

  it('data that is not JSON can be left out with a warning instead', () => {
    const warnings: string[] = []
    const onWarning = (message: string): void => void warnings.push(message)
    const pieces = [chunk({ content: 'a' }), 'data: <oops>\n\n', ...stop]
    expect(said(pieces, { faults: 'pass', onWarning })).toEqual(['text "a"', 'finish stop'])
    expect(warnings[0]).toContain('event 2')
  })

  it('an event over the limit fails', () => {
    const pieces = [chunk({ content: 'a' }), chunk({ content: 'b'.repeat(600) })]
    expect(said(pieces, { maxEventBytes: 400 })).toEqual(['text "a"', 'fail upstream upstream_limit'])
  })

  it('comments, unknown fields and chunks that say nothing are passed over', () => {
    const pieces = [
      ': PROCESSING\n\n',
      'retry: 1\n\n',
      event({ choices: [] }),
      event({ choices: [null] }),
      chunk({ content: 'a' }),
      ...stop,
    ]
    expect(said(pieces)).toEqual(['text "a"', 'finish stop'])
  })

  it('an envelope around the chunks is taken off', () => {
    const wrapped = event({
      success: true,
      data: { id: 'x', choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] },
    })
    expect(said([wrapped, done])).toEqual(['text "a"', 'finish stop'])
  })
})

describe('usage', () => {
  const base = { prompt_tokens: 100, completion_tokens: 20 }

  it.each([
    [
      'the prompt details',
      { prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 } },
      [50, 40, 10],
    ],
    ['prompt_cache_hit_tokens', { prompt_cache_hit_tokens: 40 }, [60, 40, 0]],
    ['cached_tokens', { cached_tokens: 40 }, [60, 40, 0]],
    ['cache_read_input_tokens', { cache_read_input_tokens: 40, cache_creation_input_tokens: 5 }, [55, 40, 5]],
    ['nothing', {}, [100, 0, 0]],
    ['more cached than there was', { cached_tokens: 400 }, [0, 400, 0]],
  ])('cached tokens told by %s are no input', (_, more, [input, read, written]) => {
    const usage = { ...base, completion_tokens_details: { reasoning_tokens: 7 }, ...more }
    expect(decode([chunk({}, 'stop'), event({ choices: [], usage }), done]).counted).toEqual({
      inputTokens: input,
      cacheReadTokens: read,
      cacheWriteTokens: written,
      outputTokens: 20,
      reasoningTokens: 7,
    })
  })

  it('the last count is the one that counts', () => {
    const pieces = [
      chunk({ content: 'a' }, null, { usage: { prompt_tokens: 1, completion_tokens: 1 } }),
      chunk({ content: 'b' }, 'stop', { usage: null }),
      event({ choices: [], usage: base }),
      done,
    ]
    expect(decode(pieces).counted).toMatchObject({ inputTokens: 100, outputTokens: 20 })
  })

  it('is found in the choice and where Groq puts it', () => {
    const inChoice = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: base }] })
    expect(decode([inChoice]).counted).toMatchObject({ outputTokens: 20 })
    expect(decode([chunk({}, 'stop', { x_groq: { usage: base } })]).counted).toMatchObject({
      outputTokens: 20,
    })
  })
})

describe('a whole completion', () => {
  const message = { role: 'assistant', content: `Sure.${kimiCall}`, reasoning_content: 'hm' }

  it('is read as one delta', () => {
    const body = {
      id: 'x',
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    }
    const log = readWhole(body)
    expect(log.lines).toEqual([
      'start x m',
      'reasoning reasoning_content "hm"',
      'text "Sure."',
      'call 0 toolu_kimi_n0 get_time',
      'delta 0 {"zone":"UTC"}',
      'call-end 0',
      'finish tool-calls',
    ])
    expect(log.counted).toMatchObject({ inputTokens: 1, outputTokens: 2 })
  })

  it('several calls without index are all read', () => {
    const tool_calls = ['a', 'b'].map((name) => ({
      type: 'function',
      function: { name, arguments: { name } },
    }))
    const body = { choices: [{ message: { content: null, tool_calls }, finish_reason: 'tool_calls' }] }
    expect(readWhole(body).lines.filter((line) => line.startsWith('delta'))).toEqual([
      'delta 0 {"name":"a"}',
      'delta 1 {"name":"b"}',
    ])
  })

  it.each([
    ['an error object', { error: { message: 'x', code: 'c' } }, 'fail upstream c'],
    [
      'an error in an envelope',
      { success: false, data: { error: { message: 'x', code: 'c' } } },
      'fail upstream c',
    ],
    ['no choices', { choices: [] }, 'fail upstream upstream_protocol_error'],
    ['something else', 'text', 'fail upstream upstream_protocol_error'],
  ])('%s in its place fails', (_, body, expected) => {
    expect(readWhole(body).lines).toEqual([expected])
  })
})
