import { describe, expect, it } from 'vitest'
import type { ParserOptions } from '../../../src/parser-stage.ts'
import { assembleChat } from './assemble.ts'
import { calls, chunk, countingMint, done, event } from './upstream.ts'
import { decode, readWhole, stop, toolStop } from './decode-chat.ts'
import { createChatStreamRewriter, rewriteChatCompletion } from '../../answer/stages.ts'

const tools = ['get_weather', 'Bash'].map((name) => ({ type: 'function', function: { name } }))
const parser: ParserOptions = { format: 'kimi', tools }
const role = chunk({ role: 'assistant', content: '' })

interface Passed {
  readonly sse: string
  readonly calls: readonly string[]
  readonly content: string
  readonly finish: readonly (string | null)[]
  readonly records: readonly string[]
  readonly code: string | null
}

/** What a client of the upstream's own dialect gets. */
function pass(pieces: readonly string[], more: ParserOptions = {}): Passed {
  const records: string[] = []
  const rewriter = createChatStreamRewriter({
    parser: { ...parser, ...more },
    mint: countingMint('openai-chat'),
    faults: 'fail',
    onRecord: ({ code }) => records.push(code),
  })
  const sse = [...[role, ...pieces].flatMap((piece) => rewriter.push(piece)), ...rewriter.end()].join('')
  const choice = assembleChat(sse).choices[0]
  return {
    sse,
    calls: choice?.calls.map((made) => `${made.name} ${made.arguments}`) ?? [],
    content: choice?.content ?? '',
    finish: choice?.finishReasons ?? [],
    records,
    code: rewriter.failure?.code ?? null,
  }
}

/** What a client of the other dialect gets. */
function translate(pieces: readonly string[]): { calls: string[]; lines: string[]; notes: string[] } {
  const { lines, notes } = decode([role, ...pieces], { parser })
  return { calls: madeIn(lines), lines: lines.slice(1), notes }
}

function madeIn(lines: readonly string[]): string[] {
  const made: string[] = []
  for (const line of lines) {
    const [word, , ...rest] = line.split(' ')
    if (word === 'call') made.push(`${rest[1] ?? ''} `)
    if (word === 'delta') made.push(`${made.pop() ?? ''}${rest.join(' ')}`)
  }
  return made
}

const fn = (name: string, json: unknown, more: object = {}) => ({
  index: 0,
  type: 'function',
  function: { name, arguments: json },
  ...more,
})

function said(delta: unknown, message: unknown, finish: string | null = null): string {
  return event({ choices: [{ index: 0, delta, message, finish_reason: finish }] })
}

const ls = '{"command":"ls"}'
const two = ['Bash {"command":"ls"}', 'get_weather {"city":"P"}']

