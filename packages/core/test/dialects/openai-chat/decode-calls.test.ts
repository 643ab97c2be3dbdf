import { describe, expect, it } from 'vitest'
import { AnswerLog } from '../../answer/answer-log.ts'
import { calls, chunk, countingMint, done } from './upstream.ts'
import { decode, said, stop, toolStop } from './decode-chat.ts'
import { createChatAnswerDecoder } from '../../answer/stages.ts'

describe('structured calls', () => {
  it('stream their arguments and end as tool-calls, whatever the upstream says', () => {
    const pieces = [
      calls({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
      calls({ index: 0, function: { arguments: '{"x"' } }),
      calls({ index: 0, function: { arguments: ': 1e2 }' } }),
      ...stop,
    ]
    expect(said(pieces)).toEqual(['call 0 a f', 'delta 0 {"x": 1e2 }', 'call-end 0', 'finish tool-calls'])
  })

  it('arguments go out before the call is whole', () => {
    const sink = new AnswerLog()
    const decoder = createChatAnswerDecoder({ parser: {}, mint: countingMint(), sink })
    decoder.push(calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":"abc' } }))
    expect(sink.lines.slice(1)).toEqual(['call 0 a f', 'delta 0 {"x":"abc'])
  })

  it('a name loses the tokens that a server left in it', () => {
    const name = 'f<|channel|>commentary'
    expect(said([calls({ index: 0, id: 'a', function: { name, arguments: '{}' } }), ...stop])).toEqual([
      'call 0 a f',
      'delta 0 {}',
      'call-end 0',
      'finish tool-calls',
    ])
  })

  it('without index they are told apart by id and name', () => {
    const pieces = [
      calls({ id: 'a', function: { name: 'f', arguments: '{"x":' } }),
      calls({ function: { arguments: '1}' } }),
      calls({ id: 'b', function: { name: 'g', arguments: '{}' } }),
      ...toolStop,
    ]
    expect(said(pieces)).toEqual([
      'call 0 a f',
      'delta 0 {"x":1}',
      'call-end 0',
      'call 1 b g',
      'delta 1 {}',
      'call-end 1',
      'finish tool-calls',
    ])
  })

  it('all with the index 0 are told apart by id and name', () => {
    const pieces = [
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
      calls({ index: 0, id: 'b', function: { name: 'f', arguments: '{' } }),
      calls({ index: 0, id: 'b', function: { arguments: '}' } }),
      ...toolStop,
    ]
    expect(said(pieces).filter((line) => line.startsWith('call '))).toEqual(['call 0 a f', 'call 1 b f'])
  })

  it('a first index above 0 and gaps are closed up', () => {
    const pieces = [
      calls({ index: 3, id: 'a', function: { name: 'f', arguments: '{}' } }),
      calls({ index: 7, id: 'b', function: { name: 'g', arguments: '{}' } }),
      ...toolStop,
    ]
    expect(said(pieces).filter((line) => line.startsWith('call '))).toEqual(['call 0 a f', 'call 1 b g'])
  })

  it('interleaved ones come one after the other, in the order they began', () => {
    const pieces = [
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }),
      calls({ index: 1, id: 'b', function: { name: 'g', arguments: '{"y"' } }),
      calls({ index: 0, function: { arguments: ':1' } }),
      calls({ index: 1, function: { arguments: ':2}' } }),
      calls({ index: 0, function: { arguments: '}' } }),
      ...toolStop,
    ]
    expect(said(pieces)).toEqual([
      'call 0 a f',
      'delta 0 {"x":1}',
      'call-end 0',
      'call 1 b g',
      'delta 1 {"y":2}',
      'call-end 1',
      'finish tool-calls',
    ])
  })

  it('several in one chunk each keep their own arguments', () => {
    const pieces = [
      calls(
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } },
        { index: 1, id: 'b', function: { name: 'g', arguments: '{"y":2}' } },
      ),
      ...toolStop,
    ]
    expect(said(pieces).filter((line) => line.startsWith('delta'))).toEqual([
      'delta 0 {"x":1}',
      'delta 1 {"y":2}',
    ])
  })

  it('text that comes inside a call waits until the call is whole', () => {
    const pieces = [
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }),
      chunk({ content: 'between' }),
      calls({ index: 0, function: { arguments: ':1}' } }),
      ...toolStop,
    ]
    expect(said(pieces)).toEqual([
      'call 0 a f',
      'delta 0 {"x":1}',
      'call-end 0',
      'text "between"',
      'finish tool-calls',
    ])
  })

  it.each([
    [
      'an id behind the name',
      [
        { index: 0, function: { name: 'f' } },
        { index: 0, id: 'late' },
      ],
      'call 0 late f',
    ],
    [
      'a name behind the id',
      [
        { index: 0, id: 'a' },
        { index: 0, function: { name: 'f' } },
      ],
      'call 0 a f',
    ],
    ['an empty id', [{ index: 0, id: '', function: { name: 'f' } }], 'call 0 toolu_std_n0 f'],
    ['a null id', [{ index: 0, id: null, function: { name: 'f' } }], 'call 0 toolu_std_n0 f'],
    ['no id', [{ index: 0, function: { name: 'f' } }], 'call 0 toolu_std_n0 f'],
    ['an illegal id', [{ index: 0, id: 'f:0', function: { name: 'f' } }], 'call 0 toolu_std_n0 f'],
    [
      "an id in Kimi's form",
      [{ index: 0, id: 'functions.f:0', function: { name: 'f' } }],
      'call 0 toolu_kimi_n0 f',
    ],
    [
      'an id that changes',
      [
        { index: 0, id: 'a', function: { name: 'f' } },
        { index: 0, id: 'b' },
      ],
      'call 0 a f',
    ],
    [
      'an id of the conversation',
      [{ index: 0, id: 'old', function: { name: 'f' } }],
      'call 0 toolu_std_n0 f',
    ],
    [
      'a name with every chunk',
      [
        { index: 0, id: 'a', function: { name: 'f' } },
        { index: 0, id: 'a', function: { name: 'f' } },
      ],
      'call 0 a f',
    ],
    [
      'a name cut in two',
      [
        { index: 0, id: 'a', function: { name: 'get_' } },
        { index: 0, function: { name: 'time' } },
      ],
      'call 0 a get_time',
    ],
  ])('%s gives one call', (_, entries, expected) => {
    const conversationIds = new Set(['old'])
    const pieces = [
      ...entries.map((entry) => calls(entry)),
      calls({ index: 0, function: { arguments: '{}' } }),
    ]
    expect(
      said([...pieces, ...toolStop], { conversationIds }).filter((line) => line.startsWith('call ')),
    ).toEqual([expected])
  })

  it.each([
    ['an object', [{ x: [1] }], '{"x":[1]}'],
    ['null', [null], '{}'],
    ['an empty text', [''], '{}'],
    ['white space', [' \n'], '{}'],
    ['nothing', [undefined], '{}'],
    ['the text null', ['null'], '{}'],
    ['JSON inside a JSON string', ['"{\\"x\\"', ':1}"'], '{"x":1}'],
    ['growing snapshots', ['{', '{"x', '{"x":1', '{"x":1}'], '{"x":1}'],
    ['deltas and then the whole', ['{"x":', '1}', '{"x":1}'], '{"x":1}'],
    ['snapshots that begin inside a string', ['{"x":"a', '{"x":"ab"}'], '{"x":"ab"}'],
    ['a key that begins like the object', ['{"', '{":1}'], '{"{":1}'],
    ['an object that holds one like itself', ['{"x":', '{"x":1}}'], '{"x":{"x":1}}'],
    ['a raw line break in a string', ['{"x":"a', '\nb"}'], '{"x":"a\\nb"}'],
    ['a trailing comma', ['{"x":1,', '}'], '{"x":1}'],
    ['an array', ['[1,', '2]'], '[1,2]'],
  ])('arguments given as %s', (_, given, json) => {
    const [first, ...rest] = given
    const pieces = [
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: first } }),
      ...rest.map((part) => calls({ index: 0, function: { arguments: part } })),
      ...toolStop,
    ]
    expect(said(pieces)).toEqual(['call 0 a f', `delta 0 ${json}`, 'call-end 0', 'finish tool-calls'])
  })

  it('arguments only in the chunk with the finish reason are read', () => {
    const last = chunk({ tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] }, 'tool_calls')
    expect(said([calls({ index: 0, id: 'a', function: { name: 'f' } }), last, done])).toContain(
      'delta 0 {"x":1}',
    )
  })

  it('a function_call is one call', () => {
    const pieces = [
      chunk({ function_call: { name: 'f', arguments: '' } }),
      chunk({ function_call: { arguments: '{"x":' } }),
      chunk({ function_call: { arguments: '1}' } }, 'function_call'),
      done,
    ]
    expect(said(pieces)).toEqual([
      'call 0 toolu_std_n0 f',
      'delta 0 {"x":1}',
      'call-end 0',
      'finish tool-calls',
    ])
  })

  it('arguments that are no JSON fail the answer', () => {
    const pieces = [
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":nope}' } }),
      ...toolStop,
    ]
    expect(said(pieces).at(-1)).toBe('fail upstream invalid_tool_arguments')
  })

  it('arguments without a name fail the answer, with a problem', () => {
    const log = decode([calls({ index: 0, id: 'a', function: { arguments: '{"x":1}' } }), ...stop])
    expect(log.lines.slice(1)).toEqual(['fail upstream nameless_tool_call'])
    expect(log.notes).toEqual(['problem unresolved-name'])
  })

  it('more than the limit may not wait behind an open call', () => {
    const pieces = [
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }),
      calls({ index: 1, id: 'b', function: { name: 'g', arguments: `{"x":"${'y'.repeat(200)}` } }),
    ]
    expect(said(pieces, { parser: { limits: { toolCallBytes: 100 } } }).at(-1)).toBe(
      'fail upstream tool_call_too_large',
    )
  })
})
