import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { translateAnswer } from '../../../src/index.ts'
import { isRecord } from '../../support/is-record.ts'
import { createAnthropicAnswerDecoder, rewriteAnthropicStream } from '../../answer/stages.ts'
import { AnswerLog } from '../../answer/answer-log.ts'
import { countingMint } from '../openai-chat/upstream.ts'
import { assembleAnthropic } from './assemble.ts'
import { blockDelta, blockStart, blockStop, messageEnd, messageStart } from './upstream.ts'

function thought(index: number, thinking: string): string {
  return blockDelta(index, { type: 'thinking_delta', thinking })
}

function said(index: number, text: string): string {
  return blockDelta(index, { type: 'text_delta', text })
}

function input(index: number, partial_json: string): string {
  return blockDelta(index, { type: 'input_json_delta', partial_json })
}

function signed(index: number, signature: string): string {
  return blockDelta(index, { type: 'signature_delta', signature })
}

const begin = {
  thinking: (index: number) => blockStart(index, { type: 'thinking', thinking: '' }),
  text: (index: number) => blockStart(index, { type: 'text', text: '' }),
  call: (index: number, id: string, name: string) =>
    blockStart(index, { type: 'tool_use', id, name, input: {} }),
  callWithoutInput: (index: number, id: string, name: string) =>
    blockStart(index, { type: 'tool_use', id, name }),
}

const tools = ['look', 'read'].map((name) => ({ name, parameters: {} }))

/** Through the way that the gateway takes, with what was told of it. */
function passed(events: readonly string[], signature = 'ours'): { sse: string; repairs: string[] } {
  const repairs: string[] = []
  const answer = translateAnswer({
    from: 'anthropic-messages',
    to: 'anthropic-messages',
    delivered: 'stream',
    wants: 'stream',
    parser: { tools },
    mint: countingMint(),
    includeUsage: true,
    watcher: { repair: (code) => repairs.push(code) },
    encoding: () => ({ id: 'm', model: 'm', created: 1, inputTokens: () => 1, signature: () => signature }),
  })
  return { sse: events.map((event) => answer.push(event)).join('') + answer.end(), repairs }
}

function contentOf(sse: string): Record<string, unknown>[] {
  const { content, openBlocks, error } = assembleAnthropic(sse)
  expect(error).toBeUndefined()
  expect(openBlocks).toBe(0)
  return content
}

const allClosedAtTheEnd = [
  messageStart,
  begin.thinking(0),
  thought(0, 'Hm.'),
  begin.text(1),
  said(1, 'Let me look.\n'),
  begin.callWithoutInput(2, 'toolu_1', 'look'),
  input(2, '{"at":'),
  input(2, '1}'),
  begin.callWithoutInput(3, 'toolu_2', 'read'),
  input(3, '{"at":2}'),
]
const closing = [blockStop(0), blockStop(1), blockStop(2), blockStop(3), messageEnd('tool_use')]

describe('an upstream that closes all its blocks at the end', () => {
  it('reaches its client one block after the other', () => {
    const { sse, repairs } = passed([...allClosedAtTheEnd, signed(0, ''), ...closing])
    expect(contentOf(sse)).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'ours' },
      { type: 'text', text: 'Let me look.\n' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } },
      { type: 'tool_use', id: 'toolu_2', name: 'read', input: { at: 2 } },
    ])
    expect(repairs).toEqual(['filled-field'])
  })

  it('loses a signature that comes when its block is over, and that is told', () => {
    const { sse, repairs } = passed([...allClosedAtTheEnd, signed(0, 'late'), ...closing])
    expect(contentOf(sse)[0]).toEqual({ type: 'thinking', thinking: 'Hm.', signature: 'ours' })
    expect(sse).not.toContain('late')
    expect(repairs).toEqual(['filled-field', 'late-signature'])
  })

  it('keeps a signature that comes before anything else is said', () => {
    const { sse, repairs } = passed([
      messageStart,
      begin.thinking(0),
      thought(0, 'Hm.'),
      begin.text(1),
      signed(0, 'in time'),
      said(1, 'Done.'),
      blockStop(0),
      blockStop(1),
      messageEnd('end_turn'),
    ])
    expect(contentOf(sse)).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'in time' },
      { type: 'text', text: 'Done.' },
    ])
    expect(repairs).toEqual([])
  })

  it('gives the proof of reasoning to the reasoning, whoever reads the answer', () => {
    const log = new AnswerLog()
    const decoder = createAnthropicAnswerDecoder({ parser: { tools }, mint: countingMint(), sink: log })
    decoder.push([...allClosedAtTheEnd, signed(0, 'late'), ...closing].join(''))
    decoder.end()
    expect(log.lines.filter((line) => line.startsWith('proof'))).toEqual([])
    expect(log.notes.join('\n')).toContain('late-signature')
  })

  it('opens no block inside another, of whatever kind they are', () => {
    const search = { type: 'server_tool_use', id: 's', name: 'search', input: { q: 1 } }
    const { sse } = passed([
      messageStart,
      blockStart(0, search),
      begin.text(1),
      said(1, 'Found.'),
      blockDelta(0, { type: 'new_delta' }),
      blockStop(0),
      blockStop(1),
      messageEnd('end_turn'),
    ])
    expect(contentOf(sse).map(({ type }) => type)).toEqual(['server_tool_use', 'text'])
  })
})

