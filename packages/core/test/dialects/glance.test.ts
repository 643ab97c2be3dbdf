import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CallPolicy } from '../../src/answer/calls/policy.ts'
import { AnswerIds } from '../../src/answer/ids.ts'
import { AnswerStream } from '../../src/answer/stream.ts'
import { createAnswerGlance, createSseDecoder, dialects, type AnswerSink } from '../../src/index.ts'
import { isJsonObject, parseJson } from '../../src/json/objects.ts'
import type { Written } from '../clients-agree/answer.ts'
import { messageBodies } from '../clients-agree/anthropic-messages-upstream.ts'
import { contentBodies } from '../clients-agree/gemini-upstream.ts'
import { flawlessAnswer, plainAnswer } from '../clients-agree/generate.ts'
import { chatBodies } from '../clients-agree/openai-chat-upstream.ts'
import { responseBodies } from '../clients-agree/openai-responses-upstream.ts'

/** What was written in each channel. */
interface Wrote {
  content: string
  reasoning: string
}

/** What the decoder of the dialect gives to the parser. */
function decoded({ dialect, delivered, body }: Written): Wrote {
  const wrote: Wrote = { content: '', reasoning: '' }
  const { answer } = dialects[dialect]
  const policy = new CallPolicy(
    {
      heldLimit: 1_000_000,
      ids: new AnswerIds((_, taken) => `id${taken.size}`),
      openParser: () => ({
        format: null,
        countPassing: () => 0,
        push: (text, channel) => void (wrote[channel] += text),
        settle: () => {},
        end: () => {},
      }),
    },
    nobody,
  )
  const stream = new AnswerStream(answer.decode(policy), {}, (data) => answer.unwrap(data))
  const whole = delivered === 'whole' ? answer.whole.toEvents(body.join('')) : { events: body.join('') }
  if ('failure' in whole) return wrote
  stream.push(whole.events)
  stream.end()
  return wrote
}

function glanced({ delivered, body }: Written): Wrote & { names: string[] } {
  const wrote = { content: '', reasoning: '' }
  const glance = createAnswerGlance()
  const events =
    delivered === 'whole'
      ? body
      : createSseDecoder()
          .push(body.join(''))
          .flatMap((item) => (item.kind === 'event' ? [item.data] : []))
  for (const event of events) {
    const data = parseJson(event)
    for (const { channel, text } of (isJsonObject(data) ? glance.add(data) : null) ?? []) {
      if (channel !== 'call') wrote[channel] += text
    }
  }
  return { ...wrote, names: glance.calls.map(({ name }) => name) }
}

const nobody: AnswerSink = {
  start: () => {},
  text: () => {},
  reasoning: () => {},
  reasoningProof: () => {},
  callStart: () => {},
  callDelta: () => {},
  callEnd: () => {},
  usage: () => {},
  finish: () => {},
  fail: () => {},
  end: () => {},
  problem: () => {},
  repair: () => {},
}

const bodies = [chatBodies, messageBodies, responseBodies, contentBodies]

describe('a glance at an answer', () => {
  it.each([
    ['a server with its habits', plainAnswer()],
    ['a server without any', flawlessAnswer()],
  ])('sees the text that the decoder reads, in every dialect, streamed and whole: %s', (_, answers) => {
    fc.assert(
      fc.property(answers, (answer) => {
        for (const written of bodies.flatMap((write) => write(answer))) {
          const { content, reasoning } = glanced(written)
          expect({ ...written, wrote: { content, reasoning } }).toEqual({
            ...written,
            wrote: decoded(written),
          })
        }
      }),
      { numRuns: 150 },
    )
  })

  it.each([
    [
      {
        choices: [
          { delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] } },
        ],
      },
    ],
    [{ type: 'message', content: [{ type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }] }],
    [{ output: [{ type: 'function_call', id: 'i', call_id: 'c', name: 'f', arguments: '{"a":1}' }] }],
    [{ candidates: [{ content: { parts: [{ functionCall: { id: 'c', name: 'f', args: { a: 1 } } }] } }] }],
  ])('sees the calls that a server structured: %j', (data) => {
    const glance = createAnswerGlance()
    expect(glance.add(data)).toMatchObject([{ channel: 'call', call: 0, name: 'f' }])
    expect(glance.calls).toMatchObject([{ id: 'c', name: 'f' }])
  })

  it('tells which call each stretch of arguments belongs to, and a name once', () => {
    const glance = createAnswerGlance()
    const told = [
      { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
      { index: 1, id: 'b', function: { name: 'g', arguments: '' } },
      { index: 0, function: { arguments: ':1}' } },
    ].map((call) => glance.add({ choices: [{ delta: { tool_calls: [call] } }] }))
    expect(told).toEqual([
      [{ channel: 'call', call: 0, name: 'f', text: '{"x"' }],
      [{ channel: 'call', call: 1, name: 'g', text: '' }],
      [{ channel: 'call', call: 0, name: null, text: ':1}' }],
    ])
  })

  it('says of what is in no dialect that it is in none', () => {
    expect(createAnswerGlance().add({ name: 'get_weather', arguments: {} })).toBeNull()
  })
})
