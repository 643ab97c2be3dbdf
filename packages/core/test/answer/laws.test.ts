import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAnthropicStreamEncoder } from '../../src/dialects/anthropic-messages/answer/encode.ts'
import type { AnswerSink } from '../../src/answer/answer.ts'
import { createChatStreamEncoder } from '../../src/dialects/openai-chat/answer/encode.ts'
import type { ParserOptions } from '../../src/parser-stage.ts'
import { createParser } from '../../src/parser.ts'
import { assemble } from '../../src/parsed-output.ts'
import { numRuns } from '../laws/setting.ts'
import { isRecord } from '../support/is-record.ts'
import { cuts, fraction, modelText } from '../support/model-output.ts'
import { modes, sampleTools, type Mode } from '../support/modes.ts'
import { AnswerLog } from './answer-log.ts'
import { blocksAsEvents, messageEnd, messageStart } from '../dialects/anthropic-messages/upstream.ts'
import { assembleAnthropic } from '../dialects/anthropic-messages/assemble.ts'
import { assembleChat } from '../dialects/openai-chat/assemble.ts'
import { chunk, countingMint, cutBytes, done, event } from '../dialects/openai-chat/upstream.ts'
import { joinedDeltas } from './joined-deltas.ts'
import {
  assembleAnthropicMessage,
  assembleChatCompletion,
  createAnthropicAnswerDecoder,
  createChatAnswerDecoder,
  readAnthropicMessage,
  readChatCompletion,
} from './stages.ts'

/** Enough for each law where there is time; where there are few runs, as few as the laws of the parser make. */
const runs = { numRuns: Math.min(60, numRuns) }

interface ModelAnswer {
  readonly reasoning: string
  readonly content: string
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
  readonly finish: string
}

function modelAnswer(mode: Mode): fc.Arbitrary<ModelAnswer> {
  const call = fc.record({
    name: fc.constantFrom('get_weather', 'f'),
    arguments: fc.oneof(fc.json({ maxDepth: 2 }), fc.constantFrom('', '{"city":"Paris"}', '{"a":', '"{}"')),
  })
  return fc.record({
    reasoning: fc.oneof(fc.constant(''), modelText(mode)),
    content: modelText(mode),
    calls: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(call, { maxLength: 3 }) },
    ),
    finish: fc.constantFrom('stop', 'length', 'tool_calls'),
  })
}

function pieces(text: string, fractions: readonly number[]): string[] {
  const offsets = fractions.map((part) => Math.floor(part * text.length)).toSorted((a, b) => a - b)
  const at = [0, ...offsets, text.length]
  return at.slice(1).map((end, n) => text.slice(at[n], end))
}

function asStream({ reasoning, content, calls, finish }: ModelAnswer, fractions: readonly number[]): string {
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(reasoning, fractions).map((reasoning_content) => chunk({ reasoning_content })),
    ...pieces(content, fractions).map((text) => chunk({ content: text })),
    ...calls.flatMap((call, index) => [
      chunk({
        tool_calls: [
          { index, id: `id_${index}`, type: 'function', function: { name: call.name, arguments: '' } },
        ],
      }),
      ...pieces(call.arguments, fractions).map((json) =>
        chunk({ tool_calls: [{ index, function: { arguments: json } }] }),
      ),
    ]),
    chunk({}, finish),
    event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 6 } }),
    done,
  ].join('')
}

function asCompletion({ reasoning, content, calls, finish }: ModelAnswer): unknown {
  const tool_calls = calls.map((call, index) => ({ id: `id_${index}`, type: 'function', function: call }))
  const message = { role: 'assistant', reasoning_content: reasoning, content, tool_calls }
  return {
    id: 'chatcmpl-1',
    model: 'some-model',
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: { prompt_tokens: 5, completion_tokens: 6 },
  }
}

const anthropicOptions = {
  messageId: 'msg_1',
  model: 'm',
  inputTokens: 1,
  signature: (field: string, proof: string | null) => `${field}:${proof ?? ''}`,
}
const chatOptions = { id: 'c', model: 'm', created: 1 }

