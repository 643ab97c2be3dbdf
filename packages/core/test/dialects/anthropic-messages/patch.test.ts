import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cuts, modelText } from '../../support/model-output.ts'
import { modes, sampleTools } from '../../support/modes.ts'
import {
  ant,
  blockDelta,
  blocksAsEvents,
  blockStart,
  blockStop,
  messageEnd,
  messageStart,
  messageStop,
  textBlock,
  thinkingBlock,
  toolBlock,
} from './upstream.ts'
import { assembleAnthropic } from './assemble.ts'
import { countingMint, cutBytes, kimiCall, kimiCutCall } from '../openai-chat/upstream.ts'
import { type RewriterOptions } from '../../../src/translate-parts.ts'
import { rewriteAnthropicMessage, rewriteAnthropicStream } from '../../answer/stages.ts'

type Options = Partial<RewriterOptions>

function options(more: Options = {}): RewriterOptions {
  return { parser: { format: 'kimi' }, mint: countingMint(), ...more }
}

function rewrite(pieces: readonly (string | Uint8Array)[], more: Options = {}): string {
  const rewriter = rewriteAnthropicStream(options(more))
  return [...pieces.flatMap((piece) => rewriter.push(piece)), ...rewriter.end()].join('')
}

const getTime = { type: 'tool_use', id: 'toolu_kimi_n0', name: 'get_time', input: { zone: 'UTC' } }

describe('what need not change', () => {
  it.each([
    ['text', textBlock(0, 'Hello ', 'a < b', '.') + messageEnd('end_turn')],
    [
      'thinking, text and a call',
      thinkingBlock(0, 'sig', 'hm') +
        textBlock(1, 'x') +
        toolBlock(2, 'toolu_1', 'f', '{}') +
        messageEnd('tool_use'),
    ],
    [
      'a ping inside a block',
      blockStart(0, { type: 'text', text: '' }) +
        ant('ping') +
        blockDelta(0, { type: 'text_delta', text: 'a' }) +
        blockStop(0) +
        messageEnd('end_turn'),
    ],
    [
      'blocks and events that nobody knows',
      blockStart(0, { type: 'server_tool_use', id: 's', name: 'w', input: { q: 1 } }) +
        blockStop(0) +
        ant('new_event', { x: 1 }) +
        textBlock(1, 'a') +
        messageEnd('pause_turn'),
    ],
    [
      'odd spacing',
      'event: content_block_start\r\ndata:{"type":"content_block_start","index": 0,"content_block":{"type":"text","text":""},"odd":1.0}\r\n\r\n' +
        blockDelta(0, { type: 'text_delta', text: 'a' }) +
        blockStop(0) +
        messageEnd('max_tokens'),
    ],
    [
      'citations',
      blockStart(0, { type: 'text', text: '', citations: [] }) +
        blockDelta(0, { type: 'citations_delta', citation: { x: 1 } }) +
        blockDelta(0, { type: 'text_delta', text: 'a' }) +
        blockStop(0) +
        messageEnd('end_turn'),
    ],
    ['a comment', ': ping\n\n' + textBlock(0, 'a') + messageEnd('end_turn')],
    ['an error', textBlock(0, 'a') + ant('error', { error: { type: 'overloaded_error', message: 'x' } })],
  ])('%s is passed on byte for byte', (_, sse) => {
    const came = messageStart + sse
    expect(rewrite([came])).toBe(came)
  })

  it('a message without calls is the very object that came', () => {
    const body = {
      id: 'x',
      content: [{ type: 'text', text: 'a', odd: 1 }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 5, output_tokens: 3 },
    }
    expect(rewriteAnthropicMessage(body, options())).toEqual({ body, failure: null })
    expect(rewriteAnthropicMessage(body, options()).body).toBe(body)
  })
})

