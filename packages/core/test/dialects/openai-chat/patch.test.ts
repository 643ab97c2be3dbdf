import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DragomanError } from '../../../src/errors.ts'
import { isRecord } from '../../support/is-record.ts'
import { assembleChat, dataOf, type AssembledChoice } from './assemble.ts'
import { type RewriterOptions } from '../../../src/translate-parts.ts'
import { createChatStreamRewriter } from '../../answer/stages.ts'

const section = '<|tool_calls_section_begin|>'
const sectionEnd = '<|tool_calls_section_end|>'
const done = 'data: [DONE]\n\n'
const first = chunk({ role: 'assistant', content: '' })

function call(name: string, json: string, n = 0): string {
  return `<|tool_call_begin|>functions.${name}:${n}<|tool_call_argument_begin|>${json}<|tool_call_end|>`
}

const oneCall = `${section}${call('get_time', '{"zone":"UTC"}')}${sectionEnd}`

function event(fields: object): string {
  return `data: ${JSON.stringify(fields)}\n\n`
}

function chunk(delta: unknown, finish: string | null = null, more: object = {}): string {
  return event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'kimi-k2',
    system_fingerprint: 'fp',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  })
}

type Options = Partial<RewriterOptions>

function rewriter(options: Options = {}): ReturnType<typeof createChatStreamRewriter> {
  let ids = 0
  return createChatStreamRewriter({ parser: { format: 'kimi' }, newId: () => `n${ids++}`, ...options })
}

function rewrite(pieces: readonly (string | Uint8Array)[], options: Options = {}): string {
  const stream = rewriter(options)
  return [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()].join('')
}

/** What becomes of a stream that begins as it should, and the repairs in it. */
function recorded(pieces: readonly string[]): { sse: string; repairs: string[] } {
  const repairs: string[] = []
  const onRecord: Options['onRecord'] = ({ type, code }) => {
    if (type === 'repair') repairs.push(code)
  }
  return { sse: rewrite([first, ...pieces], { onRecord }), repairs }
}

function choicePart(index: number, content: string, finish: string | null = null): string {
  return event({ id: 'x', choices: [{ index, delta: { content }, finish_reason: finish }] })
}

function structured(...entries: object[]): string {
  return chunk({ tool_calls: entries })
}

function firstChoice(sse: string): AssembledChoice {
  const choice = assembleChat(sse).choices[0]
  if (choice === undefined) throw new Error('no choice 0')
  return choice
}

function chunksOf(sse: string): unknown[] {
  return dataOf(sse).flatMap((data) => (data === '[DONE]' ? [] : [JSON.parse(data)]))
}

interface SentChoice {
  readonly index: number
  readonly delta: unknown
}

function choicesOf(sent: unknown): SentChoice[] {
  const choices = isRecord(sent) && Array.isArray(sent['choices']) ? sent['choices'] : []
  return choices.flatMap((choice: unknown) =>
    isRecord(choice) ? [{ index: Number(choice['index']), delta: choice['delta'] }] : [],
  )
}