type Decoder = typeof createChatAnswerDecoder

function decodeInto(
  sink: AnswerSink,
  sse: string | readonly Uint8Array[],
  parser: ParserOptions,
  open: Decoder,
): void {
  const decoder = open({ parser, mint: countingMint(), sink })
  for (const piece of typeof sse === 'string' ? [sse] : sse) decoder.push(piece)
  decoder.end()
}

function toAnthropic(
  sse: string | readonly Uint8Array[],
  parser: ParserOptions,
  open = createChatAnswerDecoder,
): string {
  let output = ''
  const encoder = createAnthropicStreamEncoder({ ...anthropicOptions, write: (text) => (output += text) })
  decodeInto(encoder, sse, parser, open)
  return output
}

function toChat(
  sse: string | readonly Uint8Array[],
  parser: ParserOptions,
  open = createChatAnswerDecoder,
): string {
  let output = ''
  const encoder = createChatStreamEncoder({
    ...chatOptions,
    includeUsage: true,
    write: (text) => (output += text),
  })
  decodeInto(encoder, sse, parser, open)
  return output
}

describe.each(modes)('an answer of $title', (mode) => {
  const parser: ParserOptions = { ...mode.options, tools: sampleTools }

  it('gives the same deltas to the client, joined or not, however the bytes of the upstream are cut', () => {
    fc.assert(
      fc.property(modelAnswer(mode), cuts(), cuts(), (answer, deltas, cut) => {
        const sse = asStream(answer, deltas)
        const cutSse = cutBytes(sse, cut)
        expect(joinedDeltas(toAnthropic(cutSse, parser))).toEqual(joinedDeltas(toAnthropic(sse, parser)))
        expect(joinedDeltas(toChat(cutSse, parser))).toEqual(joinedDeltas(toChat(sse, parser)))
      }),
      runs,
    )
  })

  it('gives the same message in a stream of any deltas and whole', () => {
    fc.assert(
      fc.property(modelAnswer(mode), cuts(), (answer, deltas) => {
        const streamed = assembleAnthropic(toAnthropic(asStream(answer, deltas), parser))
        const whole = assembleAnthropicMessage(anthropicOptions)
        readChatCompletion(asCompletion(answer), { parser, mint: countingMint(), sink: whole })
        const { result } = whole
        if (result.is === 'whole') {
          const { content, stop_reason, stop_sequence, usage } = streamed
          expect(result.value).toMatchObject({ content, stop_reason, stop_sequence, usage })
          expect(result.value['content']).toEqual(content)
        } else {
          expect(result.is).toBe('failed')
          expect(streamed.error).toBeDefined()
        }
      }),
      runs,
    )
  })

  it('gives the same completion in a stream of any deltas and whole', () => {
    fc.assert(
      fc.property(modelAnswer(mode), cuts(), (answer, deltas) => {
        const streamed = assembleChat(toChat(asStream(answer, deltas), parser))
        const whole = assembleChatCompletion(chatOptions)
        readChatCompletion(asCompletion(answer), { parser, mint: countingMint(), sink: whole })
        const { result } = whole
        if (result.is === 'whole') expect(streamed.choices[0]).toEqual(choiceOf(result.value))
        else expect(streamed).toMatchObject({ isDone: false, error: { code: codeOf(result) } })
      }),
      runs,
    )
  })

  it('says all that the parser reads, no more and no less', () => {
    fc.assert(
      fc.property(modelAnswer(mode), cuts(), ({ reasoning, content }, deltas) => {
        const log = new AnswerLog()
        const answer = { reasoning, content, calls: [], finish: 'stop' }
        decodeInto(log, asStream(answer, deltas), parser, createChatAnswerDecoder)
        const read = createParser(parser)
        const events = [...read.push(reasoning, 'reasoning'), ...read.push(content), ...read.end('stop')]
        const expected = assemble(events)
        const text = textIn(log, 'text ')
        const thoughts = textIn(log, 'reasoning ')
        if (log.failure === null) {
          expect([text, thoughts]).toEqual([expected.content, expected.reasoning])
          expect(log.lines.filter((line) => line.startsWith('call '))).toHaveLength(expected.toolCalls.length)
        } else {
          expect(expected.content.startsWith(text)).toBe(true)
          expect(expected.reasoning.startsWith(thoughts)).toBe(true)
        }
      }),
      runs,
    )
  })

  it('cut anywhere has one end, and is a success only after the end of the upstream', () => {
    fc.assert(
      fc.property(modelAnswer(mode), cuts(), fraction(), (answer, deltas, part) => {
        const sse = asStream(answer, deltas)
        const cut = sse.slice(0, Math.floor(part * sse.length))
        const { events } = assembleAnthropic(toAnthropic(cut, parser))
        const ends = events.filter((type) => type === 'message_stop' || type === 'error')
        expect(ends).toHaveLength(1)
        expect(events.at(-1)).toBe(ends[0])
        if (ends[0] === 'message_stop') expect(cut).toMatch(/"finish_reason":"/)
        const chat = assembleChat(toChat(cut, parser))
        expect(chat.isDone).toBe(ends[0] === 'message_stop')
        expect(chat.error === undefined).toBe(chat.isDone)
      }),
      runs,
    )
  })
})

describe('an answer of an Anthropic upstream', () => {
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text: fc.oneof(...modes.map(modelText)) }),
    fc.record({ type: fc.constant('thinking'), thinking: fc.lorem(), signature: fc.constant('sig') }),
    fc.record({
      type: fc.constant('tool_use'),
      id: fc.constantFrom('toolu_a', 'toolu_b'),
      name: fc.constantFrom('f', 'g'),
      input: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })),
    }),
  )
  const parser: ParserOptions = { tools: sampleTools }

  it('gives the same completion streamed, in any chunks, and whole', () => {
    const content = fc.array(block, { maxLength: 4 })
    fc.assert(
      fc.property(
        content,
        fc.constantFrom('end_turn', 'max_tokens', 'tool_use'),
        cuts(),
        (blocks, stop_reason, cut) => {
          const sse = messageStart + blocksAsEvents(blocks) + messageEnd(stop_reason)
          const streamed = toChat(sse, parser, createAnthropicAnswerDecoder)
          expect(toChat(cutBytes(sse, cut), parser, createAnthropicAnswerDecoder)).toBe(streamed)
          const whole = assembleChatCompletion(chatOptions)
          readAnthropicMessage(
            { content: blocks, stop_reason },
            { parser, mint: countingMint(), sink: whole },
          )
          const { result } = whole
          if (result.is === 'whole') expect(assembleChat(streamed).choices[0]).toEqual(choiceOf(result.value))
          else
            expect(assembleChat(streamed)).toMatchObject({ isDone: false, error: { code: codeOf(result) } })
        },
      ),
    )
  })
})

/** The first choice of a completion, as the assembler of streams puts it. */
function choiceOf(completion: Readonly<Record<string, unknown>>): unknown {
  const [choice] = Array.isArray(completion['choices']) ? completion['choices'] : []
  const message: unknown = isRecord(choice) ? choice['message'] : undefined
  if (!isRecord(choice) || !isRecord(message)) throw new Error('no choice')
  const calls: unknown[] = Array.isArray(message['tool_calls']) ? message['tool_calls'] : []
  return {
    content: message['content'] ?? '',
    reasoning: message['reasoning_content'] ?? '',
    calls: calls.map(callOf),
    finishReasons: [choice['finish_reason']],
  }
}

function callOf(call: unknown): unknown {
  if (!isRecord(call) || !isRecord(call['function'])) return call
  return { id: call['id'], type: call['type'], ...call['function'] }
}

function codeOf(result: { is: 'open' } | { is: 'failed'; failure: { code: string } }): string {
  return result.is === 'failed' ? result.failure.code : 'open'
}

function textIn(log: AnswerLog, kind: string): string {
  return log.lines
    .filter((line) => line.startsWith(kind))
    .map((line): unknown => JSON.parse(line.slice(line.indexOf('"'))))
    .join('')
}