describe('calls in the text', () => {
  it('split a block into text and calls, and end as tool_use', () => {
    const message = assembleAnthropic(
      rewrite([messageStart, textBlock(0, 'Sure. ', kimiCall, 'Done.'), messageEnd('end_turn')]),
    )
    expect(message).toMatchObject({
      id: 'msg_up',
      content: [{ type: 'text', text: 'Sure. ' }, getTime, { type: 'text', text: 'Done.' }],
      stop_reason: 'tool_use',
      usage: { output_tokens: 12 },
    })
  })

  it('leave no block of text where there is no text', () => {
    const sse = [messageStart, textBlock(0, '\n\n', kimiCall, '\n'), messageEnd('end_turn')]
    expect(assembleAnthropic(rewrite(sse)).content).toEqual([getTime])
  })

  it('shift the numbers of the blocks behind them', () => {
    const sse = [
      messageStart,
      textBlock(0, `Hi.${kimiCall}`),
      blockStart(1, { type: 'server_tool_use', id: 's', name: 'w', input: {} }),
      blockStop(1),
      messageEnd('end_turn'),
    ]
    expect(assembleAnthropic(rewrite(sse)).content).toEqual([
      { type: 'text', text: 'Hi.' },
      getTime,
      { type: 'server_tool_use', id: 's', name: 'w', input: {} },
    ])
  })

  it('in the thinking close it', () => {
    const sse = [messageStart, thinkingBlock(0, 'sig', 'Look.', kimiCall), messageEnd('end_turn')]
    expect(assembleAnthropic(rewrite(sse)).content).toEqual([
      { type: 'thinking', thinking: 'Look.', signature: '' },
      getTime,
    ])
  })

  it('reasoning in the text becomes a thinking block', () => {
    const sse = [messageStart, textBlock(0, '<think>hm</think>\n\n', 'Yes.'), messageEnd('end_turn')]
    expect(assembleAnthropic(rewrite(sse)).content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'text', text: 'Yes.' },
    ])
  })

  it('that a structured call repeats are made once', () => {
    const told: string[] = []
    const sse = [
      messageStart,
      textBlock(0, kimiCall),
      toolBlock(1, 'toolu_x', 'get_time', '{ "zone"', ': "UTC" }'),
      toolBlock(2, 'toolu_y', 'other', '{"a":1}'),
      messageEnd('tool_use'),
    ]
    const message = assembleAnthropic(rewrite(sse, { onRecord: ({ code }) => told.push(code) }))
    expect(message.content).toEqual([
      getTime,
      { type: 'tool_use', id: 'toolu_y', name: 'other', input: { a: 1 } },
    ])
    expect(told).toEqual(['repeated-call'])
  })

  it('behind a structured call are removed', () => {
    const sse = [
      messageStart,
      toolBlock(0, 'toolu_x', 'f', '{}'),
      textBlock(1, `Done.${kimiCall}`),
      messageEnd('tool_use'),
    ]
    expect(assembleAnthropic(rewrite(sse)).content).toEqual([
      { type: 'tool_use', id: 'toolu_x', name: 'f', input: {} },
      { type: 'text', text: 'Done.' },
    ])
  })

  it('text that only looked like a call goes into its own block', () => {
    const sse = [
      messageStart,
      textBlock(0, 'a <|tool_ca'),
      toolBlock(1, 'toolu_x', 'f', '{}'),
      messageEnd('tool_use'),
    ]
    expect(assembleAnthropic(rewrite(sse)).content[0]).toEqual({ type: 'text', text: 'a <|tool_ca' })
  })

  it('cut by max_tokens are half a call; cut otherwise they are an error', () => {
    const cut = [messageStart, textBlock(0, kimiCutCall)]
    expect(assembleAnthropic(rewrite([...cut, messageEnd('max_tokens')]))).toMatchObject({
      content: [],
      openBlocks: 0,
      halfCalls: [{}],
      stop_reason: 'max_tokens',
    })
    expect(assembleAnthropic(rewrite([...cut, messageEnd('end_turn')]))).toMatchObject({
      error: { type: 'api_error' },
      stop_reason: undefined,
    })
  })
})

describe('structured calls', () => {
  it('get an id of their own where theirs is illegal or known', () => {
    const sse = [
      messageStart,
      toolBlock(0, 'functions.f:0', 'f', '{}'),
      toolBlock(1, 'old', 'f', '{}'),
      toolBlock(2, 'good', 'f', '{}'),
      toolBlock(3, 'good', 'f', '{}'),
      messageEnd('tool_use'),
    ]
    const { content } = assembleAnthropic(rewrite(sse, { conversationIds: new Set(['old']) }))
    expect(content.map((block) => block['id'])).toEqual([
      'toolu_kimi_n0',
      'toolu_std_n1',
      'good',
      'toolu_std_n2',
    ])
  })

  it('get their input as a delta where it came with the start', () => {
    const start = blockStart(0, { type: 'tool_use', id: 'toolu_1', name: 'f', input: { x: 1 } })
    expect(
      assembleAnthropic(rewrite([messageStart, start, blockStop(0), messageEnd('tool_use')])).content,
    ).toEqual([{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { x: 1 } }])
  })
})

describe('the end', () => {
  it('of a stream that was cut is an error, after what was held', () => {
    const open =
      blockStart(0, { type: 'text', text: '' }) + blockDelta(0, { type: 'text_delta', text: 'a <|tool' })
    const message = assembleAnthropic(rewrite([messageStart, open]))
    expect(message).toMatchObject({ error: { type: 'api_error' }, content: [{ text: 'a <|tool' }] })
  })

  it('gets the message_stop that the upstream left out after its stop reason', () => {
    const sse = messageStart + textBlock(0, 'a') + messageEnd('end_turn').replace(messageStop, '')
    expect(rewrite([sse])).toBe(`${sse}${messageStop}`)
  })

  it('gets the stop reason that the upstream left out', () => {
    const message = assembleAnthropic(rewrite([messageStart, textBlock(0, kimiCall), messageStop]))
    expect(message.stop_reason).toBe('tool_use')
  })

  it('of nothing is an error', () => {
    const rewriter = rewriteAnthropicStream(options())
    expect(rewriter.end().join('')).toContain('event: error')
    expect(rewriter.failure?.code).toBe('upstream_empty')
  })

  it('comes with data that is not JSON', () => {
    const message = assembleAnthropic(
      rewrite([messageStart, 'event: x\ndata: {oops\n\n', messageEnd('end_turn')]),
    )
    expect(message.error).toMatchObject({ type: 'api_error' })
  })
})