describe('what need not change', () => {
  const untouched = [
    ['a role once more', chunk({ role: 'assistant', content: 'a' })],
    ['plain text', chunk({ content: 'Hello' })],
    [
      'odd spacing and key order',
      'data:{"choices" : [ {"delta":{"content":"a"},"index":0} ],"x":1.0}\r\n\r\n',
    ],
    ['reasoning in its own field', chunk({ reasoning: 'hm', content: null })],
    ['two reasoning fields that repeat one text', chunk({ reasoning: 'hm', reasoning_content: 'hm' })],
    ['a usage chunk', event({ choices: [], usage: { total_tokens: 3 } })],
    ['a chunk without choices', event({ type: 'ping' })],
    ['a null delta', event({ choices: [{ index: 0, delta: null }] })],
    ['content in parts', chunk({ content: [{ type: 'text', text: 'a' }] })],
    ['text with a finish reason', chunk({ content: 'Bye.' }, 'stop')],
    ['the length as finish reason', chunk({}, 'length')],
    ['a lone retry field', 'retry: 3000\n\n'],
    ['the end', done],
  ] as const

  for (const [what, sse] of untouched) {
    it(`${what} is passed on byte for byte`, () => {
      expect(rewrite([first, sse])).toBe(first + sse)
    })
  }

  it('a whole answer without calls comes out as it went in', () => {
    const sse = [
      ': OPENROUTER PROCESSING\n\n',
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'a < b and ' }),
      chunk({ content: 'b > c.' }),
      chunk({}, 'stop'),
      event({ choices: [], usage: { total_tokens: 3 } }),
      done,
    ].join('')
    expect(rewrite([sse])).toBe(sse)
  })

  it('a last event without its blank line is passed on', () => {
    const sse = `${first}${chunk({ content: 'a' }, 'stop')}data: [DONE]`
    expect(rewrite([sse])).toBe(sse)
  })

  it('a comment between the lines of an event is passed on once', () => {
    const sse = rewrite([`event: x\n: ping\ndata: {"choices":[]}\n\n`])
    expect(sse.match(/ping/g)).toHaveLength(1)
    expect(dataOf(sse)).toEqual(['{"choices":[]}'])
  })

  it('what is not JSON is passed on with a warning that names the event', () => {
    const warnings: string[] = []
    const sse = `${first}data: <html>\n\n${chunk({ content: 'b' }, 'stop')}${done}`
    expect(rewrite([sse], { onWarning: (message) => warnings.push(message) })).toBe(sse)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('event 2')
  })

  it('an explicit standard format reads no calls', () => {
    const sse = first + chunk({ content: oneCall }, 'stop') + done
    expect(rewrite([sse], { parser: { format: 'standard' } })).toBe(sse)
  })

  it('unknown options fail before anything is sent', () => {
    expect(() => rewriter({ parser: { format: 'kimi', limits: { toolCallBytes: 0 } } })).toThrow(
      DragomanError,
    )
  })
})

describe('a choice whose first delta has no role', () => {
  it('gets one there, and all else stays as it came', () => {
    const repairs: string[] = []
    const [came, ...later] = [
      chunk({ content: 'a', odd: 1 }, null, { provider: 'P' }),
      chunk({ content: 'b' }),
      chunk({ content: 'c' }),
      chunk({}, 'stop'),
      done,
    ]
    const sse = rewrite([came, ...later], { onRecord: ({ code }) => repairs.push(code) })
    const expected = chunk({ content: 'a', odd: 1, role: 'assistant' }, null, { provider: 'P' })
    expect(sse).toBe([expected, ...later].join(''))
    expect(repairs).toEqual(['filled-field'])
  })

  it('gets one where it is null', () => {
    const sse = rewrite([chunk({ role: null, content: 'a' }), done])
    expect(chunksOf(sse)).toMatchObject([{ choices: [{ delta: { role: 'assistant', content: 'a' } }] }])
  })

  it('gets one where its text is held back', () => {
    const stream = rewriter()
    expect(chunksOf(stream.push(chunk({ content: '<|tool_calls' })).join(''))).toMatchObject([
      { choices: [{ delta: { role: 'assistant', content: '' } }] },
    ])
  })

  it('gets one behind a chunk without a delta', () => {
    const filter = event({ choices: [{ index: 0, content_filter_results: {} }] })
    const sse = rewrite([filter, chunk({ content: 'a' }), chunk({ content: 'b' }), done])
    expect(sse.startsWith(filter)).toBe(true)
    expect(sse.match(/"role":"assistant"/g)).toHaveLength(1)
  })

  it('gets one of several by itself', () => {
    const sse = rewrite([first, choicePart(1, 'b'), choicePart(0, 'a'), choicePart(1, 'c'), done])
    const roles = chunksOf(sse).map((sent) => JSON.stringify(sent).includes('"role"'))
    expect(roles).toEqual([true, true, false, false])
  })

  it('has one whatever comes first', () => {
    const pieces = [
      choicePart(0, 'a'),
      choicePart(1, oneCall),
      chunk({ reasoning: 'hm' }),
      structured({ function: { name: 'f' } }),
      event({ choices: [] }),
    ]
    fc.assert(
      fc.property(fc.shuffledSubarray(pieces), fc.boolean(), (kept, isStrict) => {
        const sse = rewrite([...kept, chunk({}, 'stop'), done], { faults: isStrict ? 'fail' : 'pass' })
        const seen = new Set<unknown>()
        for (const sent of chunksOf(sse).flatMap(choicesOf)) {
          if (!seen.has(sent.index)) expect(sent.delta).toHaveProperty('role', 'assistant')
          seen.add(sent.index)
        }
      }),
    )
  })
})