describe('calls that all have the index 0 and no id', () => {
  it.each([
    ['none', {}],
    ['an empty one', { id: '' }],
  ])('are told apart by the name behind whole arguments (%s)', (_, more) => {
    const entries = [fn('Bash', ls, more), fn('get_weather', '{"city":"P"}', more)]
    for (const pieces of [entries.map((entry) => calls(entry)), [calls(...entries)]]) {
      const translated = translate([...pieces, ...toolStop])
      expect(translated.calls).toEqual(two)
      expect(translated.notes).toEqual(['repair filled-field'])
      const passed = pass([...pieces, ...toolStop])
      expect(passed.calls).toEqual(two)
      expect(passed.records).toContain('filled-field')
    }
  })

  it('are told apart in a whole answer too', () => {
    const message = { role: 'assistant', tool_calls: [fn('Bash', ls), fn('get_weather', '{"city":"P"}')] }
    const body = { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
    expect(madeIn(readWhole(body, { parser }).lines)).toEqual(two)
    const sent = rewriteChatCompletion(body, { parser, mint: countingMint('openai-chat') })
    expect(sent.body).toMatchObject({
      choices: [
        { message: { tool_calls: [{ function: { name: 'Bash' } }, { function: { name: 'get_weather' } }] } },
      ],
    })
  })

  it('are two where one tool is called twice', () => {
    const pieces = [calls(fn('Bash', ls)), calls(fn('Bash', '{"command":"pwd"}')), ...toolStop]
    const both = ['Bash {"command":"ls"}', 'Bash {"command":"pwd"}']
    expect(translate(pieces).calls).toEqual(both)
    expect(pass(pieces).calls).toEqual(both)
  })

  it.each([
    ['a name with each piece', [fn('Bash', '{"command":'), fn('Bash', '"}{"'), fn('Bash', '}')]],
    ['a name once more behind the arguments', [fn('Bash', '{"command":"}{"}'), fn('Bash', '')]],
    ['all of it once more', [fn('Bash', '{"command":"}{"}'), fn('Bash', '{"command":"}{"}')]],
  ])('are one with %s', (_, entries) => {
    const pieces = [...entries.map((entry) => calls(entry)), ...toolStop]
    expect(translate(pieces).calls).toEqual(['Bash {"command":"}{"}'])
    expect(pass(pieces).calls).toEqual(['Bash {"command":"}{"}'])
  })
})

describe('text behind the arguments of a structured call', () => {
  it.each([
    ['a second object', `${ls}{"command":"pwd"}`, '{"command":"pwd"}'],
    ['prose', `${ls} and then done`, 'and then done'],
  ])('%s is text behind the call, with a problem', (_, json, text) => {
    for (const cut of [json.length, ls.length, ls.length + 3]) {
      const pieces = [
        calls(fn('Bash', json.slice(0, cut), { id: 'a' })),
        calls({ index: 0, function: { arguments: json.slice(cut) } }),
        ...toolStop,
      ]
      const { lines, notes } = translate(pieces)
      expect(lines).toEqual([
        'call 0 a Bash',
        `delta 0 ${ls}`,
        'call-end 0',
        `text ${JSON.stringify(text)}`,
        'finish tool-calls',
      ])
      expect(notes).toEqual(['problem stray-text'])
      const passed = pass(pieces)
      expect(passed).toMatchObject({ calls: [`Bash ${ls}`], content: text, finish: ['tool_calls'] })
      expect(passed.records).toEqual(['stray-text'])
    }
  })

  it.each([
    ['a bracket too many', '}', 'surplus-closer'],
    ['a tag that closes the call', '</tool_call>', 'residue'],
  ])('%s is removed, and that is recorded', (_, rest, code) => {
    const pieces = [calls(fn('Bash', ls + rest, { id: 'a' })), ...toolStop]
    expect(translate(pieces)).toMatchObject({ calls: [`Bash ${ls}`], notes: [`repair ${code}`] })
    expect(pass(pieces)).toMatchObject({ calls: [`Bash ${ls}`], content: '', records: [code] })
  })

  it('which says the arguments once more says nothing', () => {
    const long = JSON.stringify({ command: 'x'.repeat(9000) })
    for (const json of [ls, long]) {
      const pieces = [calls(fn('Bash', json, { id: 'a' })), calls(fn('Bash', json, { id: 'a' })), ...toolStop]
      expect(translate(pieces)).toMatchObject({ calls: [`Bash ${json}`], notes: [] })
      expect(pass(pieces)).toMatchObject({ calls: [`Bash ${json}`], content: '', records: [] })
    }
  })

  it('counts as held', () => {
    const pieces = [calls(fn('Bash', ls, { id: 'a' })), calls(fn('', 'y'.repeat(5_000_000)))]
    expect(pass([...pieces, ...toolStop]).code).toBe('tool_call_too_large')
    expect(translate([...pieces, ...toolStop]).lines.at(-1)).toBe('fail upstream tool_call_too_large')
  })
})

describe('an object without members before the arguments', () => {
  it('gives way to them', () => {
    const pieces = [
      calls(fn('Bash', {}, { id: 'a' })),
      calls(fn('Bash', { command: 'ls' }, { id: 'a' })),
      ...toolStop,
    ]
    expect(translate(pieces).calls).toEqual([`Bash ${ls}`])
    expect(pass(pieces).calls).toEqual([`Bash ${ls}`])
  })

  it('gives way to them as text', () => {
    expect(translate([calls(fn('Bash', `{}${ls}`, { id: 'a' })), ...toolStop]).calls).toEqual([`Bash ${ls}`])
    const apart = [
      calls(fn('Bash', '{}', { id: 'a' })),
      calls({ index: 0, function: { arguments: ls } }),
      ...toolStop,
    ]
    expect(translate(apart)).toMatchObject({ calls: [`Bash ${ls}`], notes: [] })
  })

  it('stands where nothing follows', () => {
    const pieces = [
      calls(fn('Bash', '{}', { id: 'a' })),
      calls(fn('Bash', ls, { index: 1, id: 'b' })),
      ...toolStop,
    ]
    expect(translate(pieces).calls).toEqual(['Bash {}', `Bash ${ls}`])
    expect(pass(pieces).sse).toBe([role, ...pieces].join(''))
  })
})

describe('a structured call that is cut, for a client of the same dialect', () => {
  const half = calls(fn('Bash', '{"comm', { id: 'a' }))

  it.each(['tool_calls', 'stop', 'content_filter'])('fails with the finish reason %s', (reason) => {
    const { sse, code } = pass([half, chunk({}, reason), done])
    expect(code).toBe('incomplete_tool_call')
    expect(sse).not.toContain('[DONE]')
    expect(sse).not.toContain('"finish_reason":"')
  })

  it('fails in a whole answer', () => {
    const message = { role: 'assistant', tool_calls: [fn('Bash', '{"comm', { id: 'a' })] }
    const read = (finish_reason: string) =>
      rewriteChatCompletion(
        { choices: [{ index: 0, message, finish_reason }] },
        { parser, mint: countingMint('openai-chat'), faults: 'fail' },
      ).failure?.code
    expect(read('tool_calls')).toBe('incomplete_tool_call')
    expect(read('length')).toBeUndefined()
  })

  it('stays cut where the length cut it', () => {
    const pieces = [half, chunk({}, 'length'), done]
    expect(pass(pieces)).toMatchObject({ sse: [role, ...pieces].join(''), code: null })
    const named = [calls(fn('Bash', '', { id: 'a' })), chunk({}, 'length'), done]
    expect(pass(named).sse).toBe([role, ...named].join(''))
  })

  it('fails where it is not the last that the length cut', () => {
    const pieces = [half, calls(fn('Bash', ls, { index: 1, id: 'b' })), chunk({}, 'length'), done]
    expect(pass(pieces).code).toBe('incomplete_tool_call')
  })

  it('fails where it is no JSON', () => {
    const pieces = [calls(fn('Bash', '{oops}', { id: 'a' })), ...toolStop]
    expect(pass(pieces).code).toBe('invalid_tool_arguments')
    expect(pass(pieces, { delivery: 'complete' }).code).toBe('invalid_tool_arguments')
  })
})

describe('structured calls for a client of the same dialect', () => {
  it('are numbered from 0 without gaps', () => {
    const pieces = [
      calls(fn('Bash', '{', { index: 1, id: 'a' })),
      calls({ index: 1, function: { arguments: '}' } }),
      calls(fn('Bash', ls, { index: 3, id: 'b' })),
      ...toolStop,
    ]
    const { sse, calls: made, records } = pass(pieces)
    expect(made).toEqual(['Bash {}', `Bash ${ls}`])
    expect([...sse.matchAll(/"tool_calls":\[\{"index":(\d)/g)].map(([, index]) => index)).toEqual([
      '0',
      '0',
      '1',
    ])
    expect(records).toEqual(['filled-field', 'filled-field'])
  })

  it('a name in pieces is sent whole where the pieces make a declared one', () => {
    const pieces = [
      calls({ index: 0, id: 'a', type: 'function', function: { name: 'get_' } }),
      calls({ index: 0, function: { name: 'weather' } }),
      calls({ index: 0, function: { arguments: '{"city":"P"}' } }),
      ...toolStop,
    ]
    const { sse, calls: made } = pass(pieces)
    expect(made).toEqual(['get_weather {"city":"P"}'])
    expect(sse.match(/"name"/g)).toHaveLength(1)
  })

  it('a name that never becomes a declared one is sent as it came', () => {
    const pieces = [calls({ index: 0, id: 'a', type: 'function', function: { name: 'get_' } }), ...toolStop]
    expect(pass(pieces)).toMatchObject({ calls: ['get_ {}'], finish: ['tool_calls'] })
  })

  it.each([
    ['growing snapshots', ['{"comm', '{"command":"l', ls], []],
    ['JSON inside a JSON string', ['"{\\"command\\"', ':\\"ls\\"}"'], ['unwrapped-arguments']],
  ])('arguments given as %s come out as deltas of one object', (_, given, repairs) => {
    const pieces = [
      calls(fn('Bash', '', { id: 'a' })),
      ...given.map((json) => calls({ index: 0, function: { arguments: json } })),
      ...toolStop,
    ]
    expect(pass(pieces)).toMatchObject({ calls: [`Bash ${ls}`], records: repairs, code: null })
  })

  it('pass byte for byte wherever their deltas end', () => {
    const json = '{"a": [1, "x\\"y"], "b": {"c": null}}\n'
    for (let at = 0; at <= json.length; at++) {
      const pieces = [
        calls(fn('Bash', '', { id: 'a' })),
        calls({ index: 0, function: { arguments: json.slice(0, at) } }),
        calls({ index: 0, function: { arguments: json.slice(at) } }),
        ...toolStop,
      ]
      expect(pass(pieces)).toMatchObject({ sse: [role, ...pieces].join(''), records: [] })
    }
  })

  it('end as tool_calls where the upstream says stop, but not where the length cut them', () => {
    const made = calls(fn('Bash', ls, { id: 'a' }))
    expect(pass([made, ...stop]).finish).toEqual(['tool_calls'])
    expect(pass([made, chunk({}, 'length'), done]).finish).toEqual(['length'])
    const message = { role: 'assistant', tool_calls: [fn('Bash', ls, { id: 'a' })] }
    const { body } = rewriteChatCompletion(
      { choices: [{ index: 0, message, finish_reason: 'stop' }] },
      { parser, mint: countingMint('openai-chat') },
    )
    const sent = [{ id: 'a', function: { name: 'Bash', arguments: ls } }]
    expect(body).toMatchObject({ choices: [{ finish_reason: 'tool_calls', message: { tool_calls: sent } }] })
  })
})

describe('a structured name with what the model writes around it', () => {
  it.each(['functions.Bash', 'functions.Bash:0', 'Bash:1'])('%s is the declared tool', (name) => {
    const pieces = [calls(fn(name, ls, { id: 'a' })), ...toolStop]
    expect(translate(pieces)).toMatchObject({ calls: [`Bash ${ls}`], notes: ['repair namespace'] })
    expect(pass(pieces)).toMatchObject({ calls: [`Bash ${ls}`], records: ['namespace'] })
  })

  it('stays where it is declared, or no declared tool is in it', () => {
    const declared = [...tools, { type: 'function', function: { name: 'functions.Bash' } }]
    const pieces = [calls(fn('functions.Bash', ls, { id: 'a' })), ...toolStop]
    expect(pass(pieces, { tools: declared }).calls).toEqual([`functions.Bash ${ls}`])
    const other = [calls(fn('functions.other', ls, { id: 'a' })), ...toolStop]
    expect(translate(other).calls).toEqual([`functions.other ${ls}`])
    expect(pass(other).calls).toEqual([`functions.other ${ls}`])
  })
})

describe('a stream that says in `message` what belongs in `delta`', () => {
  it.each([
    ['no', undefined],
    ['an empty', {}],
    ['a null', null],
  ])('is read beside %s delta', (_, delta) => {
    const pieces = [said(delta, { content: 'Hello' }), said(delta, { content: '!' }, 'stop'), done]
    expect(translate(pieces).lines).toEqual(['text "Hello!"', 'finish stop'])
    expect(pass(pieces)).toMatchObject({ content: 'Hello!', finish: ['stop'] })
  })

  it('is read where deltas follow', () => {
    const pieces = [said({}, { content: 'Hello' }), chunk({ content: '!' }), ...stop]
    expect(translate(pieces).lines).toEqual(['text "Hello!"', 'finish stop'])
    expect(pass(pieces).content).toBe('Hello!')
  })

  it('is not read where the deltas have said it', () => {
    const pieces = [chunk({ content: 'Hello' }), said({}, { content: 'Hello' }, 'stop'), done]
    expect(translate(pieces).lines).toEqual(['text "Hello"', 'finish stop'])
    expect(pass(pieces).sse).toBe([role, ...pieces].join(''))
  })
})

describe('a structured call where only whole calls are wanted', () => {
  const complete: ParserOptions = { delivery: 'complete' }
  const begun = calls(fn('Bash', '{"comm', { id: 'a' }))
  const rest = calls({ index: 0, function: { arguments: 'and":"ls"}' } })
  const second = calls({ ...fn('get_weather', '{}', { id: 'b' }), index: 1 })

  const read = (...pieces: string[]): string[] =>
    decode([role, ...pieces], { parser: { ...parser, ...complete } }).lines.slice(1)

  it('waits for its end, for a client of the same dialect', () => {
    const rewriter = createChatStreamRewriter({
      parser: { ...parser, ...complete },
      mint: countingMint('openai-chat'),
      faults: 'fail',
    })
    const early = [role, begun, rest].flatMap((piece) => rewriter.push(piece))
    expect(early.join('')).not.toContain('Bash')
    expect(rewriter.push(second).join('')).toContain('Bash')
    const made = pass([begun, rest, second, ...toolStop, done], complete)
    expect(made).toMatchObject({
      calls: [`Bash ${ls}`, 'get_weather {}'],
      finish: ['tool_calls'],
      code: null,
    })
  })

  it('is not begun where it is cut or no JSON, for a client of the same dialect', () => {
    for (const json of ['{"comm', '{oops']) {
      const { sse, code } = pass([calls(fn('Bash', json, { id: 'a' })), ...toolStop, done], complete)
      expect(code).toMatch(/^(?:incomplete_tool_call|invalid_tool_arguments)$/)
      expect(sse).not.toContain('Bash","arguments')
    }
    for (const json of ['{"comm', '']) {
      const { calls: made, finish } = pass(
        [calls(fn('Bash', json, { id: 'a' })), chunk({}, 'length'), done],
        complete,
      )
      expect(made).toEqual([])
      expect(finish).toEqual(['length'])
    }
  })

  it('waits for its end, for a client of the other dialect', () => {
    expect(read(begun, rest, second, ...toolStop)).toEqual([
      'call 0 a Bash',
      `delta 0 ${ls}`,
      'call-end 0',
      'call 1 b get_weather',
      'delta 1 {}',
      'call-end 1',
      'finish tool-calls',
    ])
    expect(read(begun, ...toolStop)).toEqual(['fail upstream incomplete_tool_call'])
    expect(read(begun, chunk({}, 'length'), done)).toEqual(['finish length'])
  })
})