describe('a whole message', () => {
  it('is split like a stream, and keeps every other field', () => {
    const body = {
      id: 'm',
      odd: 1,
      content: [
        { type: 'text', text: `Sure.${kimiCall}`, citations: null },
        { type: 'new_block', deep: { x: 1 } },
      ],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 3, service_tier: 'x' },
    }
    expect(rewriteAnthropicMessage(body, options())).toEqual({
      failure: null,
      body: {
        ...body,
        content: [
          { type: 'text', text: 'Sure.', citations: null },
          getTime,
          { type: 'new_block', deep: { x: 1 } },
        ],
        stop_reason: 'tool_use',
      },
    })
  })

  it('that is an error, or holds half a call, is a failure', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'x' } }
    expect(rewriteAnthropicMessage(error, options()).failure).toMatchObject({ kind: 'overloaded' })
    const cut = { content: [{ type: 'text', text: kimiCutCall }], stop_reason: 'end_turn' }
    expect(rewriteAnthropicMessage(cut, options()).failure).toMatchObject({ code: 'incomplete_tool_call' })
  })
})

describe('however the stream is cut', () => {
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text: fc.oneof(...modes.map(modelText)) }),
    fc.record({
      type: fc.constant('thinking'),
      thinking: fc.oneof(...modes.map(modelText)),
      signature: fc.constant('s'),
    }),
    fc.record({
      type: fc.constant('tool_use'),
      id: fc.constantFrom('toolu_a', 'toolu_b'),
      name: fc.constantFrom('f', 'g'),
      input: fc.dictionary(fc.string(), fc.string()),
    }),
  )
  const ends = fc.constantFrom('end_turn', 'max_tokens', 'tool_use')
  const parser = { tools: sampleTools }

  it('the output is the same, well-formed, and ends once', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 4 }), ends, cuts(), (blocks, stop, cut) => {
        const sse = messageStart + blocksAsEvents(blocks) + messageEnd(stop)
        const whole = rewrite([sse], { parser })
        expect(rewrite(cutBytes(sse, cut), { parser })).toBe(whole)
        const { events } = assembleAnthropic(whole)
        expect(events.filter((type) => type === 'message_stop' || type === 'error')).toHaveLength(1)
      }),
      { numRuns: 200 },
    )
  })

  it('a block of reasoning that says nothing but is signed stays: the client must send it back', () => {
    const signed = blockStart(0, { type: 'thinking', thinking: '', signature: 'c2ln' }) + blockStop(0)
    const sse = messageStart + signed + textBlock(1, 'Hi.') + messageEnd('end_turn')
    expect(rewrite([sse])).toBe(sse)
  })

  it('a block of white space alone, or of nothing, is left out', () => {
    const blocks = textBlock(0, 'a') + textBlock(1, ' ', '\n') + textBlock(2) + textBlock(3, 'b')
    const { content } = assembleAnthropic(rewrite([messageStart + blocks + messageEnd('end_turn')]))
    expect(content).toMatchObject([{ text: 'a' }, { text: 'b' }])
  })

  it('text in which no calls are read comes out byte for byte', () => {
    const pieces = fc.array(
      fc
        .array(fc.oneof(fc.constantFrom(' ', '\n'), ...modes.map(modelText)), { maxLength: 3 })
        .filter((text) => text.join('').trim() !== ''),
    )
    fc.assert(
      fc.property(pieces, (texts) => {
        const blocks = texts.map((text, index) => textBlock(index, ...text)).join('')
        const sse = messageStart + blocks + messageEnd('end_turn')
        expect(rewrite([sse], { parser: { format: 'standard', tools: [] } })).toBe(sse)
      }),
    )
  })

  it('a message comes out whole as it does in a stream', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 4 }), ends, (blocks, stop_reason) => {
        const streamed = assembleAnthropic(
          rewrite([messageStart + blocksAsEvents(blocks) + messageEnd(stop_reason)], { parser }),
        )
        const usage = { input_tokens: 9, output_tokens: 12 }
        const { body, failure } = rewriteAnthropicMessage(
          { content: blocks, stop_reason, stop_sequence: null, usage },
          options({ parser }),
        )
        if (failure === null) {
          const { content, stop_reason: ended } = streamed
          expect(body).toEqual({ content, stop_reason: ended, stop_sequence: null, usage })
        } else expect(streamed.error).toBeDefined()
      }),
      { numRuns: 200 },
    )
  })
})