describe('calls in the text', () => {
  it('become a header chunk, argument deltas and the finish reason tool_calls', () => {
    const sse = rewrite([chunk({ content: `Sure.${oneCall}` }), chunk({}, 'stop'), done])
    expect(chunksOf(sse)).toMatchObject([
      { choices: [{ delta: { content: 'Sure.' }, finish_reason: null }] },
      {
        choices: [
          {
            delta: {
              tool_calls: [
                {
                  index: 0,
                  id: 'call_kimi_n0',
                  type: 'function',
                  function: { name: 'get_time', arguments: '' },
                },
              ],
            },
          },
        ],
      },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{"zone":"UTC"}' } }] } }] },
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    ])
    expect(sse.endsWith(done)).toBe(true)
  })

  it('are numbered through, each with an id of its own', () => {
    const text = `${section}${call('a', '{}', 0)}${call('b', '{"x":[1]}', 1)}${sectionEnd}`
    const { calls, finishReasons } = firstChoice(rewrite([chunk({ content: text }, 'stop'), done]))
    expect(calls).toEqual([
      { id: 'call_kimi_n0', type: 'function', name: 'a', arguments: '{}' },
      { id: 'call_kimi_n1', type: 'function', name: 'b', arguments: '{"x":[1]}' },
    ])
    expect(finishReasons).toEqual(['tool_calls'])
  })

  it('keep every other field of chunk, choice and delta', () => {
    const came = {
      id: 'x',
      provider: 'P',
      secret: { deep: [1] },
      choices: [
        {
          index: 0,
          delta: { role: 'assistant', odd: 1, content: oneCall },
          logprobs: { content: [] },
          odd: 2,
        },
      ],
    }
    const [changed, ...later] = chunksOf(rewrite([event(came), chunk({}, 'stop')]))
    expect(changed).toMatchObject({
      id: 'x',
      provider: 'P',
      secret: { deep: [1] },
      choices: [{ odd: 2, logprobs: { content: [] }, delta: { role: 'assistant', odd: 1 } }],
    })
    expect(later[0]).toMatchObject({ id: 'x', choices: [{ odd: 2, logprobs: null }] })
    expect(JSON.stringify(later)).not.toContain('"role"')
  })

  it('leave the usage of a split chunk to its last part', () => {
    const usage = { total_tokens: 9 }
    const sse = rewrite([chunk({ content: `Hi${oneCall}` }, 'stop', { usage }), done])
    const counted = chunksOf(sse).map((sent) => JSON.stringify(sent).includes('total_tokens'))
    expect(counted.filter(Boolean)).toHaveLength(1)
    expect(counted.at(-1)).toBe(true)
  })

  it('a chunk whose text is held back is left out, unless it says more', () => {
    const stream = rewriter()
    stream.push(first)
    expect(stream.push(chunk({ content: '<|tool_calls' }))).toEqual([])
    expect(chunksOf(stream.push(chunk({ role: 'assistant', content: '_section' })).join(''))).toMatchObject([
      { choices: [{ delta: { role: 'assistant', content: '' } }] },
    ])
  })

  it('an id seen in the stream or the conversation is not minted again', () => {
    const conversationIds = new Set(['call_kimi_n0'])
    const { calls } = firstChoice(rewrite([chunk({ content: oneCall }, 'stop')], { conversationIds }))
    expect(calls[0]?.id).toBe('call_kimi_n1')
  })

  it('calls inside the reasoning field are calls, and the field keeps its name', () => {
    const sse = rewrite([chunk({ reasoning: `Look it up.${oneCall}` }), chunk({}, 'stop'), done])
    expect(chunksOf(sse)[0]).toMatchObject({ choices: [{ delta: { reasoning: 'Look it up.' } }] })
    expect(firstChoice(sse)).toMatchObject({
      reasoning: 'Look it up.',
      content: '',
      calls: [{ name: 'get_time' }],
      finishReasons: ['tool_calls'],
    })
  })

  it('reasoning written in the content goes to reasoning_content', () => {
    const sse = rewrite([chunk({ content: '<think>hm</think>Yes.' }), chunk({}, 'stop'), done])
    expect(chunksOf(sse)[0]).toMatchObject({ choices: [{ delta: { reasoning_content: 'hm' } }] })
    expect(firstChoice(sse)).toMatchObject({ reasoning: 'hm', content: 'Yes.', finishReasons: ['stop'] })
  })

  it('reasoning written in the content goes to the field that the stream uses', () => {
    const sse = rewrite([chunk({ reasoning_text: 'a' }), chunk({ content: '<think>b</think>c' }, 'stop')])
    expect(JSON.stringify(chunksOf(sse))).not.toContain('reasoning_content')
    expect(firstChoice(sse).reasoning).toBe('ab')
  })
})

