import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Answer, Call, Finish, Item } from '../clients-agree/answer.ts'
import { messageBodies } from '../clients-agree/anthropic-messages-upstream.ts'
import { anyAnswer, plainAnswer, plainHabits, plainReading } from '../clients-agree/generate.ts'
import { readChat } from '../clients-agree/openai-chat-client.ts'
import { saidBy } from '../clients-agree/said.ts'
import { clientGets } from '../clients-agree/through.ts'
import type { View } from '../clients-agree/view.ts'
import { optionsFor, partsOf, viewOf } from './ai-sdk-client.ts'
import { streamed } from './ai-sdk-model.ts'
import { kimiCall } from './upstream.ts'

const numRuns = Number(process.env['CLIENTS_AGREE_RUNS'] ?? 300)

/** Providers tell errors in parts of their own, and have no word for a pause, a stop sequence or a cut stream. */
function canBeParts({ error, finish: { says, end } }: Answer): boolean {
  return (
    error === null && says !== 'pause' && says !== 'stop-sequence' && (says !== 'nothing' || end === 'marked')
  )
}

describe('the parts of a provider', () => {
  it('say what the events of a server say to other clients', async () => {
    await fc.assert(
      fc.asyncProperty(anyAnswer().filter(canBeParts), async (answer) => {
        const seen = await seenInSdk(answer)
        // How much of a call has to wait depends on how it comes.
        if (answer.reading.toolCallBytes !== null) return
        expect(forgiven(seen)).toEqual(forgiven(seenElsewhere(answer)))
      }),
      { numRuns },
    )
  })

  it('say what the provider says, to the last character, where the model makes no mistakes', async () => {
    await fc.assert(
      fc.asyncProperty(plainAnswer().filter(canBeParts), async (answer) => {
        expect(await seenInSdk(answer)).toEqual(saidBy(answer))
      }),
      { numRuns },
    )
  })
})

describe('of one answer, programs of the AI SDK and clients of other dialects see', () => {
  it('a failure where a structured call has no name', async () => {
    const view = await seenByBoth(answerOf([text('Hm.'), callItem(call('', '{"city":"Paris"}'))]))
    expect(view).toMatchObject({
      text: 'Hm.',
      calls: [],
      failure: { message: expect.stringContaining('without a name') },
    })
  })

  it.each([
    ['no JSON', '{"city":', 'Paris}'],
    ['cut', '{"city":"Par'],
  ])('a failure where its arguments are %s', async (_how, ...pieces) => {
    const view = await seenByBoth(answerOf([text('Hm.'), callItem(call('get_weather', ...pieces))]))
    expect(view).toMatchObject({
      text: 'Hm.',
      calls: [],
      failure: { message: expect.stringContaining('get_weather') },
    })
  })

  it('the arguments that a repair made JSON', async () => {
    const view = await seenByBoth(answerOf([callItem(call('functions.get_weather', "{'city': 'Paris',}"))]))
    expect(view).toMatchObject({ calls: [paris], finish: 'tool-calls', failure: null })
  })

  it('one call where the server structured what the model wrote, with its keys in another order', async () => {
    const written = section.replace('{"city":"Paris"}', '{"city":"Paris","days":3}')
    const view = await seenByBoth(
      answerOf([text(written), callItem(call('get_weather', '{ "days": 3, ', '"city": "Par\\u0069s" }'))]),
    )
    expect(view.calls).toEqual([{ name: 'get_weather', arguments: '{"city":"Paris","days":"#3"}' }])
  })

  it.each([
    ['a structured call', callItem(call('get_weather', '{"city":', '"Par'))],
    ['a call in the text', text(section.slice(0, section.indexOf('ris')))],
  ])('length where the model was stopped inside %s', async (_what, item) => {
    const view = await seenByBoth(answerOf([text('Hm. '), item], 'length'))
    expect(view).toMatchObject({ text: 'Hm. ', calls: [], finish: 'length', failure: null })
  })

  it('the white space that text and reasoning begin with', async () => {
    const view = await seenByBoth(answerOf([reasoning('\n Hm', '. '), text('\n\n', '  Hello', ' \n')]))
    expect(view).toMatchObject({ reasoning: '\n Hm. ', text: '\n\n  Hello \n' })
  })

  it('no call before it is whole, where only whole calls are wanted', async () => {
    const said = answerOf([callItem(call('get_weather', '{"city":', '"Par'))])
    const parts = await streamed(partsOf(said), optionsFor({ ...plainReading, delivery: 'complete' }))
    expect(parts.map(({ type }) => type)).toEqual(['stream-start', 'error', 'finish'])
  })

  it('a failure where more of a call has to wait than the limit allows', async () => {
    const said = answerOf([callItem(call('get_weather', '{"city":', '"Paris, the capital', ' of France"}'))])
    const reading = { ...plainReading, delivery: 'complete', toolCallBytes: 16 } as const
    const view = await seenByBoth({ ...said, reading })
    expect(view).toMatchObject({ calls: [], failure: { message: expect.stringContaining('16 bytes') } })
  })

  it('an ordinary end where the provider speaks of calls and there is none', async () => {
    expect(await seenByBoth(answerOf([text('Hello.')]))).toMatchObject({ text: 'Hello.', finish: 'stop' })
  })
})