describe('an upstream that signs nothing', () => {
  const events = [
    messageStart,
    begin.thinking(0),
    thought(0, 'Hm.'),
    blockStop(0),
    begin.text(1),
    said(1, 'Done.'),
    blockStop(1),
    messageEnd('end_turn'),
  ]

  it('gets a signature of ours on its reasoning', () => {
    expect(contentOf(passed(events).sse)[0]).toEqual({
      type: 'thinking',
      thinking: 'Hm.',
      signature: 'ours',
    })
  })

  it('is passed on as it came where nobody can sign', () => {
    const rewriter = rewriteAnthropicStream({ parser: { tools }, mint: countingMint() })
    const sse = [...events.flatMap((event) => rewriter.push(event)), ...rewriter.end()].join('')
    expect(sse).toBe(events.join(''))
  })
})

type Plan = readonly {
  readonly kind: 'thinking' | 'text' | 'call'
  readonly pieces: readonly string[]
  readonly hasInput: boolean
  /** When it is closed: before the next begins, or at the end. */
  readonly closes: 'at once' | 'late'
}[]

const callPieces = [['{"x":1}'], ['{"x":', '1}'], ['{', '}'], ['{"a":"b",', '"c":[1,', '2]}'], []]
const textPieces = [['Hi'], ['Hi ', 'there'], ['x', '\n'], ['a <', ' b']]

const plans: fc.Arbitrary<Plan> = fc.array(
  fc
    .record({
      kind: fc.constantFrom('thinking' as const, 'text' as const, 'call' as const),
      which: fc.nat({ max: 4 }),
      hasInput: fc.boolean(),
      closes: fc.constantFrom('at once' as const, 'late' as const),
    })
    .map(({ which, kind, hasInput, closes }) => {
      const pieces = kind === 'call' ? callPieces : textPieces
      return { kind, hasInput, closes, pieces: pieces[which % pieces.length] ?? [] }
    }),
  { minLength: 1, maxLength: 5 },
)

/** The events of a plan: calls that are closed late get their pieces in turns, behind the last start. */
function eventsOf(plan: Plan): string[] {
  const events: string[] = []
  const late: string[][] = []
  for (const [index, { kind, pieces, hasInput, closes }] of plan.entries()) {
    if (kind === 'call') {
      events.push((hasInput ? begin.call : begin.callWithoutInput)(index, `toolu_${index}`, 'look'))
      const deltas = [...pieces.map((piece) => input(index, piece)), blockStop(index)]
      if (closes === 'late' && plan.slice(index + 1).every((next) => next.kind === 'call')) late.push(deltas)
      else events.push(...deltas)
    } else {
      const deltas = pieces.map((piece) => (kind === 'text' ? said : thought)(index, piece))
      events.push(begin[kind](index), ...deltas)
      if (closes === 'late') late.push([blockStop(index)])
      else events.push(blockStop(index))
    }
  }
  for (let turn = 0; late.some((rest) => rest.length > turn); turn++) {
    for (const rest of late) {
      const event = rest[turn]
      if (event !== undefined) events.push(event)
    }
  }
  return [messageStart, ...events, messageEnd('tool_use')]
}

function joined(content: readonly Record<string, unknown>[]): string[] {
  const shown: string[] = []
  for (const block of content) {
    const { type, id, input: given } = block
    const last = shown.at(-1)
    const text = String(block[String(type)])
    if (type === 'tool_use') shown.push(`call ${String(id)} ${JSON.stringify(isRecord(given) ? given : {})}`)
    else if (last?.startsWith(`${String(type)} `) === true) shown[shown.length - 1] = last + text
    else shown.push(`${String(type)} ${text}`)
  }
  return shown
}

describe('blocks that are open at the same time', () => {
  it('say what they said, in the order in which they began', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const expected = plan.map(({ kind, pieces }, index): Record<string, unknown> => {
          const text = pieces.join('')
          if (kind !== 'call') return { type: kind, [kind]: text }
          return { type: 'tool_use', id: `toolu_${index}`, input: JSON.parse(text === '' ? '{}' : text) }
        })
        expect(joined(contentOf(passed(eventsOf(plan)).sse))).toEqual(joined(expected))
      }),
      { numRuns: 500 },
    )
  })
})

describe('a whole message whose reasoning is not signed', () => {
  it('gets our signature there, and stays as it was otherwise', () => {
    const message = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'up',
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1.0 } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 2 },
      odd: 1,
    }
    const answer = translateAnswer({
      from: 'anthropic-messages',
      to: 'anthropic-messages',
      delivered: 'whole',
      wants: 'whole',
      parser: { tools },
      mint: countingMint(),
      includeUsage: true,
      encoding: () => ({ id: 'm', model: 'm', created: 1, inputTokens: () => 1, signature: () => 'ours' }),
    })
    const [thinking, call] = message.content
    expect(JSON.parse(answer.push(JSON.stringify(message)) + answer.end())).toEqual({
      ...message,
      content: [{ ...thinking, signature: 'ours' }, call],
    })
  })
})