describe('the end of a choice', () => {
  it('held text is sent before the finish reason, which stays as it came', () => {
    const finish = chunk({}, 'stop')
    const sse = rewrite([chunk({ content: 'a <|tool_ca' }), finish, done])
    expect(firstChoice(sse)).toMatchObject({ content: 'a <|tool_ca', finishReasons: ['stop'] })
    expect(sse.endsWith(finish + done)).toBe(true)
  })

  it('a repeated finish reason is told once', () => {
    const sse = rewrite([
      chunk({ content: oneCall }, 'stop'),
      chunk({ content: '' }, 'stop', { usage: {} }),
      done,
    ])
    expect(firstChoice(sse).finishReasons).toEqual(['tool_calls'])
  })

  it('the name of a structured call loses the tokens that a server left in it', () => {
    const given = {
      index: 0,
      id: 'a',
      type: 'function',
      function: { name: 'read<|channel|>commentary', arguments: '{}' },
    }
    const warnings: string[] = []
    const sse = rewrite([chunk({ tool_calls: [given] }), chunk({}, 'tool_calls'), done], {
      onWarning: (message) => warnings.push(message),
    })
    expect(firstChoice(sse).calls).toMatchObject([{ name: 'read' }])
    expect(warnings).toHaveLength(1)
  })

  it('text after the finish reason is passed on', () => {
    const late = chunk({ content: 'late' })
    expect(rewrite([chunk({}, 'stop'), late, done])).toContain(late)
  })

  it('length stays length, and a cut call is not completed', () => {
    const cut = `${section}<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":"b`
    const stream = assembleChat(rewrite([chunk({ content: cut }), chunk({}, 'length'), done]))
    expect(stream).toMatchObject({ error: undefined, isDone: true })
    expect(stream.choices[0]).toMatchObject({ calls: [{ arguments: '{"a":"b' }], finishReasons: ['length'] })
  })

  it('length stays length beside calls that are complete', () => {
    const stream = rewrite([chunk({ content: oneCall }), chunk({}, 'length'), done])
    expect(firstChoice(stream).finishReasons).toEqual(['length'])
  })

  for (const [how, ends] of [
    ['stop', [chunk({}, 'stop'), done]],
    ['a finish reason of tool_calls', [chunk({}, 'tool_calls'), done]],
    ['[DONE] alone', [done]],
    ['nothing', []],
  ] as const) {
    it(`a cut call before ${how} ends as an error, with no success after it`, () => {
      const cut = `${section}<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":"b`
      const sse = rewrite([chunk({ content: cut }), ...ends])
      const stream = assembleChat(sse)
      expect(stream).toMatchObject({
        isDone: false,
        error: { type: 'upstream_error', param: null, code: 'incomplete_tool_call' },
      })
      expect(stream.choices[0]?.finishReasons).toEqual([])
      expect(dataOf(sse).at(-1)).toContain('"error"')
    })
  }

  it('[DONE] without a finish reason ends complete calls as tool_calls', () => {
    const sse = rewrite([chunk({ content: oneCall }), done])
    expect(firstChoice(sse).finishReasons).toEqual(['tool_calls'])
    expect(sse.endsWith(done)).toBe(true)
  })

  it('[DONE] without a finish reason makes up none for a text', () => {
    const sse = rewrite([chunk({ content: 'a <' }), done])
    expect(firstChoice(sse)).toMatchObject({ content: 'a <', finishReasons: [] })
    expect(chunksOf(sse)[1]).toMatchObject({ id: 'chatcmpl-1', model: 'kimi-k2' })
  })

  it('a stream that just ends gives out what was held, and no finish reason', () => {
    const sse = rewrite([`${chunk({ content: `Hi${oneCall}` })}${chunk({ content: 'a <' }).trimEnd()}`])
    expect(firstChoice(sse)).toMatchObject({ calls: [{ name: 'get_time' }], finishReasons: [] })
    expect(firstChoice(sse).content.trim()).toMatch(/^Hi.*a <$/s)
  })

  it('what was held is sent before an error of the upstream, and nothing after it', () => {
    const error = event({ error: { message: 'boom', type: 'server_error', code: 'x' } })
    const sse = rewrite([chunk({ content: 'a <' }), error, chunk({ content: 'b' }), done])
    expect(sse.endsWith(error)).toBe(true)
    expect(firstChoice(sse).content).toBe('a <')
  })

  it('with delivery complete, arguments that are not JSON end as an error', () => {
    const text = `${section}${call('f', '{"a":}')}${sectionEnd}`
    const stream = assembleChat(
      rewrite([chunk({ content: text }, 'stop'), done], { parser: { format: 'kimi', delivery: 'complete' } }),
    )
    expect(stream).toMatchObject({ isDone: false, error: { code: 'invalid_tool_arguments' } })
    expect(stream.choices[0]?.calls).toEqual([])
  })
})