const section = kimiCall.replace('Let me look.', '')
const paris = { name: 'get_weather', arguments: '{"city":"Paris"}' }

/** What both see; what came before a failure is that of the AI SDK. */
async function seenByBoth(said: Answer): Promise<View> {
  const view = await seenInSdk(said)
  expect(forgiven(view)).toEqual(forgiven(seenElsewhere(said)))
  return view
}

function answerOf(items: readonly Item[], says: Finish['says'] = 'tool-calls'): Answer {
  return { items, finish: { says, end: 'marked' }, error: null, habits: plainHabits, reading: plainReading }
}

function text(...pieces: string[]): Item {
  return { is: 'text', pieces, holds: 'prose' }
}

function reasoning(...pieces: string[]): Item {
  return { is: 'reasoning', pieces, holds: 'prose' }
}

function callItem(...several: Call[]): Item {
  return { is: 'calls', calls: several, order: 'one by one' }
}

function call(name: string, ...pieces: string[]): Call {
  return { name, arguments: { are: 'text', pieces }, id: 'call_1', index: 'own', legacy: 'no' }
}

function seenInSdk(answer: Answer): Promise<View> {
  return streamed(partsOf(answer), optionsFor(answer.reading)).then(viewOf)
}

/** By a client of the chat dialect. The events of a message say where a call ends, as the parts do. */
function seenElsewhere(answer: Answer): View {
  const upstream = messageBodies(answer).find(({ delivered }) => delivered === 'stream')
  if (upstream === undefined) throw new Error('nobody can say this answer')
  const client = { dialect: 'openai-chat', wants: 'stream' } as const
  return readChat(clientGets({ upstream, client, reading: answer.reading }))
}

/**
 * White space that touches the markup of a call gets no block of its own. What comes before a failure differs: the
 * parts say a call as a whole once more, the events do not. Half a call has no part that ends it.
 */
function forgiven(view: View): View {
  if (view.failure !== null) return { ...view, text: '', reasoning: '', calls: [], finish: null }
  return {
    ...view,
    text: view.text.replaceAll(/\s+/g, ''),
    reasoning: view.reasoning.replaceAll(/\s+/g, ''),
    calls: view.finish === 'length' ? withoutHalf(view.calls) : view.calls,
  }
}

/** A call without a single argument may be half a call as well. */
function withoutHalf(calls: View['calls']): View['calls'] {
  return calls.slice(0, calls.findLastIndex(({ arguments: json }) => json !== null && json !== '{}') + 1)
}