describe('several choices', () => {
  it('each has its own parser and its own numbering', () => {
    const half = oneCall.length / 2
    const sse = rewrite([
      choicePart(0, oneCall.slice(0, half)),
      choicePart(1, 'plain '),
      choicePart(0, oneCall.slice(half)),
      choicePart(1, 'text'),
      choicePart(0, '', 'stop'),
      choicePart(1, '', 'stop'),
      done,
    ])
    const { choices } = assembleChat(sse)
    expect(choices[0]).toMatchObject({
      content: '',
      calls: [{ name: 'get_time' }],
      finishReasons: ['tool_calls'],
    })
    expect(choices[1]).toMatchObject({ content: 'plain text', calls: [], finishReasons: ['stop'] })
  })

  it('two choices in one chunk are written apart where one of them changes', () => {
    const sse = rewrite([
      event({
        usage: { total_tokens: 1 },
        choices: [
          { index: 0, delta: { content: oneCall }, finish_reason: 'stop' },
          { index: 1, delta: { content: 'b' }, finish_reason: 'stop' },
        ],
      }),
      done,
    ])
    const { choices } = assembleChat(sse)
    expect(choices[0]?.finishReasons).toEqual(['tool_calls'])
    expect(choices[1]).toMatchObject({ content: 'b', finishReasons: ['stop'] })
    expect(sse.match(/total_tokens/g)).toHaveLength(1)
  })
})

describe('structured calls', () => {
  it('complete ones are passed on byte for byte', () => {
    const sse = [
      first,
      structured({ index: 0, id: 'call_x', type: 'function', function: { name: 'f', arguments: '' } }),
      structured({ index: 0, function: { arguments: '{"a"' } }),
      structured({ index: 0, function: { arguments: ':1}' } }),
      chunk({}, 'tool_calls'),
      done,
    ].join('')
    expect(rewrite([sse])).toBe(sse)
  })

  it('index, id and type are filled in where they are missing', () => {
    const sse = rewrite([
      structured(
        { function: { name: 'f', arguments: '{}' } },
        { id: '', function: { name: 'g', arguments: '{' } },
      ),
      structured({ function: { arguments: '}' } }),
      chunk({}, 'tool_calls'),
    ])
    expect(firstChoice(sse).calls).toEqual([
      { id: 'call_std_n0', type: 'function', name: 'f', arguments: '{}' },
      { id: 'call_std_n1', type: 'function', name: 'g', arguments: '{}' },
    ])
  })

  it('arguments that are an object become text, and missing ones {}', () => {
    const sse = rewrite([
      structured({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: { x: [1] } } }),
      structured({ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: null } }),
      structured({ index: 2, id: 'c', type: 'function', function: { name: 'h' } }),
      chunk({}, 'tool_calls'),
    ])
    expect(firstChoice(sse).calls.map((made) => made.arguments)).toEqual(['{"x":[1]}', '{}', '{}'])
  })

  it('calls that all have the index 0 are told apart by id and name', () => {
    const sse = rewrite([
      structured({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }),
      structured({ index: 0, id: 'b', type: 'function', function: { name: 'g', arguments: '{' } }),
      structured({ index: 0, id: 'b', function: { arguments: '}' } }),
      chunk({}, 'tool_calls'),
    ])
    expect(firstChoice(sse).calls).toMatchObject([
      { id: 'a', name: 'f', arguments: '{"x":1}' },
      { id: 'b', name: 'g', arguments: '{}' },
    ])
  })

  it('a call keeps its first id, whatever ids its later deltas have', () => {
    const sse = rewrite([
      structured({ index: 0, type: 'function', function: { name: 'f', arguments: '' } }),
      structured({ index: 0, id: 'first', function: { arguments: '{"a":' } }),
      structured({ index: 0, id: 'late', function: { arguments: '1}' } }),
      chunk({}, 'tool_calls'),
    ])
    expect(sse).not.toContain('late')
    expect(firstChoice(sse).calls).toMatchObject([{ id: 'first', arguments: '{"a":1}' }])
  })

  it('a call waits for its name: the first delta that a client gets has it', () => {
    const sse = rewrite([
      first,
      structured({ index: 0, id: 'a', type: 'function', function: { arguments: '' } }),
      structured({ index: 0, function: { arguments: '{"x"' } }),
      structured({ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } }),
      structured({ index: 0, function: { name: 'f', arguments: ':' } }),
      structured({ index: 0, function: { arguments: '1}' } }),
      chunk({}, 'tool_calls'),
      done,
    ])
    const [, named] = chunksOf(sse)
    expect(named).toMatchObject({
      choices: [
        {
          delta: {
            tool_calls: [
              { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":' } },
            ],
          },
        },
      ],
    })
    expect(firstChoice(sse)).toMatchObject({
      calls: [
        { id: 'a', name: 'f', arguments: '{"x":1}' },
        { id: 'b', name: 'g', arguments: '{}' },
      ],
      finishReasons: ['tool_calls'],
    })
  })

  it('what comes beside a call that waits is sent at once', () => {
    const sse = rewrite([
      chunk({ role: 'assistant', content: 'Hm. ', tool_calls: [{ index: 0, id: 'a', function: {} }] }),
      structured({ index: 0, function: { name: 'f', arguments: '{}' } }),
      chunk({}, 'tool_calls'),
    ])
    expect(chunksOf(sse)[0]).toMatchObject({
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hm. ' }, finish_reason: null }],
    })
    expect(firstChoice(sse).calls).toMatchObject([{ id: 'a', name: 'f', arguments: '{}' }])
  })

  it('a function_call waits for its name too', () => {
    const sse = rewrite([
      first,
      chunk({ function_call: { arguments: '{"a":' } }),
      chunk({ function_call: { name: 'f', arguments: '1}' } }),
      chunk({}, 'function_call'),
    ])
    expect(chunksOf(sse)).toHaveLength(3)
    expect(firstChoice(sse).calls).toMatchObject([{ type: 'function', name: 'f', arguments: '{"a":1}' }])
  })

  it('a call whose name never comes fails the answer, and no call is promised', () => {
    const problems: string[] = []
    const sse = rewrite(
      [
        first,
        structured({ index: 0, id: 'a', function: { arguments: '{"x":1}' } }),
        chunk({}, 'tool_calls'),
        done,
      ],
      { onRecord: (record) => problems.push(record.code) },
    )
    expect(assembleChat(sse)).toMatchObject({ error: { code: 'nameless_tool_call' }, isDone: false })
    expect(firstChoice(sse)).toMatchObject({ calls: [], finishReasons: [] })
    expect(problems).toEqual(['unresolved-name'])
  })

  it('calls that are of no function are passed on byte for byte', () => {
    const sse = [
      first,
      structured({ index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: '' } }),
      structured({ index: 0, custom: { input: 'select 1' } }),
      chunk({}, 'tool_calls'),
      done,
    ].join('')
    expect(rewrite([sse])).toBe(sse)
  })

  it('calls that are of no function are numbered behind the function that they wait for', () => {
    const sse = rewrite([
      first,
      structured({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":' } }),
      structured({ index: 1, id: 'b', type: 'custom', custom: { name: 'sql', input: 'select 1' } }),
      structured({ index: 0, function: { arguments: '1}' } }),
      chunk({}, 'tool_calls'),
      done,
    ])
    const deltas = chunksOf(sse).flatMap(choicesOf)
    const called = deltas.flatMap(({ delta }) => (isRecord(delta) ? delta['tool_calls'] : undefined))
    expect(called.filter((each) => each !== undefined)).toMatchObject([
      { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":' } },
      { index: 0, function: { arguments: '1}' } },
      { index: 1, id: 'b', type: 'custom', custom: { name: 'sql', input: 'select 1' } },
    ])
  })

  it('a name that comes with every delta is sent once', () => {
    const names: string[] = []
    const pieces = ['', '{"x":', '1}'].map((json) =>
      structured({ index: 0, id: 'a', function: { name: 'f', arguments: json } }),
    )
    const sse = rewrite([...pieces, chunk({}, 'tool_calls')], {
      onCall: (name) => names.push(name),
    })
    expect(sse.match(/"name"/g)).toHaveLength(1)
    expect(firstChoice(sse).calls).toMatchObject([{ id: 'a', name: 'f', arguments: '{"x":1}' }])
    expect(names).toEqual(['f'])
  })

  it('arguments without end that wait for a name end the stream with an error', () => {
    const piece = structured({ index: 0, id: 'a', function: { arguments: 'x'.repeat(100_000) } })
    const stream = assembleChat(rewrite(Array.from({ length: 50 }, () => piece)))
    expect(stream).toMatchObject({ error: { code: 'tool_call_too_large' }, isDone: false })
  })

  it('two calls with one id leave with two', () => {
    const entry = { id: 'same', type: 'function', function: { name: 'f', arguments: '{}' } }
    const { calls } = firstChoice(
      rewrite([
        structured({ ...entry, index: 0 }),
        structured({ ...entry, index: 1 }),
        chunk({}, 'tool_calls'),
      ]),
    )
    expect(calls.map(({ id }) => id)).toEqual(['same', 'call_std_n0'])
  })

  it('a function_call becomes one tool call with one id', () => {
    const sse = rewrite([
      chunk({ role: 'assistant', content: null, function_call: { name: 'f', arguments: '' } }),
      chunk({ function_call: { arguments: '{"a":' } }),
      chunk({ function_call: { arguments: '1}' } }),
      chunk({}, 'function_call'),
      done,
    ])
    expect(sse).not.toContain('function_call"')
    expect(firstChoice(sse)).toMatchObject({
      calls: [{ id: 'call_std_n0', type: 'function', name: 'f', arguments: '{"a":1}' }],
      finishReasons: ['tool_calls'],
    })
  })

  it('after a structured call, markup in the text is removed, and that is recorded', () => {
    const { sse, repairs } = recorded([
      structured({
        index: 0,
        id: 'a',
        type: 'function',
        function: { name: 'get_time', arguments: '{"zone":"UTC"}' },
      }),
      chunk({ content: `Done.${oneCall}` }),
      chunk({}, 'tool_calls'),
    ])
    expect(repairs).toEqual(['residue'])
    expect(firstChoice(sse)).toMatchObject({
      content: 'Done.',
      calls: [{ id: 'a' }],
      finishReasons: ['tool_calls'],
    })
    expect(firstChoice(sse).calls).toHaveLength(1)
  })

  it('after a call in the text, a structured call that repeats it is dropped, and that alone is recorded', () => {
    const { sse, repairs } = recorded([
      chunk({ content: oneCall }),
      structured({ function: { name: 'get_time', arguments: '{ "zone"' } }),
      structured({ function: { arguments: ': "UTC" }' } }),
      chunk({}, 'tool_calls'),
    ])
    expect(firstChoice(sse).calls).toMatchObject([{ id: 'call_kimi_n0', name: 'get_time' }])
    expect(repairs).toEqual(['repeated-call'])
  })

  it.each([
    [
      'a missing index',
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
      'filled-field',
    ],
    [
      'a missing id',
      { index: 0, type: 'function', function: { name: 'f', arguments: '{}' } },
      'filled-field',
    ],
    ['a missing type', { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }, 'filled-field'],
    [
      'arguments that are an object',
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: { x: 1 } } },
      'encoded-arguments',
    ],
    [
      'arguments that are null',
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: null } },
      'empty-arguments',
    ],
  ])('%s is recorded once, also behind a call in the text', (_what, entry, code) => {
    const more = { ...entry, id: undefined, type: undefined, function: { arguments: '' } }
    const pieces = [structured(entry), structured(more), structured(more), chunk({}, 'tool_calls'), done]
    expect(recorded(pieces).repairs).toEqual([code])
    expect(recorded([chunk({ content: oneCall }), ...pieces]).repairs).toEqual([code])
  })

  it('calls in which nothing changes are not recorded', () => {
    const entry = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
    expect(recorded([structured(entry), chunk({}, 'tool_calls'), done]).repairs).toEqual([])
  })

  it('after a call in the text, another structured call is sent with the next index', () => {
    const sse = rewrite([
      chunk({ content: oneCall }),
      structured({
        index: 0,
        id: 'a',
        type: 'function',
        odd: 1,
        function: { name: 'g', arguments: '{"x":' },
      }),
      structured({ index: 0, function: { arguments: '2}' } }),
      chunk({}, 'stop'),
    ])
    expect(firstChoice(sse)).toMatchObject({
      calls: [{ name: 'get_time' }, { id: 'a', type: 'function', name: 'g', arguments: '{"x":2}' }],
      finishReasons: ['tool_calls'],
    })
    expect(sse).toContain('"odd":1')
  })
})

describe('however the stream is cut', () => {
  const answer = `<think>Größe 🙂</think>Text <b> ${section}${call('a', '{"x":"é😀"}')}${call('b', '{}', 1)}${sectionEnd}`
  const stream = [
    ': ping\r\n\r\n',
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: answer.slice(0, 40) }),
    chunk({ content: answer.slice(40, 90) }).replaceAll('\n', '\r\n'),
    'data: not json\n\n',
    chunk({ content: answer.slice(90) }),
    chunk({}, 'stop'),
    event({ choices: [], usage: { total_tokens: 3 } }),
    done,
  ].join('')
  const bytes = new TextEncoder().encode(stream)

  it('in its bytes, the output is the same', () => {
    const whole = rewrite([bytes])
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 60 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const pieces = at.slice(1).map((end, n) => bytes.subarray(at[n], end))
        expect(rewrite(pieces)).toBe(whole)
      }),
    )
    expect(rewrite(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toBe(whole)
  })

  it('in its deltas, the message is the same', () => {
    const split = (cuts: readonly number[]): string => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), answer.length]
      const deltas = at.slice(1).map((end, n) => chunk({ content: answer.slice(at[n], end) }))
      return rewrite([...deltas, chunk({}, 'stop'), done])
    }
    const whole = assembleChat(split([]))
    expect(whole.choices[0]).toMatchObject({
      reasoning: 'Größe 🙂',
      calls: [{ name: 'a', arguments: '{"x":"é😀"}' }, { name: 'b' }],
      finishReasons: ['tool_calls'],
    })
    fc.assert(
      fc.property(fc.array(fc.nat(answer.length), { maxLength: 60 }), (cuts) => {
        expect(assembleChat(split(cuts))).toEqual(whole)
      }),
    )
    expect(assembleChat(split(Array.from({ length: answer.length }, (_, at) => at)))).toEqual(whole)
  })
})
